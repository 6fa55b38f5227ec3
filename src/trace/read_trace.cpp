// SPDX-License-Identifier: BSD-3-Clause
// Reads the packed or raw trace of a run and matches it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "base/combine.hpp"
#include "base/parallel.hpp"
#include "base/spare_room.hpp"
#include "plait/error.hpp"
#include "trace/clocks.hpp"
#include "trace/decode_events.hpp"
#include "trace/event_source.hpp"
#include "trace/merge_definitions.hpp"
#include "trace/rank_selection.hpp"
#include "trace/trace.hpp"
#include "trace/trace_files.hpp"

namespace plait::trace {

namespace {

using Sources = std::vector<std::unique_ptr<EventSource>>;

/// What could not be read.
struct Losses {
  std::vector<std::string> problems;
  std::string damage;  ///< see Trace
};

/// Opens all files. Adds an error to `losses` for each file that cannot be opened; throws the
/// first error when no file can be opened.
Sources open_all(const TraceFiles& files, Losses& losses) {
  Sources sources;
  std::optional<Error> first;
  for (const std::filesystem::path& file : files.files) {
    try {
      sources.push_back(files.packed ? open_packed_events(file) : open_raw_events(file));
    } catch (const Error& error) {
      if (!first) {
        first = error;
      }
      losses.problems.emplace_back(error.what());
    }
  }
  if (sources.empty()) {
    throw *first;
  }
  if (first && losses.damage.empty()) losses.damage = first->what();
  return sources;
}

/// Keeps one source for each rank, ranks ascending. Leaves out ranks of a world that is too large
/// for the number of files: its size is damaged, as each rank of a run writes a file.
void keep_ranks(Sources& sources, Losses& losses) {
  std::erase_if(sources, [](const auto& at) { return at->definitions().world_rank < 0; });
  const std::size_t most = most_ranks(sources.size());
  const std::size_t impossible = std::erase_if(sources, [&](const auto& at) {
    return static_cast<std::size_t>(at->definitions().world_size) > most;
  });
  if (impossible > 0) {
    losses.problems.push_back(fmt::format(
        "{} files were left out because their number of ranks, more than {}, is impossible",
        impossible, most));
    if (losses.damage.empty()) losses.damage = losses.problems.back();
  }
  const auto rank = [](const auto& at) { return at->definitions().world_rank; };
  std::ranges::stable_sort(sources, {}, rank);
  const auto again = std::unique(sources.begin(), sources.end(),
                                 [&](const auto& a, const auto& b) { return rank(a) == rank(b); });
  if (again != sources.end()) {
    losses.problems.push_back(
        fmt::format("{} processes were left out because another process has the same rank (several "
                    "MPI_COMM_WORLDs: processes were spawned, or the run started several jobs)",
                    sources.end() - again));
  }
  sources.erase(again, sources.end());
}

template <class Archive>
void fields(Archive& archive, Losses& of) {
  archive(of.problems, of.damage);
}

/// What a process that reads a rank tells the others.
struct ReadRank {
  struct Thread {
    int tid, omp_thread;
  };
  Losses losses;
  std::vector<Thread> threads;
  std::int64_t begin = 0, end = 0, first_begin = 0;
  std::uint64_t events = 0;
  bool has_gaps = false;
};

template <class Archive>
void fields(Archive& archive, ReadRank& of) {
  archive(of.losses, of.threads, of.begin, of.end, of.first_begin, of.events, of.has_gaps);
}

/// Does what all processes do alike.
/// @throws CommonError when one of them throws an Error, if there are several
template <class Work>
void do_alike(Processes* processes, Work work) {
  if (processes == nullptr || processes->size() == 1) return work();
  std::string problem;
  try {
    work();
  } catch (const Error& error) {
    problem = error.what();
  }
  for (const std::string& one : processes->exchange(problem)) {
    if (!one.empty()) throw CommonError(one);
  }
}

class TraceReader {
public:
  /// @param name  of the run directory
  TraceReader(Sources sources, std::string name, unsigned threads, Processes* processes)
      : sources_(std::move(sources)),
        name_(std::move(name)),
        threads_(threads),
        processes_(processes) {}

  Trace read(Losses losses) {
    keep_ranks(sources_, losses);
    trace_.problems = std::move(losses.problems);
    trace_.damage = std::move(losses.damage);
    lay_out_ranks();
    find_left_out();
    align();
    merge_definitions();
    compare(fmt::format("{} {} {} {} {}", numbers_, trace_.shapes.size(), trace_.sites.size(),
                        trace_.comms.size(), trace_.regions.size()));
    if (processes_ != nullptr) share_ranks(trace_, *processes_);
    trace_.is_part = can_be_part();
    read_ranks();
    if (!trace_.is_part) {
      do_alike(processes_, [&] { leave_out_ranks_in_gaps(); });
    }
    begin_at_zero();
    const std::size_t recorded = sources_.size() + without_file_;
    if (trace_.ranks.size() > recorded) {
      trace_.problems.push_back(fmt::format("{} of {} ranks have no events",
                                            trace_.ranks.size() - recorded, trace_.ranks.size()));
    }
    match(trace_, threads_, trace_.is_part ? processes_ : nullptr);
    if (!trace_.is_part) {
      compare(fmt::format("{} {} {}", event_count(trace_), trace_.messages.size(),
                          trace_.problems.size()));
    }
    return std::move(trace_);
  }

private:
  void lay_out_ranks() {
    int ranks = 0;
    for (const auto& source : sources_) ranks = std::max(ranks, source->definitions().world_size);
    trace_.ranks.resize(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) {
      trace_.ranks[static_cast<std::size_t>(rank)].world_rank = rank;
    }
    first_begin_.assign(trace_.ranks.size(), std::numeric_limits<std::int64_t>::max());
  }

  /// The ranks without a file that --trace-ranks does not name.
  void find_left_out() {
    std::string traced;
    for (const auto& source : sources_) {
      if (traced.empty()) traced = source->definitions().traced_ranks;
    }
    if (!is_rank_selection(traced.c_str())) return;
    for (Rank& rank : trace_.ranks) rank.left_out = !selects_rank(traced.c_str(), rank.world_rank);
    for (const auto& source : sources_) rank_of(source->definitions()).left_out = false;
    trace_.left_out =
        static_cast<std::uint32_t>(std::ranges::count(trace_.ranks, true, &Rank::left_out));
    without_file_ = trace_.left_out;
  }

  /// True if a rank recorded something else than MPI_Init, MPI_Finalize and what lasted longer.
  static bool recorded_a_part(const Rank& rank) {
    const auto in_part = [&](const Event& event) {
      return event.end > rank.begin && event.begin < rank.end &&
             (event.begin >= rank.begin || event.end <= rank.end);
    };
    return std::ranges::any_of(rank.streams, [&](const Stream& stream) {
      return std::ranges::any_of(stream.events, in_part);
    });
  }

  /// A rank that recorded nothing between its gaps is left out like one that --trace-ranks does not
  /// name.
  void leave_out_ranks_in_gaps() {
    for (Rank& rank : trace_.ranks) {
      if (rank.gaps.empty() || recorded_a_part(rank)) continue;
      const Rank recorded = std::move(rank);
      rank = {};
      rank.world_rank = recorded.world_rank;
      rank.host = recorded.host;
      rank.node = recorded.node;
      rank.complete = recorded.complete;
      rank.left_out = true;
      ++trace_.left_out;
    }
    if (!trace_.ranks.empty() && trace_.left_out == trace_.ranks.size()) {
      throw Error(name_, "no rank recorded events in the part of the run that was to be traced",
                  "see the notes of its report, and give another --trace-region, "
                  "--trace-iterations or --trace-signal");
    }
  }

  void align() {
    std::vector<const ProcessDefinitions*> processes;
    for (const auto& source : sources_) {
      processes.push_back(&source->definitions());
    }
    Alignment aligned = align_clocks(processes);
    clocks_ = std::move(aligned.maps);
    trace_.clock_error_s = aligned.error_s;
    append(aligned.problems);
  }

  void append(const std::vector<std::string>& problems) {
    trace_.problems.insert(trace_.problems.end(), problems.begin(), problems.end());
  }

  /// Merges the definitions of all processes.
  void merge_definitions() {
    DefinitionMerger merger(trace_);
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      const ProcessDefinitions& process = sources_[i]->definitions();
      Rank& rank = rank_of(process);
      rank.host = process.host;
      rank.node = node_of(process.host);
      rank.complete = process.complete;
      rank.lost_events = process.lost_events;
      rank.overwritten_events = process.overwritten_events;
      rank.overhead_ns_per_event = process.overhead_ns_per_event;
      rank.clock = clocks_[i];
      shapes_.push_back(merger.add(process, sources_[i]->shapes()));
      numbers_.push_back(static_cast<std::size_t>(process.world_rank));
    }
  }

  /// Collective. Makes sure that all processes read the same.
  void compare(const std::string& read) const {
    if (processes_ == nullptr) return;
    const std::vector<std::string> all = processes_->exchange(read);
    if (std::ranges::count(all, all.front()) != processes_->size()) {
      throw CommonError(name_, "the nodes read different events",
                        "start plait again when all nodes see all of its files");
    }
  }

  /// True if the processes may divide the trace, as far as its definitions tell.
  [[nodiscard]] bool can_be_part() const {
    if (processes_ == nullptr || processes_->size() == 1 || trace_.ranks.size() <= kRanksTogether) {
      return false;
    }
    const auto is_special = [](const Comm& comm) {
      return !comm.remote_members.empty() || !comm.sources.empty();
    };
    const auto lost_some = [](const Rank& rank) { return rank.overwritten_events > 0; };
    const auto is_one_sided = [](const Shape& of) { return of.kind == EventKind::one_sided; };
    return trace_.left_out == 0 && std::ranges::none_of(trace_.comms, is_special) &&
           std::ranges::none_of(trace_.ranks, lost_some) &&
           std::ranges::none_of(trace_.shapes, is_one_sided);
  }

  /// Decodes the events of all ranks, or of those of this process, each rank by itself.
  void read_ranks() {
    std::vector<ReadRank> read(sources_.size());
    decode(read, [&](std::size_t rank) { return trace_.has(rank); });
    if (trace_.is_part) {
      exchange(read);
      if (std::ranges::any_of(read, &ReadRank::has_gaps)) {
        trace_.is_part = false;
        trace_.events_elsewhere = 0;
        decode(read, [&](std::size_t rank) {
          return rank < trace_.own_ranks().first || rank >= trace_.own_ranks().last;
        });
      }
    }
    for (std::size_t i = 0; i < read.size(); ++i) {
      append(read[i].losses.problems);
      if (trace_.damage.empty()) trace_.damage = read[i].losses.damage;
    }
  }

  /// Decodes the ranks that are chosen.
  template <class Chosen>
  void decode(std::vector<ReadRank>& read, Chosen chosen) {
    for_each_index(
        sources_.size(),
        [&](std::size_t i) {
          if (!chosen(numbers_[i])) return;
          read[i] = read_rank(*sources_[i], shapes_[i]);
          sources_[i].reset();
        },
        threads_);
  }

  /// Collective. Tells the others about the ranks of this process, and sets what it gets to know
  /// about those of the others.
  void exchange(std::vector<ReadRank>& read) {
    std::vector<ReadRank> own;
    for (std::size_t i = 0; i < read.size(); ++i) {
      if (trace_.has(numbers_[i])) own.push_back(std::move(read[i]));
    }
    read = join_lists(processes_, std::move(own));  // both are in the order of the ranks
    for (std::size_t i = 0; i < read.size(); ++i) {
      if (trace_.has(numbers_[i])) continue;
      Rank& rank = trace_.ranks[numbers_[i]];
      rank.begin = read[i].begin;
      rank.end = read[i].end;
      first_begin_[numbers_[i]] = read[i].first_begin;
      trace_.events_elsewhere += read[i].events;
      for (const ReadRank::Thread& thread : read[i].threads) {
        Stream& stream = rank.streams.emplace_back();
        stream.tid = thread.tid;
        stream.omp_thread = thread.omp_thread;
      }
    }
  }

  Rank& rank_of(const ProcessDefinitions& process) {
    return trace_.ranks[static_cast<std::size_t>(process.world_rank)];
  }

  ReadRank read_rank(EventSource& source, const std::vector<MergedShape>& shapes) {
    const ProcessDefinitions& process = source.definitions();
    Rank& rank = rank_of(process);
    ReadRank read;
    Losses& losses = read.losses;
    rank.streams.clear();
    const std::string inconsistent =
        decode_events(source, trace_, shapes, rank.clock, rank, losses.problems);
    losses.problems.insert(losses.problems.end(), source.problems().begin(),
                           source.problems().end());
    losses.damage = source.damage().empty() ? inconsistent : source.damage();
    drop_spare_room(rank.operations);
    drop_spare_room(rank.ended);
    std::int64_t& first = first_begin_[static_cast<std::size_t>(rank.world_rank)];
    for (Stream& stream : rank.streams) {
      drop_spare_room(stream.events);
      drop_spare_room(stream.cpu_waits);
      for (const Event& event : stream.events) first = std::min(first, event.begin);
    }
    // They are in the order in which they became known.
    std::ranges::stable_sort(rank.left_out_operations, {}, &LeftOutOperations::before);
    find_span(rank, rank.clock(process.init_end_ticks));
    if (rank.lost_events > 0) {
      losses.problems.push_back(
          fmt::format("rank {} lost {} events because the trace reached its limit; raise it with "
                      "--trace-limit, or keep the last events with --trace=ring",
                      rank.world_rank, rank.lost_events));
    }
    for (const Stream& stream : rank.streams) {
      read.threads.push_back({stream.tid, stream.omp_thread});
      read.events += stream.events.size();
    }
    read.begin = rank.begin;
    read.end = rank.end;
    read.first_begin = first;
    read.has_gaps = !rank.gaps.empty() || !rank.left_out_operations.empty();
    return read;
  }

  std::uint32_t node_of(const std::string& host) {
    const auto known = std::ranges::find(trace_.nodes, host);
    const auto node = static_cast<std::uint32_t>(known - trace_.nodes.begin());
    if (known == trace_.nodes.end()) {
      trace_.nodes.push_back(host);
    }
    return node;
  }

  /// From the end of Init (ring: the first event kept) to the begin of Finalize or the last event.
  void find_span(Rank& rank, std::int64_t init_end) const {
    rank.begin = rank.overwritten_events > 0 ? std::numeric_limits<std::int64_t>::max() : init_end;
    rank.end = rank.overwritten_events > 0 ? 0 : init_end;
    const auto is_finalize = [&](const Event& event) {
      const std::uint32_t function = trace_.shape(event).function;
      return function != kNone && trace_.functions[function] == "MPI_Finalize";
    };
    for (const Stream& stream : rank.streams) {
      if (stream.events.empty()) {
        continue;
      }
      if (rank.overwritten_events > 0) {
        rank.begin = std::min(rank.begin, stream.events.front().begin);
      }
      const Event& last = stream.events.back();
      rank.end = std::max(rank.end, is_finalize(last) ? last.begin : last.end);
    }
    rank.begin = std::min(rank.begin, rank.end);
  }

  /// Shifts all times so that the trace starts at 0.
  void begin_at_zero() {
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < trace_.ranks.size(); ++i) {
      const Rank& rank = trace_.ranks[i];
      if (!rank.streams.empty()) first = std::min(first, first_begin_[i]);
      if (!rank.host.empty()) first = std::min(first, rank.begin);
    }
    if (first == std::numeric_limits<std::int64_t>::max()) return;
    for_each_index(
        trace_.ranks.size(), [&](std::size_t i) { shift(trace_.ranks[i], first); }, threads_);
  }

  static void shift(Rank& rank, std::int64_t by) {
    for (Stream& stream : rank.streams) {
      for (Event& event : stream.events) {
        event.begin -= by;
        event.end -= by;
      }
      for (CpuWait& wait : stream.cpu_waits) wait.at -= by;
    }
    for (Gap& gap : rank.gaps) {
      gap.begin -= by;
      gap.end -= by;
    }
    for (LeftOutOperations& of : rank.left_out_operations) of.at -= by;
    if (rank.host.empty()) return;
    rank.clock.ns -= static_cast<double>(by);
    rank.begin -= by;
    rank.end -= by;
  }

  Sources sources_;
  std::string name_;
  unsigned threads_;
  Processes* processes_;
  Trace trace_;
  std::vector<std::vector<MergedShape>> shapes_;  // by source
  std::vector<std::size_t> numbers_;              // rank, by source
  std::vector<TickMap> clocks_;                   // by source
  std::vector<std::int64_t> first_begin_;  // of the events of each rank, before the shift to 0
  std::size_t without_file_ = 0;           // ranks that --trace-ranks left out
};

}  // namespace

Trace read_trace(const std::filesystem::path& run_dir, unsigned threads, Processes* processes) {
  Losses losses;
  Sources sources;
  do_alike(processes, [&] {
    if (!std::filesystem::is_directory(run_dir)) {
      throw Error(run_dir.string(),
                  std::filesystem::exists(run_dir) ? "not a run directory" : "no such directory",
                  "pass a run directory that plait run --trace wrote");
    }
    const TraceFiles files = find_trace_files(run_dir);
    if (files.files.empty()) {
      throw Error(run_dir.string(), "no trace in this run", "record one with plait run --trace");
    }
    losses = {files.problems, files.problems.empty() ? "" : files.problems.front()};
    sources = open_all(files, losses);
  });
  return TraceReader(std::move(sources), run_dir.string(), threads, processes)
      .read(std::move(losses));
}

bool has_trace(const std::filesystem::path& run_dir) {
  return !find_trace_files(run_dir).files.empty();
}

}  // namespace plait::trace
