// SPDX-License-Identifier: BSD-3-Clause
// Encodes imported calls as the preload object would write them.
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "export/otf2/imported_source.hpp"

namespace plait::otf2 {
namespace {

constexpr std::size_t kEventsOfChunk = 1 << 16;

/// Properties of a function that follow from its name, not from its records.
struct NameTraits {
  bool tests = false, probes = false, matched_probe = false, matched_receive = false,
       starts = false, one_sided = false;
  std::uint32_t send_flags = 0;
  std::uint32_t function = 0;
};

NameTraits traits_of(const std::string& function) {
  const std::string name = bare_name(function);
  NameTraits traits;
  traits.matched_probe = name == "mprobe" || name == "improbe";
  traits.probes = traits.matched_probe || name == "probe" || name == "iprobe";
  traits.tests = name.starts_with("test") || name == "iprobe" || name == "improbe";
  traits.matched_receive = name == "mrecv";
  traits.starts = name.starts_with("start");
  for (const char* one : {"put", "get", "accumulate", "rput", "rget", "raccumulate", "fetch_and",
                          "compare_and", "win_"}) {
    const std::string prefix = one;
    // The prefix "get" alone would include MPI_Get_count.
    const bool inquiry = prefix == "get" && name != "get" && !name.starts_with("get_accumulate");
    traits.one_sided = traits.one_sided || (name.starts_with(prefix) && !inquiry);
  }
  if (name.find("ssend") != std::string::npos) traits.send_flags = PLAIT_SHAPE_SYNCHRONOUS;
  if (name.find("bsend") != std::string::npos) traits.send_flags = PLAIT_SHAPE_BUFFERED;
  if (name.find("rsend") != std::string::npos) traits.send_flags = PLAIT_SHAPE_READY;
  if (name.starts_with('p') && name.find("send") != std::string::npos) traits.send_flags = 0;
  return traits;
}

int peer_of(const Op& op) {
  if (op.kind != OpKind::collective) {
    return op.peer == kNone ? PLAIT_NO_PEER : static_cast<int>(op.peer);
  }
  if (op.peer == OTF2_COLLECTIVE_ROOT_NONE) return PLAIT_NO_PEER;
  if (op.peer == OTF2_COLLECTIVE_ROOT_SELF) return PLAIT_ROOT_PEER;
  return op.peer == OTF2_COLLECTIVE_ROOT_THIS_GROUP ? PLAIT_NULL_PEER : static_cast<int>(op.peer);
}

std::uint32_t low(std::uint64_t value) {
  return static_cast<std::uint32_t>(value);
}
std::uint32_t high(std::uint64_t value) {
  return static_cast<std::uint32_t>(value >> 32U);
}

class Encoder {
public:
  Encoder(const Imported& imported, Process& process) : imported_(imported), process_(process) {
    name_functions();
    number_comms();
    number_requests();
  }

  Encoded run() {
    for (thread_ = 0; thread_ < process_.threads.size(); ++thread_) {
      next_request_ = 1;
      columns_ = nullptr;
      for (const Call& call : process_.threads[thread_].calls) encode(call);
    }
    return std::move(out_);
  }

private:
  /// Names what this process uses: an archive may define far more.
  void name_functions() {
    std::vector<bool> used(imported_.regions.size());
    for (const Thread& thread : process_.threads) {
      for (const Call& call : thread.calls) used[call.region] = true;
    }
    for (std::size_t number = 0; number < used.size(); ++number) {
      const RegionName& region = imported_.regions[number];
      NameTraits& traits = traits_.emplace_back();
      if (!used[number]) continue;
      traits = traits_of(region.name);
      if (region.mpi) {
        traits.function = static_cast<std::uint32_t>(out_.functions.size());
        out_.functions.push_back({region.name, false});
      } else {
        traits.function = static_cast<std::uint32_t>(out_.regions.size());
        trace::UserRegion& made = out_.regions.emplace_back();
        made.name = region.name;
      }
    }
  }

  void number_comms() {
    for (const Op& op : process_.ops) {
      if (op.comm == kNone) continue;
      const auto [at, is_new] =
          comms_.try_emplace(op.comm, static_cast<std::uint32_t>(out_.comms.size() + 1));
      if (is_new) out_.comms.push_back(op.comm);
    }
  }

  [[nodiscard]] bool blocking(const Op& op) const {
    return op.ended == op.started && op.end_thread == op.thread;
  }

  void number_requests() {
    for (Thread& thread : process_.threads) {
      std::uint64_t next = 1;
      for (const Call& call : thread.calls) {
        for (const std::uint32_t number : call.started) {
          Op& op = process_.ops[number];
          if (!blocking(op)) op.request = next++;
          if (op.kind == OpKind::collective) {
            out_.functions[traits_[call.region].function].collective = true;
          }
        }
      }
    }
  }

  void encode(const Call& call) {
    if (!imported_.regions[call.region].mpi) {
      plait_shape shape = shape_of(PLAIT_EVENT_REGION, call);
      shape.function = 0;
      shape.site = traits_[call.region].function;
      event(call, shape, 0, {}, true);
      return;
    }
    rest_ = call;
    std::vector<std::uint32_t> sends, receives, collectives, starts;
    for (const std::uint32_t number : call.started) {
      const Op& op = process_.ops[number];
      (!blocking(op)                ? starts
       : op.kind == OpKind::send    ? sends
       : op.kind == OpKind::receive ? receives
                                    : collectives)
          .push_back(number);
    }
    std::vector<std::uint32_t> ended;
    for (const std::uint32_t number : call.ended) {
      if (!blocking(process_.ops[number])) ended.push_back(number);
    }
    const bool nothing =
        sends.empty() && receives.empty() && collectives.empty() && starts.empty() && ended.empty();
    if (nothing) return encode_bare(call);
    if (sends.size() == 1 && receives.size() == 1) {
      both_halves(call, process_.ops[sends[0]], process_.ops[receives[0]]);
    } else {
      for (const std::uint32_t number : sends) transfer(PLAIT_EVENT_SEND, process_.ops[number]);
      for (const std::uint32_t number : receives) transfer(PLAIT_EVENT_RECV, process_.ops[number]);
    }
    for (const std::uint32_t number : collectives) {
      transfer(PLAIT_EVENT_COLLECTIVE, process_.ops[number]);
    }
    if (!starts.empty()) encode_starts(call, starts);
    if (!ended.empty()) complete(call, ended);
  }

  /// Encodes a call without records, which found nothing or moves nothing.
  void encode_bare(const Call& call) {
    const NameTraits& traits = traits_[call.region];
    const plait_shape_kind kind = traits.matched_probe ? PLAIT_EVENT_MPROBE
                                  : traits.probes      ? PLAIT_EVENT_PROBE
                                  : traits.one_sided   ? PLAIT_EVENT_RMA
                                  : traits.tests || bare_name(name(call)).starts_with("wait")
                                      ? PLAIT_EVENT_COMPLETE
                                      : PLAIT_EVENT_OTHER;
    plait_shape shape = shape_of(kind, call);
    if (traits.tests) shape.flags |= PLAIT_SHAPE_TEST;
    std::vector<std::uint32_t> words;
    if (traits.probes && !traits.tests) {
      words = {1, low(static_cast<std::uint64_t>(PLAIT_NO_PEER)),
               low(static_cast<std::uint64_t>(PLAIT_ANY_TAG))};
      if (kind == PLAIT_EVENT_MPROBE) shape.kind = PLAIT_EVENT_PROBE;
    } else if (traits.tests) {
      words = {0, 1};
    } else if (kind == PLAIT_EVENT_COMPLETE) {
      words = {0};
    }
    event(call, shape, 0, words, false);
  }

  [[nodiscard]] const std::string& name(const Call& call) const {
    return imported_.regions[call.region].name;
  }

  plait_shape shape_of(plait_shape_kind kind, const Call& call) const {
    plait_shape shape{};
    shape.kind = kind;
    shape.function = traits_[call.region].function;
    shape.peer = PLAIT_NO_PEER;
    shape.tag = PLAIT_ANY_TAG;
    return shape;
  }

  plait_shape shape_of(plait_shape_kind kind, const Call& call, const Op& op) const {
    plait_shape shape = shape_of(kind, call);
    shape.comm = op.comm == kNone ? 0 : comms_.at(op.comm);
    shape.peer = peer_of(op);
    if (op.kind == OpKind::collective) {
      shape.extra = op.received;
    } else {
      shape.tag = op.tag;
    }
    if (op.kind == OpKind::send) shape.flags = traits_[call.region].send_flags;
    if (traits_[call.region].starts) shape.flags |= PLAIT_SHAPE_PERSISTENT;
    return shape;
  }

  void transfer(plait_shape_kind kind, const Op& op) {
    part(shape_of(kind, rest_, op), op.bytes, {});
  }

  void both_halves(const Call& call, const Op& send, const Op& receive) {
    const std::uint32_t half = number_of(shape_of(PLAIT_EVENT_RECV, call, receive));
    part(shape_of(PLAIT_EVENT_SENDRECV, call, send), send.bytes,
         {half, low(receive.bytes), high(receive.bytes), receive.peer,
          static_cast<std::uint32_t>(receive.tag)});
  }

  static plait_shape_kind starting_kind(const Op& op) {
    return op.kind == OpKind::send      ? PLAIT_EVENT_ISEND
           : op.kind == OpKind::receive ? PLAIT_EVENT_IRECV
                                        : PLAIT_EVENT_ICOLLECTIVE;
  }

  void encode_starts(const Call& call, const std::vector<std::uint32_t>& starts) {
    const NameTraits& traits = traits_[call.region];
    const Op& first = process_.ops[starts[0]];
    if (starts.size() == 1 && traits.matched_probe && first.kind == OpKind::receive) {
      const plait_shape shape = shape_of(PLAIT_EVENT_MPROBE, call, first);
      part(shape, 0, {1, first.peer, static_cast<std::uint32_t>(first.tag)});
      ++next_request_;
      return;
    }
    if (starts.size() == 1 && !traits.starts) {
      transfer(starting_kind(first), first);
      ++next_request_;
      return;
    }
    std::vector<std::uint32_t> words{static_cast<std::uint32_t>(starts.size())};
    for (const std::uint32_t number : starts) {
      const Op& op = process_.ops[number];
      words.push_back(number_of(shape_of(starting_kind(op), call, op)));
      words.push_back(low(op.bytes));
      words.push_back(high(op.bytes));
    }
    part(shape_of(PLAIT_EVENT_START, call), 0, words);
    next_request_ += starts.size();
  }

  void complete(const Call& call, const std::vector<std::uint32_t>& ended) {
    const NameTraits& traits = traits_[call.region];
    std::vector<std::uint32_t> words;
    const bool receive = traits.matched_receive && ended.size() == 1;
    if (!receive) words.push_back(static_cast<std::uint32_t>(ended.size()));
    for (const std::uint32_t number : ended) {
      const Op& op = process_.ops[number];
      const std::uint32_t cancelled = op.cancelled ? PLAIT_REFERENCE_CANCELLED : 0;
      if (op.thread == thread_) {
        words.push_back(low(next_request_ - op.request) | cancelled);
      } else {
        words.push_back(low(op.request) | cancelled | PLAIT_REFERENCE_FOREIGN);
        words.push_back(op.thread);
      }
    }
    plait_shape shape = shape_of(receive ? PLAIT_EVENT_MRECV : PLAIT_EVENT_COMPLETE, call);
    if (traits.tests) shape.flags |= PLAIT_SHAPE_TEST;
    part(shape, receive ? process_.ops[ended[0]].bytes : 0, words);
  }

  /// The first part of a call takes its whole time; the other parts are at its end.
  void part(const plait_shape& shape, std::uint64_t bytes,
            const std::vector<std::uint32_t>& words) {
    event(rest_, shape, bytes, words, false);
    rest_.begin_ns = rest_.end_ns;
  }

  std::uint32_t number_of(const plait_shape& shape) {
    const Key key{shape.kind,
                  shape.flags,
                  shape.function,
                  shape.site,
                  shape.comm,
                  static_cast<std::uint32_t>(shape.peer),
                  static_cast<std::uint32_t>(shape.tag),
                  low(shape.extra),
                  high(shape.extra)};
    const auto [at, is_new] =
        numbers_.try_emplace(key, static_cast<std::uint32_t>(out_.shapes.size()));
    if (is_new) out_.shapes.push_back(shape);
    return at->second;
  }

  void event(const Call& call, const plait_shape& shape, std::uint64_t bytes,
             const std::vector<std::uint32_t>& words, bool holds_others) {
    if (columns_ == nullptr || columns_->shape.size() >= kEventsOfChunk) begin_chunk(call);
    const std::int64_t end = std::max(call.end_ns, last_ns_);
    const std::int64_t begin =
        holds_others ? std::min(call.begin_ns, end) : std::clamp(call.begin_ns, last_ns_, end);
    const auto duration = static_cast<std::uint64_t>(end - begin);
    const auto gap = static_cast<std::uint64_t>((holds_others ? end : begin) - last_ns_);
    last_ns_ = end;
    const std::uint32_t bytes_flags =
        bytes == 0 ? 0 : PLAIT_SHAPE_BYTES | (high(bytes) != 0 ? PLAIT_SHAPE_WIDE : 0);
    const std::uint32_t number = number_of(shape);
    // Without explicit bytes, a reader would use those of the shape's previous event in this chunk.
    const bool explicit_bytes = bytes != 0 || has_bytes(number);
    columns_->shape.push_back(number | bytes_flags | (explicit_bytes ? PLAIT_SHAPE_BYTES : 0));
    put_time(columns_->gap, gap);
    put_time(columns_->duration, duration);
    if (explicit_bytes) columns_->words.push_back(low(bytes));
    if ((bytes_flags & PLAIT_SHAPE_WIDE) != 0) columns_->words.push_back(high(bytes));
    if (explicit_bytes) with_bytes_[number] = out_.chunks.size();
    columns_->words.insert(columns_->words.end(), words.begin(), words.end());
  }

  [[nodiscard]] bool has_bytes(std::uint32_t shape) const {
    const auto at = with_bytes_.find(shape);
    return at != with_bytes_.end() && at->second == out_.chunks.size();
  }

  void put_time(std::vector<std::uint32_t>& column, std::uint64_t ticks) {
    if (ticks < PLAIT_LONG) {
      column.push_back(low(ticks));
      return;
    }
    column.push_back(PLAIT_LONG);
    columns_->words.push_back(low(ticks));
    columns_->words.push_back(high(ticks));
  }

  void begin_chunk(const Call& call) {
    if (columns_ == nullptr) last_ns_ = std::max<std::int64_t>(call.begin_ns, 0);
    columns_ = &out_.chunks.emplace_back();
    columns_->thread = thread_;
    columns_->first_ticks = static_cast<std::uint64_t>(last_ns_);
    columns_->first_request = next_request_;
  }

  using Key = std::array<std::uint32_t, 9>;

  const Imported& imported_;
  Process& process_;
  Encoded out_;
  std::vector<NameTraits> traits_;  ///< by region
  std::map<std::uint32_t, std::uint32_t> comms_;
  std::map<Key, std::uint32_t> numbers_;
  std::map<std::uint32_t, std::size_t>
      with_bytes_;  ///< shapes, and the chunk with their last bytes
  Columns* columns_ = nullptr;
  std::uint32_t thread_ = 0;
  std::uint64_t next_request_ = 1;
  std::int64_t last_ns_ = 0;
  Call rest_;
};

}  // namespace

Encoded encode_calls(const Imported& imported, Process& process) {
  return Encoder(imported, process).run();
}

}  // namespace plait::otf2
