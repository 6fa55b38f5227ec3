// SPDX-License-Identifier: BSD-3-Clause
// Writes a trace for Dimemas (Dimemas 5: Simulator/input/file_data_access.h).
//
//   d:1:comm:size:task:...                     a communicator
//   1:task:thread:seconds                      computation
//   2:task:thread:to:-1:bytes:tag:comm:how     a send; how: 1 synchronous, 2 non-blocking
//   3:task:thread:from:-1:bytes:tag:comm:what  0 receive, 1 non-blocking receive, 2 wait for it
//   10:task:thread:operation:comm:is root:root thread:sent:received:when
//                                              a collective; when: 0 begun, 1 at once, 2 wait for
//                                              it
//
// A partner's thread is -1: any. Each message has its own tag, which preserves the recorded match.
#include <map>
#include <set>

#include "base/combine.hpp"
#include "export/export.hpp"
#include "export/in_order.hpp"
#include "export/in_turn.hpp"
#include "export/recorded_program.hpp"

namespace plait::exports {
namespace {

using replay::Pattern;
using replay::Step;
using replay::StepKind;
using std::uint32_t;

/// Dimemas' numbers of collectives (common_utilities/EventEncoding.h).
int operation_number(Pattern pattern) {
  switch (pattern) {
    case Pattern::barrier:
      return 0;
    case Pattern::broadcast:
      return 1;
    case Pattern::gather:
      return 2;
    case Pattern::scatter:
      return 4;
    case Pattern::allgather:
      return 6;
    case Pattern::alltoall:
      return 8;
    case Pattern::reduce:
      return 10;
    case Pattern::allreduce:
      return 11;
    case Pattern::reduce_scatter:
      return 12;
    case Pattern::scan:
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
      : request_(request),
        result_(result),
        program_(request.trace, request.processes),
        out_(request.output, request.replace, request.processes) {}

  void write() {
    find_comms();
    out_.put("#DIMEMAS:\"plait\":0:");
    out_.print("{}(", program_.ranks());
    for (uint32_t rank = 0; rank < program_.ranks(); ++rank) out_.put(rank == 0 ? "1" : ",1");
    out_.print("),{}\n", comms_.size());
    for (const auto* members : order_) {
      out_.print("d:1:{}:{}", comms_.at(*members), members->size());
      for (const uint32_t member : *members) out_.print(":{}", member);
      out_.put("\n");
    }
    program_.rewind();
    const IndexRange here = request_.trace.ranks_here();
    const auto events = [&](std::size_t i) {
      return program_.events(static_cast<uint32_t>(here.first + i));
    };
    put_in_turn(out_, request_.processes, [&](Sink& all) {
      put_in_order(all, here.last - here.first, events, [&](Sink& out, std::size_t i) {
        const auto rank = static_cast<uint32_t>(here.first + i);
        Requests requests;
        compute(out, rank, program_.delay_s(rank));
        program_.for_steps(rank, [&](const Step& step) { write_step(out, rank, step, requests); });
      });
    });
    result_.bytes = out_.close();
    result_.notes = program_.notes();
  }

private:
  using Requests = PendingRequests<std::string>;  ///< the line that waits; empty for sends

  /// Each set of members of a collective is a communicator. The first one, of all ranks, is also
  /// used for messages. Collective if there are processes.
  void find_comms() {
    for (uint32_t rank = 0; rank < program_.ranks(); ++rank) world_.push_back(rank);
    number_of(world_);
    // The first collective of each set, in the order of the ranks.
    std::vector<uint32_t> own;
    std::set<const std::vector<uint32_t>*> known;
    const IndexRange here = request_.trace.ranks_here();
    for (auto rank = static_cast<uint32_t>(here.first); rank < here.last; ++rank) {
      program_.for_steps(rank, [&](const Step& step) {
        if (step.collective == trace::kNone) return;
        if (known.insert(program_.collective(step.collective).members).second) {
          own.push_back(step.collective);
        }
      });
    }
    for (const uint32_t collective : join_lists(request_.processes, own)) {
      number_of(*program_.collective(collective).members);
    }
  }

  int number_of(const std::vector<uint32_t>& members) {
    const auto [at, is_new] = comms_.try_emplace(members, static_cast<int>(comms_.size()) + 1);
    if (is_new) order_.push_back(&at->first);
    return at->second;
  }

  static void compute(Sink& out, uint32_t rank, double seconds) {
    if (seconds > 0) out.print("1:{}:0:{:.9f}\n", rank, seconds);
  }

  void write_step(Sink& out, uint32_t rank, const Step& step, Requests& requests) const {
    switch (step.kind) {
      case StepKind::compute:
      case StepKind::call:
        compute(out, rank, step.seconds);
        break;
      case StepKind::send:
      case StepKind::isend: {
        // A buffered send is started and never waited for.
        const bool immediate = step.kind == StepKind::isend || step.buffered;
        send(out, rank, step, (step.synchronous ? kSynchronous : 0) | (immediate ? kImmediate : 0));
        if (step.kind == StepKind::isend) requests.add(step.request, "");
        break;
      }
      case StepKind::receive:
        out.put(receive(rank, step, kReceive));
        break;
      case StepKind::ireceive:
        out.put(receive(rank, step, kIreceive));
        requests.add(step.request, receive(rank, step, kWaitForReceive));
        break;
      case StepKind::collective:
        out.put(collective(rank, step, kAtOnce));
        break;
      case StepKind::icollective:
        out.put(collective(rank, step, kBegun));
        requests.add(step.request, collective(rank, step, kWaitForCollective));
        break;
      case StepKind::wait:
        out.put(requests.of(step.request));
        break;
      case StepKind::signal:  // of threads, which the exported program does not have
      case StepKind::await:
      case StepKind::end:
        break;
    }
  }

  static void send(Sink& out, uint32_t rank, const Step& step, int how) {
    out.print("2:{}:0:{}:-1:{}:{}:1:{}\n", rank, step.partner, step.bytes, step.tag, how);
  }

  static std::string receive(uint32_t rank, const Step& step, ReceiveWhat what) {
    return fmt::format("3:{}:0:{}:-1:{}:{}:1:{}\n", rank, step.partner, step.bytes, step.tag,
                       static_cast<int>(what));
  }

  [[nodiscard]] std::string collective(uint32_t rank, const Step& step, CollectiveWhen when) const {
    const replay::CollectiveStep of = program_.collective(step.collective);
    const int operation = operation_number(of.pattern) + (when == kAtOnce ? 0 : kNonBlocking);
    return fmt::format("10:{}:0:{}:{}:{}:0:{}:{}:{}\n", rank, operation, comms_.at(*of.members),
                       step.partner == of.root ? 1 : 0, of.bytes, of.bytes, static_cast<int>(when));
  }

  const Request& request_;
  Result& result_;
  RecordedProgram program_;
  OutputFile out_;
  std::vector<uint32_t> world_;
  std::map<std::vector<uint32_t>, int> comms_;
  std::vector<const std::vector<uint32_t>*> order_;
};

}  // namespace

Result write_dimemas(const Request& request) {
  require_ranks(request);
  Result result;
  DimemasExport(request, result).write();
  result.next = "name it in the configuration file of Dimemas";
  return result;
}

}  // namespace plait::exports
