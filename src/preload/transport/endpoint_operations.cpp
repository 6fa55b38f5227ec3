// SPDX-License-Identifier: BSD-3-Clause
// libfabric's operations of an endpoint.
#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_collective.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "preload/transport/endpoint.hpp"
#include "preload/transport/guarded.hpp"
#include "preload/transport/info.hpp"
#include "preload/transport/unsupported.hpp"

namespace plait::preload::provider {
namespace {

Endpoint& endpoint_of(fid_ep* fid) {
  return *reinterpret_cast<Endpoint::Handle*>(fid)->endpoint;
}
Endpoint& endpoint_of(fid_t fid) {
  return *reinterpret_cast<Endpoint::Handle*>(fid)->endpoint;
}

/// The memory of a message to receive: at most one piece, as the provider's limit says.
struct Piece {
  void* data = nullptr;
  std::size_t bytes = 0;
  Piece(const iovec* pieces, std::size_t count) {
    if (count > 0) {
      data = pieces->iov_base;
      bytes = pieces->iov_len;
    }
  }
};
constexpr std::size_t kMostPieces = 1;

/// The memory of a message to send: several pieces are copied together.
struct Gathered {
  const void* data = nullptr;
  std::size_t bytes = 0;
  std::vector<std::byte> copy;

  Gathered(const iovec* pieces, std::size_t count) {
    if (count == 1) data = pieces->iov_base;
    for (const iovec& piece : std::span(pieces, count)) {
      bytes += piece.iov_len;
      const auto* const from = static_cast<const std::byte*>(piece.iov_base);
      if (count > 1) copy.insert(copy.end(), from, from + piece.iov_len);
    }
    if (count > 1) data = copy.data();
  }
  /// Flags with which it is sent: a copy does not stay.
  [[nodiscard]] uint64_t flags(uint64_t asked) const {
    return copy.empty() ? asked : asked | FI_INJECT;
  }
};

/// A send whose data go into the fields of `note` if there are any.
[[gnu::hot]] ssize_t send(fid_ep* ep, const void* data, std::size_t bytes, fi_addr_t to,
                          uint16_t stream, uint64_t tag, const uint64_t* note, uint64_t flags,
                          void* context) noexcept {
  Endpoint& endpoint = endpoint_of(ep);
  const bool injects = (flags & FI_INJECT) != 0;
  return guarded([&] {
    return endpoint.send({data, bytes, to, stream, tag, note == nullptr ? 0 : *note,
                          note != nullptr, endpoint.send_completes(flags), injects,
                          (flags & FI_DELIVERY_COMPLETE) != 0, context});
  });
}

ssize_t send_gathered(fid_ep* ep, const iovec* pieces, std::size_t count, fi_addr_t to,
                      uint16_t stream, uint64_t tag, const uint64_t* note, uint64_t flags,
                      void* context) noexcept {
  return guarded([&] {
    const Gathered message(pieces, count);
    return send(ep, message.data, message.bytes, to, stream, tag, note, message.flags(flags),
                context);
  });
}

/// Injected messages complete silently.
[[gnu::hot]] ssize_t inject(fid_ep* ep, const void* data, std::size_t bytes, fi_addr_t to,
                            uint16_t stream, uint64_t tag, const uint64_t* note) noexcept {
  if (bytes > transport::kEagerBytes) return -FI_EMSGSIZE;
  return guarded([&] {
    return endpoint_of(ep).send({data, bytes, to, stream, tag, note == nullptr ? 0 : *note,
                                 note != nullptr, false, true, false, nullptr});
  });
}

[[gnu::hot]] ssize_t receive(fid_ep* ep, void* data, std::size_t room, fi_addr_t from,
                             uint16_t stream, uint64_t tag, uint64_t ignore, uint64_t flags,
                             void* context) noexcept {
  Endpoint& endpoint = endpoint_of(ep);
  const Incoming incoming{data,
                          room,
                          from,
                          stream,
                          tag,
                          ignore,
                          endpoint.receive_completes(flags),
                          (flags & FI_MULTI_RECV) != 0,
                          context};
  constexpr uint64_t kLooks = FI_PEEK | FI_CLAIM | FI_DISCARD;
  return guarded([&] {
    return (flags & kLooks) != 0 ? endpoint.probe(incoming, flags) : endpoint.receive(incoming);
  });
}

}  // namespace

struct TaggedOperations {
  [[gnu::hot]] static ssize_t receive(fid_ep* ep, void* data, std::size_t room, void*,
                                      fi_addr_t from, uint64_t tag, uint64_t ignore,
                                      void* context) noexcept {
    return provider::receive(ep, data, room, from, kTagged, tag, ignore,
                             endpoint_of(ep).receive_flags(), context);
  }
  static ssize_t receive_pieces(fid_ep* ep, const iovec* pieces, void**, std::size_t count,
                                fi_addr_t from, uint64_t tag, uint64_t ignore,
                                void* context) noexcept {
    if (count > kMostPieces) return -FI_EINVAL;
    const Piece piece(pieces, count);
    return receive(ep, piece.data, piece.bytes, nullptr, from, tag, ignore, context);
  }
  static ssize_t receive_message(fid_ep* ep, const fi_msg_tagged* message,
                                 uint64_t flags) noexcept {
    if (message->iov_count > kMostPieces) return -FI_EINVAL;
    const Piece piece(message->msg_iov, message->iov_count);
    return provider::receive(ep, piece.data, piece.bytes, message->addr, kTagged, message->tag,
                             message->ignore, flags, message->context);
  }
  [[gnu::hot]] static ssize_t send(fid_ep* ep, const void* data, std::size_t bytes, void*,
                                   fi_addr_t to, uint64_t tag, void* context) noexcept {
    return provider::send(ep, data, bytes, to, kTagged, tag, nullptr, endpoint_of(ep).send_flags(),
                          context);
  }
  static ssize_t send_pieces(fid_ep* ep, const iovec* pieces, void**, std::size_t count,
                             fi_addr_t to, uint64_t tag, void* context) noexcept {
    return send_gathered(ep, pieces, count, to, kTagged, tag, nullptr, endpoint_of(ep).send_flags(),
                         context);
  }
  static ssize_t send_message(fid_ep* ep, const fi_msg_tagged* message, uint64_t flags) noexcept {
    const uint64_t* const note = (flags & FI_REMOTE_CQ_DATA) != 0 ? &message->data : nullptr;
    return send_gathered(ep, message->msg_iov, message->iov_count, message->addr, kTagged,
                         message->tag, note, flags, message->context);
  }
  [[gnu::hot]] static ssize_t inject(fid_ep* ep, const void* data, std::size_t bytes, fi_addr_t to,
                                     uint64_t tag) noexcept {
    return provider::inject(ep, data, bytes, to, kTagged, tag, nullptr);
  }
  [[gnu::hot]] static ssize_t send_note(fid_ep* ep, const void* data, std::size_t bytes, void*,
                                        uint64_t note, fi_addr_t to, uint64_t tag,
                                        void* context) noexcept {
    return provider::send(ep, data, bytes, to, kTagged, tag, &note, endpoint_of(ep).send_flags(),
                          context);
  }
  [[gnu::hot]] static ssize_t inject_note(fid_ep* ep, const void* data, std::size_t bytes,
                                          uint64_t note, fi_addr_t to, uint64_t tag) noexcept {
    return provider::inject(ep, data, bytes, to, kTagged, tag, &note);
  }

  fi_ops_tagged table{sizeof table, receive,      receive_pieces, receive_message, send,
                      send_pieces,  send_message, inject,         send_note,       inject_note};
};

struct UntaggedOperations {
  [[gnu::hot]] static ssize_t receive(fid_ep* ep, void* data, std::size_t room, void*,
                                      fi_addr_t from, void* context) noexcept {
    return provider::receive(ep, data, room, from, kUntagged, 0, 0, endpoint_of(ep).receive_flags(),
                             context);
  }
  static ssize_t receive_pieces(fid_ep* ep, const iovec* pieces, void**, std::size_t count,
                                fi_addr_t from, void* context) noexcept {
    if (count > kMostPieces) return -FI_EINVAL;
    const Piece piece(pieces, count);
    return receive(ep, piece.data, piece.bytes, nullptr, from, context);
  }
  static ssize_t receive_message(fid_ep* ep, const fi_msg* message, uint64_t flags) noexcept {
    if (message->iov_count > kMostPieces) return -FI_EINVAL;
    const Piece piece(message->msg_iov, message->iov_count);
    return provider::receive(ep, piece.data, piece.bytes, message->addr, kUntagged, 0, 0, flags,
                             message->context);
  }
  [[gnu::hot]] static ssize_t send(fid_ep* ep, const void* data, std::size_t bytes, void*,
                                   fi_addr_t to, void* context) noexcept {
    return provider::send(ep, data, bytes, to, kUntagged, 0, nullptr, endpoint_of(ep).send_flags(),
                          context);
  }
  static ssize_t send_pieces(fid_ep* ep, const iovec* pieces, void**, std::size_t count,
                             fi_addr_t to, void* context) noexcept {
    return send_gathered(ep, pieces, count, to, kUntagged, 0, nullptr, endpoint_of(ep).send_flags(),
                         context);
  }
  static ssize_t send_message(fid_ep* ep, const fi_msg* message, uint64_t flags) noexcept {
    const uint64_t* const note = (flags & FI_REMOTE_CQ_DATA) != 0 ? &message->data : nullptr;
    return send_gathered(ep, message->msg_iov, message->iov_count, message->addr, kUntagged, 0,
                         note, flags, message->context);
  }
  [[gnu::hot]] static ssize_t inject(fid_ep* ep, const void* data, std::size_t bytes,
                                     fi_addr_t to) noexcept {
    return provider::inject(ep, data, bytes, to, kUntagged, 0, nullptr);
  }
  [[gnu::hot]] static ssize_t send_note(fid_ep* ep, const void* data, std::size_t bytes, void*,
                                        uint64_t note, fi_addr_t to, void* context) noexcept {
    return provider::send(ep, data, bytes, to, kUntagged, 0, &note, endpoint_of(ep).send_flags(),
                          context);
  }
  [[gnu::hot]] static ssize_t inject_note(fid_ep* ep, const void* data, std::size_t bytes,
                                          uint64_t note, fi_addr_t to) noexcept {
    return provider::inject(ep, data, bytes, to, kUntagged, 0, &note);
  }

  fi_ops_msg table{sizeof table, receive,      receive_pieces, receive_message, send,
                   send_pieces,  send_message, inject,         send_note,       inject_note};
};

struct EndpointOperations {
  static int close_object(fid_t fid) noexcept {
    delete &endpoint_of(fid);
    return FI_SUCCESS;
  }
  static int bind(fid_t fid, fid_t other, uint64_t flags) noexcept {
    return endpoint_of(fid).bind(other, flags);
  }
  static int control(fid_t fid, int command, void*) noexcept {
    if (command != FI_ENABLE) return -FI_ENOSYS;
    return guarded([&] { return endpoint_of(fid).enable(); });
  }
  static ssize_t cancel(fid_t fid, void* context) noexcept {
    return guarded([&] { return endpoint_of(fid).cancel(context); });
  }
  static int get_option(fid_t, int, int, void*, std::size_t*) noexcept { return -FI_ENOPROTOOPT; }
  static int set_option(fid_t fid, int level, int name, const void* value,
                        std::size_t bytes) noexcept {
    std::size_t& least = endpoint_of(fid).least_room_;
    if (level != FI_OPT_ENDPOINT || name != FI_OPT_MIN_MULTI_RECV || bytes != sizeof least)
      return -FI_ENOPROTOOPT;
    std::memcpy(&least, value, sizeof least);
    return FI_SUCCESS;
  }
  static int name(fid_t fid, void* address, std::size_t* bytes) noexcept {
    const std::size_t room = *bytes;
    *bytes = kAddressBytes;
    if (room < kAddressBytes) return -FI_ETOOSMALL;
    return guarded([&] {
      const Membership& membership = endpoint_of(fid).membership_;
      const std::string text = membership.address(membership.self());
      std::memset(address, 0, kAddressBytes);
      std::memcpy(address, text.data(), std::min(text.size(), kAddressBytes - 1));
      return FI_SUCCESS;
    });
  }

  fi_ops object{};
  fi_ops_ep endpoint{};
  fi_ops_cm connections{};
  fi_ops_rma rma{};
  fi_ops_atomic atomic{};
  TaggedOperations tagged;
  UntaggedOperations untagged;

  EndpointOperations() {
    object.size = sizeof object;
    object.close = close_object;
    object.bind = bind;
    object.control = control;
    unsupported(object.ops_open, object.tostr, object.ops_set);
    endpoint.size = sizeof endpoint;
    endpoint.cancel = cancel;
    endpoint.getopt = get_option;
    endpoint.setopt = set_option;
    unsupported(endpoint.tx_ctx, endpoint.rx_ctx, endpoint.rx_size_left, endpoint.tx_size_left);
    connections.size = sizeof connections;
    connections.getname = name;
    unsupported(connections.setname, connections.getpeer, connections.connect, connections.listen,
                connections.accept, connections.reject, connections.shutdown, connections.join);
    rma.size = sizeof rma;
    unsupported(rma.read, rma.readv, rma.readmsg, rma.write, rma.writev, rma.writemsg, rma.inject,
                rma.writedata, rma.injectdata);
    atomic.size = sizeof atomic;
    unsupported(atomic.write, atomic.writev, atomic.writemsg, atomic.inject, atomic.readwrite,
                atomic.readwritev, atomic.readwritemsg, atomic.compwrite, atomic.compwritev,
                atomic.compwritemsg, atomic.writevalid, atomic.readwritevalid,
                atomic.compwritevalid);
  }
};

int Endpoint::open(Membership& membership, fi_info* info, fid_ep** endpoint, void* context) {
  static EndpointOperations operations;
  std::unique_ptr<Endpoint> made(new Endpoint(membership, *info));
  if (made->queues_ == nullptr) return -FI_ENOSPC;
  made->handle_.endpoint = made.get();
  fid_ep& fid = made->handle_.fid;
  fid.fid = {FI_CLASS_EP, context, &operations.object};
  fid.ops = &operations.endpoint;
  fid.cm = &operations.connections;
  fid.msg = &operations.untagged.table;
  fid.rma = &operations.rma;
  fid.tagged = &operations.tagged.table;
  fid.atomic = &operations.atomic;
  *endpoint = &made.release()->handle_.fid;
  return FI_SUCCESS;
}

}  // namespace plait::preload::provider
