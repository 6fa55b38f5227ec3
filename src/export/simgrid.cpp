// SPDX-License-Identifier: BSD-3-Clause
// Writes a trace as a time-independent trace of SimGrid: actions of each rank for smpirun -replay,
// with hosts and an ideal platform.
//
// Actions are those of SimGrid 3.32, smpi_replay.cpp. A flop represents a nanosecond, and the
// platform's hosts do 1 Gflop/s. Each message has its own tag, which preserves the recorded match;
// SimGrid identifies a request by source, destination and tag.
#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/combine.hpp"
#include "base/parallel.hpp"
#include "export/collective_messages.hpp"
#include "export/export.hpp"
#include "export/in_order.hpp"
#include "export/in_turn.hpp"
#include "export/message_order.hpp"
#include "export/output_file.hpp"
#include "export/recorded_program.hpp"
#include "trace/swap_ends.hpp"

namespace plait::exports {
namespace {

using replay::Pattern;
using replay::Step;
using replay::StepKind;
using std::uint32_t;
using std::uint64_t;

/// Counts are ints; longer messages are counted in doubles (type 0) instead of bytes (type 6).
constexpr uint64_t kMostCounted = 0x7fffffff;

struct Amount {
  uint64_t count;
  int type;
};

/// A receive of 0 bytes would probe first, which waits, so both sides use 1 byte instead.
Amount amount_of(uint64_t bytes) {
  if (bytes <= kMostCounted) return {std::max<uint64_t>(bytes, 1), 6};
  return {std::min((bytes + 7) / 8, kMostCounted), 0};
}

/// A piece of a rank's file, which follows it.
struct PieceHeader {
  uint64_t bytes = 0;
  uint32_t rank = 0;
  bool is_last = false;
};

/// Divides the text of a rank into pieces with headers.
class RankPieces final : public Sink {
public:
  RankPieces(Sink& out, uint32_t rank) : out_(out), rank_(rank) {
    buffer_.resize(sizeof(PieceHeader));
  }

  void end() { put_piece(true); }

private:
  void full() override { put_piece(false); }

  void put_piece(bool is_last) {
    const PieceHeader header{buffer_.size() - sizeof header, rank_, is_last};
    std::memcpy(buffer_.data(), &header, sizeof header);
    out_.put({buffer_.data(), buffer_.size()});
    buffer_.resize(sizeof header);
  }

  Sink& out_;
  uint32_t rank_;
};

/// The numbers of the messages to own ranks whose sends are synchronous, ascending. Collective if
/// the trace is a part.
std::vector<uint32_t> synchronous_messages(const Request& request, const MessageOrder& order) {
  const trace::Trace& trace = request.trace;
  const auto is_synchronous = [](const trace::Shape& shape) {
    return (shape.flags & PLAIT_SHAPE_SYNCHRONOUS) != 0;
  };
  std::vector<uint32_t> numbers;
  if (std::ranges::none_of(trace.shapes, is_synchronous)) return numbers;
  const auto has_synchronous_send = [&](const trace::Message& of) {
    return trace.has(of.sender) &&
           is_synchronous(trace.shapes[trace.ranks[of.sender].operations[of.send].shape]);
  };
  std::vector<char> far;
  if (trace.is_part) {
    far = trace::swap_ends(trace, *request.processes, [&](const trace::Message& of) {
      return static_cast<char>(has_synchronous_send(of));
    });
  }
  const std::size_t first_far = trace.messages.size() - far.size();
  for (std::size_t at = 0; at < trace.messages.size(); ++at) {
    const trace::Message& of = trace.messages[at];
    if (!trace.has(of.receiver)) continue;
    if (at < first_far ? has_synchronous_send(of) : far[at - first_far] != 0) {
      numbers.push_back(order.number(at));
    }
  }
  std::ranges::sort(numbers);
  return numbers;
}

class SimgridExport {
public:
  SimgridExport(const Request& request, Result& result)
      : request_(request),
        result_(result),
        program_(request.trace, request.processes),
        synchronous_(synchronous_messages(request, program_.order())),
        bytes_(program_.ranks(), 0) {}

  /// Collective if there are processes.
  void write() {
    OutputFile list(request_.output / "trace.txt", request_.replace, request_.processes);
    write_ranks();
    if (rank_of(request_.processes) != 0) return;
    for (uint32_t rank = 0; rank < program_.ranks(); ++rank) {
      // smpirun resolves them relative to its working directory.
      list.print("{}\n", std::filesystem::absolute(file_of(rank)).string());
      result_.bytes += bytes_[rank];
    }
    result_.bytes += list.close();
    write_platform();
    result_.notes = program_.notes();
  }

private:
  struct Pending {  // request of a rank
    uint32_t source = 0, destination = 0, tag = 0;
  };

  using Requests = PendingRequests<std::vector<Pending>>;

  [[nodiscard]] std::filesystem::path file_of(uint32_t rank) const {
    return request_.output / fmt::format("rank-{}.txt", rank);
  }

  void write_ranks() {
    const IndexRange here = request_.trace.ranks_here();
    const auto rank_at = [&](std::size_t i) { return static_cast<uint32_t>(here.first + i); };
    if (rank_of(request_.processes) == 0) {
      for_each_index(here.last - here.first, [&](std::size_t i) {
        OutputFile out(file_of(rank_at(i)), request_.replace);
        write_rank(out, rank_at(i));
        bytes_[rank_at(i)] = out.close();
      });
    }
    const auto write_pieces = [&](Sink& all) {
      put_in_order(
          all, here.last - here.first, [&](std::size_t i) { return program_.events(rank_at(i)); },
          [&](Sink& out, std::size_t i) {
            RankPieces pieces(out, rank_at(i));
            write_rank(pieces, rank_at(i));
            pieces.end();
          });
    };
    std::optional<OutputFile> file;
    receive_in_turn(request_.processes, write_pieces,
                    [&](std::string_view pieces) { store(pieces, file); });
  }

  /// Writes pieces to the files of their ranks.
  /// @param file  of the rank whose pieces are not complete
  void store(std::string_view pieces, std::optional<OutputFile>& file) {
    while (!pieces.empty()) {
      PieceHeader header;
      std::memcpy(&header, pieces.data(), sizeof header);
      if (!file) file.emplace(file_of(header.rank), request_.replace);
      file->put(pieces.substr(sizeof header, header.bytes));
      pieces.remove_prefix(sizeof header + header.bytes);
      if (!header.is_last) continue;
      bytes_[header.rank] = file->close();
      file.reset();
    }
  }

  void write_rank(Sink& out, uint32_t rank) {
    Requests requests;
    out.print("{} init\n", rank);
    compute(out, rank, program_.delay_s(rank));
    program_.for_steps(rank, [&](const Step& step) { write_step(out, rank, step, requests); });
    out.print("{} finalize\n", rank);
  }

  static void compute(Sink& out, uint32_t rank, double seconds) {
    if (seconds > 0) out.print("{} compute {:.0f}\n", rank, seconds * 1e9);
  }

  void write_step(Sink& out, uint32_t rank, const Step& step, Requests& requests) const {
    switch (step.kind) {
      case StepKind::compute:
      case StepKind::call:
        compute(out, rank, step.seconds);
        break;
      case StepKind::send:
        transfer(out, rank, "send", step.partner, step.tag, step.bytes);
        if (step.synchronous) transfer(out, rank, "recv", step.partner, step.tag, 0);
        break;
      case StepKind::receive:
        answer(out, rank, step);
        transfer(out, rank, "recv", step.partner, step.tag, step.bytes);
        break;
      case StepKind::isend: {
        transfer(out, rank, "isend", step.partner, step.tag, step.bytes);
        std::vector<Pending> pending{{rank, step.partner, step.tag}};
        if (step.synchronous) {
          transfer(out, rank, "irecv", step.partner, step.tag, 0);
          pending.push_back({step.partner, rank, step.tag});
        }
        requests.add(step.request, std::move(pending));
        break;
      }
      case StepKind::ireceive:
        answer(out, rank, step);
        transfer(out, rank, "irecv", step.partner, step.tag, step.bytes);
        requests.add(step.request, {{step.partner, rank, step.tag}});
        break;
      case StepKind::wait:
        wait(out, rank, requests.of(step.request));
        break;
      case StepKind::collective:
      case StepKind::icollective:
        collective(out, rank, step, requests);
        break;
      case StepKind::signal:  // of threads, which the exported program does not have
      case StepKind::await:
      case StepKind::end:
        break;
    }
  }

  static void transfer(Sink& out, uint32_t rank, const char* action, uint32_t partner, uint32_t tag,
                       uint64_t bytes) {
    const Amount amount = amount_of(bytes);
    out.print("{} {} {} {} {} {}\n", rank, action, partner, tag, amount.count, amount.type);
  }

  /// SimGrid's traces have no synchronous sends. Instead, the sender waits for a message that the
  /// receiver sends when it posts the receive.
  void answer(Sink& out, uint32_t rank, const Step& step) const {
    if (!std::ranges::binary_search(synchronous_, step.tag)) return;
    transfer(out, rank, "isend", step.partner, step.tag, 0);
  }

  static void wait(Sink& out, uint32_t rank, const std::vector<Pending>& requests) {
    for (const Pending& of : requests) {
      out.print("{} wait {} {} {}\n", rank, of.source, of.destination, of.tag);
    }
  }

  void collective(Sink& out, uint32_t rank, const Step& step, Requests& pending) const {
    const replay::CollectiveStep of = program_.collective(step.collective);
    const bool blocking = step.kind == StepKind::collective;
    if (blocking && of_all(*of.members) && named(out, rank, of)) return;
    const std::vector<uint32_t>& members = *of.members;
    // Tags after those of messages. A collective has at most one message from one member to
    // another, so one tag is enough.
    const auto messages = static_cast<uint32_t>(request_.trace.message_count);
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
    if (!blocking) pending.add(step.request, std::move(all));
  }

  [[nodiscard]] bool of_all(const std::vector<uint32_t>& members) const {
    if (members.size() != program_.ranks()) return false;
    for (uint32_t rank = 0; rank < members.size(); ++rank) {
      if (members[rank] != rank) return false;
    }
    return true;
  }

  /// Writes one of SimGrid's own collectives, if its text does not grow with the ranks.
  bool named(Sink& out, uint32_t rank, const replay::CollectiveStep& of) const {
    const auto [count, type] = amount_of(of.bytes);
    switch (of.pattern) {
      case Pattern::barrier:
        out.print("{} barrier\n", rank);
        return true;
      case Pattern::broadcast:
        out.print("{} bcast {} {} {}\n", rank, count, of.root, type);
        return true;
      case Pattern::reduce:
        out.print("{} reduce {} 0 {} {}\n", rank, count, of.root, type);
        return true;
      case Pattern::allreduce:
        out.print("{} allreduce {} 0 {}\n", rank, count, type);
        return true;
      case Pattern::gather:
        out.print("{} gather {} {} {} {} {}\n", rank, count, count, of.root, type, type);
        return true;
      case Pattern::scatter:
        out.print("{} scatter {} {} {} {} {}\n", rank, count, count, of.root, type, type);
        return true;
      case Pattern::allgather:
        out.print("{} allgather {} {} {} {}\n", rank, count, count, type, type);
        return true;
      case Pattern::alltoall: {
        const auto [each, each_type] = amount_of(of.bytes / program_.ranks());
        out.print("{} alltoall {} {} {} {}\n", rank, each, each, each_type, each_type);
        return true;
      }
      case Pattern::reduce_scatter:
      case Pattern::scan:
        break;
    }
    return false;
  }

  /// One host per node with one core per rank, so computations do not share cores.
  void write_platform() {
    std::vector<uint32_t> ranks_of;
    OutputFile hosts(request_.output / "hosts.txt", request_.replace);
    for (uint32_t rank = 0; rank < program_.ranks(); ++rank) {
      const uint32_t node = program_.node_of(rank);
      if (node >= ranks_of.size()) ranks_of.resize(node + 1);
      ++ranks_of[node];
      hosts.print("node-{}\n", node);
    }
    result_.bytes += hosts.close();
    OutputFile platform(request_.output / "platform.xml", request_.replace);
    platform.print(
        R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<!-- One host per node, one core per rank, no latency, unlimited bandwidth; a flop is a nanosecond.
     For another machine change bw (B/s) and lat (s): links of a node, loopback inside a node. -->
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
  RecordedProgram program_;
  std::vector<uint32_t> synchronous_;
  std::vector<uint64_t> bytes_;  ///< by rank, of its file
};

}  // namespace

Result write_simgrid(const Request& request) {
  require_ranks(request);
  if (rank_of(request.processes) == 0) require_folder(request.output, request.replace);
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
