// SPDX-License-Identifier: BSD-3-Clause
// A trace as Dimemas reads it (Dimemas 5: Simulator/input/file_data_access.h).
//
//   d:1:comm:size:task:...                     a communicator
//   1:task:thread:seconds                      computation
//   2:task:thread:to:-1:bytes:tag:comm:how     a send; how: 1 synchronous, 2 non-blocking
//   3:task:thread:from:-1:bytes:tag:comm:what  0 receive, 1 non-blocking receive, 2 wait for it
//   10:task:thread:operation:comm:is root:root thread:sent:received:when
//                                              a collective; when: 0 begun, 1 at once, 2 wait for
//                                              it
//
// A partner's thread is -1: whichever asks. Each message has a tag of its own, so that the recorded
// match holds.
#include <algorithm>
#include <limits>
#include <map>
#include <memory>

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

/// Dimemas' numbers of collectives (common_utilities/EventEncoding.h).
int operation_number(Pattern pattern) {
  switch (pattern) {
    case Pattern::kBarrier:
      return 0;
    case Pattern::kBroadcast:
      return 1;
    case Pattern::kGather:
      return 2;
    case Pattern::kScatter:
      return 4;
    case Pattern::kAllgather:
      return 6;
    case Pattern::kAlltoall:
      return 8;
    case Pattern::kReduce:
      return 10;
    case Pattern::kAllreduce:
      return 11;
    case Pattern::kReduceScatter:
      return 12;
    case Pattern::kScan:
      return 14;
  }
  return 0;
}

/// Non-blocking ones follow in the same order.
constexpr int kNonBlocking = 16;

enum SendHow { kSynchronous = 1, kImmediate = 2 };
enum ReceiveWhat { kReceive = 0, kIreceive = 1, kWaitForReceive = 2 };
enum CollectiveWhen { kBegun = 0, kAtOnce = 1, kWaitForCollective = 2 };

class DimemasExport {
public:
  DimemasExport(const Request& request, Result& result)
      : result_(result),
        program_(replay::program_of(request.trace, options())),
        out_(request.output, request.replace) {}

  void write() {
    find_comms();
    out_.put("#DIMEMAS:\"plait\":0:");
    out_.print("{}(", program_->ranks());
    for (uint32_t rank = 0; rank < program_->ranks(); ++rank) out_.put(rank == 0 ? "1" : ",1");
    out_.print("),{}\n", comms_.size());
    for (const auto* members : order_) {
      out_.print("d:1:{}:{}", comms_.at(*members), members->size());
      for (const uint32_t member : *members) out_.print(":{}", member);
      out_.put("\n");
    }
    double first_s = std::numeric_limits<double>::max();
    for (uint32_t rank = 0; rank < program_->ranks(); ++rank) {
      first_s = std::min(first_s, program_->start_s(rank));
    }
    program_->rewind();
    for (uint32_t rank = 0; rank < program_->ranks(); ++rank) {
      requests_.clear();
      compute(rank, program_->start_s(rank) - first_s);
      for (Step step = program_->next(rank); step.kind != StepKind::kEnd;
           step = program_->next(rank)) {
        write_step(rank, step);
      }
    }
    result_.bytes = out_.close();
    result_.notes = notes_of(left_out_);
  }

private:
  replay::TraceProgramOptions options() {
    replay::TraceProgramOptions made;
    made.left_out = &left_out_;
    return made;
  }

  /// Communicators are what collectives have as members; the first one, of all ranks, is also that
  /// of messages.
  void find_comms() {
    for (uint32_t rank = 0; rank < program_->ranks(); ++rank) world_.push_back(rank);
    number_of(world_);
    for (uint32_t rank = 0; rank < program_->ranks(); ++rank) {
      for (Step step = program_->next(rank); step.kind != StepKind::kEnd;
           step = program_->next(rank)) {
        if (step.collective != trace::kNone) {
          number_of(*program_->collective(step.collective).members);
        }
      }
    }
  }

  int number_of(const std::vector<uint32_t>& members) {
    const auto [at, is_new] = comms_.try_emplace(members, static_cast<int>(comms_.size()) + 1);
    if (is_new) order_.push_back(&at->first);
    return at->second;
  }

  void compute(uint32_t rank, double seconds) {
    if (seconds > 0) out_.print("1:{}:0:{:.9f}\n", rank, seconds);
  }

  void write_step(uint32_t rank, const Step& step) {
    switch (step.kind) {
      case StepKind::kCompute:
      case StepKind::kCall:
        compute(rank, step.seconds);
        break;
      case StepKind::kSend:
      case StepKind::kIsend: {
        // What waits for nothing is begun and never waited for.
        const bool immediate = step.kind == StepKind::kIsend || step.buffered;
        send(rank, step, (step.synchronous ? kSynchronous : 0) | (immediate ? kImmediate : 0));
        if (step.kind == StepKind::kIsend) remember(step.request, "");
        break;
      }
      case StepKind::kReceive:
        out_.put(receive(rank, step, kReceive));
        break;
      case StepKind::kIreceive:
        out_.put(receive(rank, step, kIreceive));
        remember(step.request, receive(rank, step, kWaitForReceive));
        break;
      case StepKind::kCollective:
        out_.put(collective(rank, step, kAtOnce));
        break;
      case StepKind::kIcollective:
        out_.put(collective(rank, step, kBegun));
        remember(step.request, collective(rank, step, kWaitForCollective));
        break;
      case StepKind::kWait:
        out_.put(requests_[step.request]);
        break;
      case StepKind::kEnd:
        break;
    }
  }

  void send(uint32_t rank, const Step& step, int how) {
    out_.print("2:{}:0:{}:-1:{}:{}:1:{}\n", rank, step.partner, step.bytes, step.tag, how);
  }

  static std::string receive(uint32_t rank, const Step& step, ReceiveWhat what) {
    return fmt::format("3:{}:0:{}:-1:{}:{}:1:{}\n", rank, step.partner, step.bytes, step.tag,
                       static_cast<int>(what));
  }

  std::string collective(uint32_t rank, const Step& step, CollectiveWhen when) {
    const replay::CollectiveStep of = program_->collective(step.collective);
    const int operation = operation_number(of.pattern) + (when == kAtOnce ? 0 : kNonBlocking);
    return fmt::format("10:{}:0:{}:{}:{}:0:{}:{}:{}\n", rank, operation, comms_.at(*of.members),
                       step.partner == of.root ? 1 : 0, of.bytes, of.bytes, static_cast<int>(when));
  }

  /// The line that waits for a request; a send's wait has none.
  void remember(uint32_t request, std::string line) {
    if (request == replay::kNoRequest) return;
    if (request >= requests_.size()) requests_.resize(request + 1);
    requests_[request] = std::move(line);
  }

  Result& result_;
  replay::LeftOut left_out_;
  std::unique_ptr<replay::Program> program_;
  OutputFile out_;
  std::vector<uint32_t> world_;
  std::map<std::vector<uint32_t>, int> comms_;
  std::vector<const std::vector<uint32_t>*> order_;
  std::vector<std::string> requests_;  ///< by number, of the rank at hand
};

}  // namespace

Result write_dimemas(const Request& request) {
  if (request.trace.ranks.empty()) {
    throw Error(request.output.string(), "there is nothing to write: the trace has no ranks", "");
  }
  Result result;
  DimemasExport(request, result).write();
  result.next = "name it in the configuration that Dimemas is started with";
  return result;
}

}  // namespace plait::exports
