// SPDX-License-Identifier: BSD-3-Clause
// Completion queues: what has become of sends and receives.
#include "preload/transport/completion_queue.hpp"

#include <rdma/fi_errno.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

#include "preload/transport/endpoint.hpp"
#include "preload/transport/guarded.hpp"
#include "preload/transport/unsupported.hpp"

namespace plait::preload::provider {
namespace {

CompletionQueue& queue_of(fid* fid) {
  return *reinterpret_cast<CompletionQueue*>(fid);
}
CompletionQueue& queue_of(fid_cq* fid) {
  return *reinterpret_cast<CompletionQueue*>(fid);
}

std::size_t entry_bytes(fi_cq_format format) {
  switch (format) {
    case FI_CQ_FORMAT_MSG:
      return sizeof(fi_cq_msg_entry);
    case FI_CQ_FORMAT_DATA:
      return sizeof(fi_cq_data_entry);
    case FI_CQ_FORMAT_TAGGED:
      return sizeof(fi_cq_tagged_entry);
    case FI_CQ_FORMAT_UNSPEC:
    case FI_CQ_FORMAT_CONTEXT:
      break;
  }
  return sizeof(fi_cq_entry);
}

/// Every format is the beginning of the longest one.
fi_cq_tagged_entry entry_of(const Completion& completion) {
  return {completion.context, completion.flags, completion.length,
          completion.data,    completion.note,  completion.tag};
}

}  // namespace

struct QueueOperations {
  [[gnu::hot]] static ssize_t read_entries(fid_cq* cq, void* into, std::size_t count) noexcept {
    return guarded([&] { return queue_of(cq).read(into, count, nullptr); });
  }
  [[gnu::hot]] static ssize_t read_from(fid_cq* cq, void* into, std::size_t count,
                                        fi_addr_t* from) noexcept {
    return guarded([&] { return queue_of(cq).read(into, count, from); });
  }
  static ssize_t read_error(fid_cq* cq, fi_cq_err_entry* into, uint64_t) noexcept {
    CompletionQueue& queue = queue_of(cq);
    if (queue.endpoint_ == nullptr) return -FI_EAGAIN;
    const std::lock_guard lock(queue.endpoint_->lock());
    return queue.read_error(*into);
  }
  static const char* text(fid_cq*, int error, const void*, char*, std::size_t) noexcept {
    switch (error) {
      case FI_ETRUNC:
        return "the message is longer than its receive";
      case FI_ECANCELED:
        return "the receive was cancelled";
      case FI_ENOMSG:
        return "no such message has come";
      default:
        return "a rank has ended without MPI_Finalize";
    }
  }
  static int close_object(fid* fid) noexcept {
    delete &queue_of(fid);
    return FI_SUCCESS;
  }

  fi_ops object{};
  fi_ops_cq queue{};

  QueueOperations() {
    object.size = sizeof object;
    object.close = close_object;
    unsupported(object.bind, object.control, object.ops_open, object.tostr, object.ops_set);
    queue.size = sizeof queue;
    queue.read = read_entries;
    queue.readfrom = read_from;
    queue.readerr = read_error;
    queue.strerror = text;
    unsupported(queue.sread, queue.sreadfrom, queue.signal);
  }
};

int CompletionQueue::open(fid_domain*, fi_cq_attr* attributes, fid_cq** queue, void* context) {
  static QueueOperations operations;
  if (attributes != nullptr && attributes->wait_obj != FI_WAIT_NONE &&
      attributes->wait_obj != FI_WAIT_UNSPEC)
    return -FI_ENOSYS;
  auto* const made = new CompletionQueue;
  if (attributes != nullptr && attributes->format != FI_CQ_FORMAT_UNSPEC)
    made->format_ = attributes->format;
  made->fid.fid = {FI_CLASS_CQ, context, &operations.object};
  made->fid.ops = &operations.queue;
  *queue = &made->fid;
  return FI_SUCCESS;
}

[[gnu::hot]] void CompletionQueue::reserve() {
  if (put_ - taken_ + reserved_ == ring_.size()) {
    std::vector<Completion> longer(2 * ring_.size());
    for (std::size_t number = taken_; number != put_; ++number)
      longer[number & (longer.size() - 1)] = at(number);
    ring_.swap(longer);
  }
  ++reserved_;
}

[[gnu::hot]] void CompletionQueue::push_reserved(const Completion& completion) noexcept {
  --reserved_;
  at(put_++) = completion;
}

[[gnu::hot]] ssize_t CompletionQueue::read(void* into, std::size_t count, fi_addr_t* from) {
  if (endpoint_ == nullptr) return -FI_EAGAIN;
  std::unique_lock lock(endpoint_->lock());
  // An MPI library that reads until nothing is left does not wait yet.
  const bool last = std::exchange(gave_some_, false);
  if (last && empty() && endpoint_->is_quiet()) return -FI_EAGAIN;
  if (empty()) {
    const int error = endpoint_->progress(lock, count > 0 ? this : nullptr);
    if (error != FI_SUCCESS && empty()) return error;
  }
  const ssize_t taken = take(into, count, from);
  // A receive whose message was there before it completes without progress.
  gave_some_ = taken > 0;
  if (gave_some_) endpoint_->has_work();
  return taken;
}

[[gnu::hot]] ssize_t CompletionQueue::take(void* into, std::size_t count,
                                           fi_addr_t* from) noexcept {
  const std::size_t bytes = entry_bytes(format_);
  std::size_t taken = 0;
  for (; taken < count && !empty(); ++taken) {
    const Completion& next = at(taken_);
    if (next.error != 0) break;
    const fi_cq_tagged_entry entry = entry_of(next);
    std::memcpy(static_cast<std::byte*>(into) + taken * bytes, &entry, bytes);
    if (from != nullptr) from[taken] = next.from;
    ++taken_;
  }
  if (empty()) put_ = taken_ = 0;  // the same few entries stay in the cache
  if (taken > 0) return static_cast<ssize_t>(taken);
  return empty() || count == 0 ? -FI_EAGAIN : -FI_EAVAIL;
}

ssize_t CompletionQueue::read_error(fi_cq_err_entry& into) noexcept {
  if (empty() || at(taken_).error == 0) return -FI_EAGAIN;
  const Completion& failed = at(taken_++);
  into.op_context = failed.context;
  into.flags = failed.flags;
  into.len = failed.length;
  into.buf = failed.data;
  into.data = failed.note;
  into.tag = failed.tag;
  into.olen = failed.beyond;
  into.err = failed.error;
  into.prov_errno = failed.error;
  into.err_data_size = 0;
  return 1;
}

}  // namespace plait::preload::provider
