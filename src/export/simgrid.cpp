// SPDX-License-Identifier: BSD-3-Clause
// A trace as SimGrid's time-independent one: actions of each rank for smpirun -replay, with hosts
// and a platform that costs nothing.
//
// Actions are those of SimGrid 3.32, smpi_replay.cpp. A flop stands for a nanosecond, and the
// platform's hosts do 1 Gflop/s. Each message has a tag of its own, so that the recorded match
// holds; SimGrid finds a request by source, destination and tag.
#include <algorithm>
#include <limits>
#include <memory>

#include "export/collective_messages.hpp"
#include "export/export.hpp"
#include "export/left_out.hpp"
#include "export/output_file.hpp"
#include "plait/error.hpp"
#include "replay/program.hpp"

namespace plait::exports {
namespace {

using replay::Pattern;
using replay::Step;
using replay::StepKind;
using std::uint32_t;
using std::uint64_t;

/// Counts are ints; what is longer counts in doubles (type 0 instead of bytes, type 6).
constexpr uint64_t kMostCounted = 0x7fffffff;

struct Amount {
  uint64_t count;
  int type;
};

/// A receive of 0 bytes would probe first, which waits: 1 byte stands for it, on both sides.
Amount amount_of(uint64_t bytes) {
  if (bytes <= kMostCounted) return {std::max<uint64_t>(bytes, 1), 6};
  return {std::min((bytes + 7) / 8, kMostCounted), 0};
}

class SimgridExport {
public:
  SimgridExport(const Request& request, Result& result)
      : request_(request),
        result_(result),
        program_(replay::program_of(request.trace, options())) {}

  void write() {
    first_start_s_ = std::numeric_limits<double>::max();
    for (uint32_t rank = 0; rank < program_->ranks(); ++rank) {
      first_start_s_ = std::min(first_start_s_, program_->start_s(rank));
    }
    OutputFile list(request_.output / "trace.txt", request_.replace);
    for (uint32_t rank = 0; rank < program_->ranks(); ++rank) {
      const std::filesystem::path file = request_.output / fmt::format("rank-{}.txt", rank);
      write_rank(rank, file);
      // smpirun looks for them from where it is started.
      list.print("{}\n", std::filesystem::absolute(file).string());
    }
    result_.bytes += list.close();
    write_platform();
    result_.notes = notes_of(left_out_);
  }

private:
  struct Pending {  // of a rank
    uint32_t source = 0, destination = 0, tag = 0;
  };

  replay::TraceProgramOptions options() {
    replay::TraceProgramOptions made;
    made.left_out = &left_out_;
    return made;
  }

  void write_rank(uint32_t rank, const std::filesystem::path& path) {
    OutputFile out(path, request_.replace);
    requests_.clear();
    out.print("{} init\n", rank);
    compute(out, rank, program_->start_s(rank) - first_start_s_);
    for (Step step = program_->next(rank); step.kind != StepKind::kEnd;
         step = program_->next(rank)) {
      write_step(out, rank, step);
    }
    out.print("{} finalize\n", rank);
    result_.bytes += out.close();
  }

  static void compute(OutputFile& out, uint32_t rank, double seconds) {
    if (seconds > 0) out.print("{} compute {:.0f}\n", rank, seconds * 1e9);
  }

  void write_step(OutputFile& out, uint32_t rank, const Step& step) {
    switch (step.kind) {
      case StepKind::kCompute:
      case StepKind::kCall:
        compute(out, rank, step.seconds);
        break;
      case StepKind::kSend:
        transfer(out, rank, "send", step.partner, step.tag, step.bytes);
        if (step.synchronous) transfer(out, rank, "recv", step.partner, step.tag, 0);
        break;
      case StepKind::kReceive:
        answer(out, rank, step);
        transfer(out, rank, "recv", step.partner, step.tag, step.bytes);
        break;
      case StepKind::kIsend: {
        transfer(out, rank, "isend", step.partner, step.tag, step.bytes);
        std::vector<Pending> pending{{rank, step.partner, step.tag}};
        if (step.synchronous) {
          transfer(out, rank, "irecv", step.partner, step.tag, 0);
          pending.push_back({step.partner, rank, step.tag});
        }
        remember(step.request, std::move(pending));
        break;
      }
      case StepKind::kIreceive:
        answer(out, rank, step);
        transfer(out, rank, "irecv", step.partner, step.tag, step.bytes);
        remember(step.request, {{step.partner, rank, step.tag}});
        break;
      case StepKind::kWait:
        wait(out, rank, requests_[step.request]);
        break;
      case StepKind::kCollective:
      case StepKind::kIcollective:
        collective(out, rank, step);
        break;
      case StepKind::kEnd:
        break;
    }
  }

  static void transfer(OutputFile& out, uint32_t rank, const char* action, uint32_t partner,
                       uint32_t tag, uint64_t bytes) {
    const Amount amount = amount_of(bytes);
    out.print("{} {} {} {} {} {}\n", rank, action, partner, tag, amount.count, amount.type);
  }

  /// A synchronous send waits for a message that its receiver sends when it posts the receive:
  /// SimGrid's traces have no such sends.
  void answer(OutputFile& out, uint32_t rank, const Step& step) const {
    const trace::Message& message = request_.trace.messages[step.tag];
    const trace::Operation& send = request_.trace.ranks[message.sender].operations[message.send];
    if ((request_.trace.shapes[send.shape].flags & PLAIT_SHAPE_SYNCHRONOUS) == 0) return;
    transfer(out, rank, "isend", step.partner, step.tag, 0);
  }

  void remember(uint32_t request, std::vector<Pending> of) {
    if (request == replay::kNoRequest) return;
    if (request >= requests_.size()) requests_.resize(request + 1);
    requests_[request] = std::move(of);
  }

  static void wait(OutputFile& out, uint32_t rank, const std::vector<Pending>& requests) {
    for (const Pending& of : requests) {
      out.print("{} wait {} {} {}\n", rank, of.source, of.destination, of.tag);
    }
  }

  void collective(OutputFile& out, uint32_t rank, const Step& step) {
    const replay::CollectiveStep of = program_->collective(step.collective);
    const bool blocking = step.kind == StepKind::kCollective;
    if (blocking && of_all(*of.members) && named(out, rank, of)) return;
    const std::vector<uint32_t>& members = *of.members;
    // Behind those of messages. In a collective there is at most one message from one member to
    // another, so that one tag does.
    const auto messages = static_cast<uint32_t>(request_.trace.messages.size());
    const uint32_t tag = messages + step.collective;
    std::vector<Pending> all;
    for (const Phase& phase : collective_phases(of.pattern, static_cast<uint32_t>(members.size()),
                                                step.partner, of.root, !blocking)) {
      std::vector<Pending> requests;
      for (const uint32_t from : phase.receive_from) {
        transfer(out, rank, "irecv", members[from], tag, of.bytes);
        requests.push_back({members[from], rank, tag});
      }
      for (const uint32_t to : phase.send_to) {
        transfer(out, rank, "isend", members[to], tag, of.bytes);
        requests.push_back({rank, members[to], tag});
      }
      if (blocking) wait(out, rank, requests);
      all.insert(all.end(), requests.begin(), requests.end());
    }
    if (!blocking) remember(step.request, std::move(all));
  }

  [[nodiscard]] bool of_all(const std::vector<uint32_t>& members) const {
    if (members.size() != program_->ranks()) return false;
    for (uint32_t rank = 0; rank < members.size(); ++rank) {
      if (members[rank] != rank) return false;
    }
    return true;
  }

  /// As SimGrid's own collective, where it has one whose text does not grow with the ranks.
  bool named(OutputFile& out, uint32_t rank, const replay::CollectiveStep& of) {
    const auto [count, type] = amount_of(of.bytes);
    switch (of.pattern) {
      case Pattern::kBarrier:
        out.print("{} barrier\n", rank);
        return true;
      case Pattern::kBroadcast:
        out.print("{} bcast {} {} {}\n", rank, count, of.root, type);
        return true;
      case Pattern::kReduce:
        out.print("{} reduce {} 0 {} {}\n", rank, count, of.root, type);
        return true;
      case Pattern::kAllreduce:
        out.print("{} allreduce {} 0 {}\n", rank, count, type);
        return true;
      case Pattern::kGather:
        out.print("{} gather {} {} {} {} {}\n", rank, count, count, of.root, type, type);
        return true;
      case Pattern::kScatter:
        out.print("{} scatter {} {} {} {} {}\n", rank, count, count, of.root, type, type);
        return true;
      case Pattern::kAllgather:
        out.print("{} allgather {} {} {} {}\n", rank, count, count, type, type);
        return true;
      case Pattern::kAlltoall: {
        const auto [each, each_type] = amount_of(of.bytes / program_->ranks());
        out.print("{} alltoall {} {} {} {}\n", rank, each, each, each_type, each_type);
        return true;
      }
      case Pattern::kReduceScatter:
      case Pattern::kScan:
        break;
    }
    return false;
  }

  /// A host for each node, with a core for each of its ranks: computation does not share them.
  void write_platform() {
    std::vector<uint32_t> ranks_of;
    OutputFile hosts(request_.output / "hosts.txt", request_.replace);
    for (uint32_t rank = 0; rank < program_->ranks(); ++rank) {
      const uint32_t node = program_->node_of(rank);
      if (node >= ranks_of.size()) ranks_of.resize(node + 1);
      ++ranks_of[node];
      hosts.print("node-{}\n", node);
    }
    result_.bytes += hosts.close();
    OutputFile platform(request_.output / "platform.xml", request_.replace);
    platform.print(
        R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<!-- A host a node, a core a rank, no latency, no limit of bandwidth; a flop is a nanosecond. For
     another machine change bw (B/s) and lat (s): links are a node's own, loopback is within it. -->
<platform version="4.1">
  <cluster id="job" prefix="node-" suffix="" radical="0-{}" speed="1Gf" core="{}"
           bw="1e18Bps" lat="0s" loopback_bw="1e18Bps" loopback_lat="0s" sharing_policy="FATPIPE"/>
</platform>
)",
        ranks_of.size() - 1, *std::ranges::max_element(ranks_of));
    result_.bytes += platform.close();
  }

  const Request& request_;
  Result& result_;
  replay::LeftOut left_out_;
  std::unique_ptr<replay::Program> program_;
  std::vector<std::vector<Pending>> requests_;  ///< by number, of the rank at hand
  double first_start_s_ = 0;
};

}  // namespace

Result write_simgrid(const Request& request) {
  if (request.trace.ranks.empty()) {
    throw Error(request.output.string(), "there is nothing to write: the trace has no ranks", "");
  }
  require_folder(request.output, request.replace);
  Result result;
  SimgridExport(request, result).write();
  result.next = fmt::format(
      "smpirun -np {} -hostfile {}/hosts.txt -platform {}/platform.xml -replay {}/trace.txt "
      "--cfg=smpi/send-is-detached-thresh:2147483647",
      request.trace.ranks.size(), request.output.string(), request.output.string(),
      request.output.string());
  return result;
}

}  // namespace plait::exports
