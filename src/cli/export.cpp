// SPDX-License-Identifier: BSD-3-Clause
// plait export: writes a run's trace or samples in the format of another tool.
#include "export/export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/combine.hpp"
#include "base/quantity.hpp"
#include "cli/commands.hpp"
#include "cli/large_blocks.hpp"
#include "cli/otf2_helper.hpp"
#include "cli/packed_trace.hpp"
#include "cli/run_options.hpp"
#include "export/outcome.hpp"
#include "export/samples.hpp"
#include "plait/error.hpp"
#include "processes/processes.hpp"
#include "samples/call_tree.hpp"
#include "samples/on_trace.hpp"
#include "text/counted.hpp"
#include "text/progress.hpp"
#include "text/units.hpp"

namespace plait::cli {
namespace {

constexpr const char* kOtf2 = "otf2";

struct ExportCommand {
  std::string run, format, output;
  std::string from, until, ranks;
  std::string limit = "256MB";
  std::string memory_limit;
  bool force = false;
};

std::string format_names() {
  std::string names = kOtf2;
  for (const exports::Format& format : exports::formats()) {
    names += std::string(", ") + format.name;
  }
  for (const exports::SampleFormat& format : exports::sample_formats()) {
    names += std::string(", ") + format.name;
  }
  return names;
}

std::int64_t nanoseconds(const std::string& text) {
  return text == "0" ? 0 : std::llround(parse_seconds(text) * 1e9);
}

bool selects(const ExportCommand& command) {
  return !command.from.empty() || !command.until.empty() || !command.ranks.empty();
}

void refuse_selection(const ExportCommand& command) {
  if (!selects(command)) return;
  throw Error("--to " + command.format, "this format takes whole traces only",
              "leave out --from, --until and --ranks");
}

std::filesystem::path output_of(const ExportCommand& command, const std::filesystem::path& run,
                                const char* otherwise) {
  return command.output.empty() ? run / otherwise : std::filesystem::path(command.output);
}

exports::Selection selection_of(const ExportCommand& command, const trace::Trace& trace) {
  exports::Selection selection;
  if (!command.from.empty()) selection.from_ns = nanoseconds(command.from);
  if (!command.until.empty()) selection.until_ns = nanoseconds(command.until);
  if (selection.until_ns < selection.from_ns) {
    throw Error("--until " + command.until, "before --from " + command.from,
                "both times count from the start of the trace");
  }
  if (!command.ranks.empty()) {
    selection.ranks = exports::parse_ranks(command.ranks, trace.ranks.size());
  }
  return selection;
}

/// Writes the samples of a run.
int export_samples(const ExportCommand& command, const exports::SampleFormat& format,
                   const std::filesystem::path& run) {
  if (!command.from.empty() || !command.until.empty()) {
    throw Error("--to " + command.format, "this format has no times",
                "leave out --from and --until, or use --to perfetto");
  }
  const std::filesystem::path file = samples::call_tree_file(run);
  if (!std::filesystem::exists(file)) {
    throw Error(run.string(), "this run has no samples", "run the program with plait run --sample");
  }
  const samples::CallTree tree = samples::read_call_tree(file);
  int ranks = 0;
  for (const samples::SampledThread& thread : tree.threads)
    ranks = std::max(ranks, thread.rank + 1);
  exports::SampleRequest request{tree, {}, {}, command.force};
  if (!command.ranks.empty()) {
    request.ranks = exports::parse_ranks(command.ranks, static_cast<std::size_t>(ranks));
  }
  request.output = output_of(command, run, format.default_name);
  const exports::Result result = format.write(request);
  std::uint64_t taken = 0;
  for (const samples::NodeCount& count : tree.counts) {
    if (exports::is_exported(request, count.thread)) taken += count.samples;
  }
  fmt::print("Exported {} to {} ({}).\n", counted(taken, "sample"), request.output.string(),
             format_bytes(result.bytes));
  for (const std::string& note : result.notes) fmt::print("note: {}\n", note);
  fmt::print("Next: {}\n", result.next);
  return 0;
}

/// The samples for a trace; nothing, and a note, if they are damaged.
std::optional<samples::TracedSamples> samples_of(const std::filesystem::path& run,
                                                 const trace::Trace& trace,
                                                 std::vector<std::string>& notes) {
  try {
    return samples::samples_on_trace(run, trace);
  } catch (const Error& error) {
    notes.push_back(std::string("without samples: ") + error.what());
    return {};
  }
}

/// Collective. As above for a trace of which processes have parts: the samples on process 0, and on
/// the others only which threads have some.
std::optional<samples::TracedSamples> samples_of(const std::filesystem::path& run,
                                                 const trace::Trace& trace,
                                                 std::vector<std::string>& notes,
                                                 Processes* processes) {
  struct Lane {
    std::uint32_t rank, stream;
    int thread, tid;
  };
  std::optional<samples::TracedSamples> sampled;
  if (rank_of(processes) == 0) sampled = samples_of(run, trace, notes);
  std::vector<Lane> lanes;
  if (sampled) {
    for (const samples::SampledLane& of : sampled->lanes) {
      lanes.push_back({of.rank, of.stream, of.thread, of.tid});
    }
  }
  broadcast(processes, 0, lanes);
  if (rank_of(processes) == 0 || lanes.empty()) return sampled;
  sampled.emplace();
  for (const Lane& of : lanes) {
    sampled->lanes.push_back({of.rank, of.stream, of.thread, of.tid, {}});
  }
  return sampled;
}

const exports::Format& format_of(const ExportCommand& command) {
  const auto format = std::ranges::find_if(
      exports::formats(), [&](const exports::Format& one) { return command.format == one.name; });
  if (format == exports::formats().end()) {
    throw Error("--to " + command.format, "unknown format", "choose one of " + format_names());
  }
  if (!format->takes_selection) refuse_selection(command);
  return *format;
}

/// Collective if there are processes, which have parts of the trace. Writes a trace, and on process
/// 0 prints what it wrote.
void export_trace(const ExportCommand& command, const exports::Format& format,
                  const std::filesystem::path& run, const trace::Trace& trace,
                  Processes* processes) {
  const bool prints = rank_of(processes) == 0;
  exports::Request request{trace,
                           selection_of(command, trace),
                           output_of(command, run, format.default_name),
                           command.force,
                           0,
                           {}};
  request.processes = processes;
  if (command.format == "chrome") {
    request.limit_bytes = static_cast<std::uint64_t>(parse_bytes(command.limit));
  }
  const exports::Counts counts = exports::counts_of(trace, request.selection, processes);
  exports::require_something(trace, request.selection, counts, processes);
  std::vector<std::string> notes;
  if (prints) request.names = trace::name_places(trace, notes);
  std::optional<samples::TracedSamples> sampled;
  if (format.takes_samples) sampled = samples_of(run, trace, notes, processes);
  if (sampled) request.samples = &*sampled;
  exports::Result result;
  {
    const Progress progress("writing " + request.output.string(), !prints);
    result = format.write(request);
  }
  if (!prints) return;
  notes.insert(notes.end(), result.notes.begin(), result.notes.end());
  exports::print_outcome("Exported", counts, trace.problems, request.output, result.bytes, notes,
                         result.next);
  trace::require_whole(trace, run.string(), "what is left was written");
}

int run_export(const ExportCommand& command, Processes& processes) {
  limit_memory(parse_memory_limit(command.memory_limit), processes.on_node());
  const bool is_first = processes.rank() == 0;
  const std::filesystem::path run = run_or_newest(command.run);
  for (const exports::SampleFormat& format : exports::sample_formats()) {
    if (command.format == format.name) return is_first ? export_samples(command, format, run) : 0;
  }
  const exports::Format& format = format_of(command);
  if (!format.takes_parts && !is_first) return 0;
  trace::Trace trace = read_trace(run, format.takes_parts ? &processes : nullptr);
  if (!trace.is_part && !is_first) return 0;
  // A program to replay would compute in the gaps.
  if (!format.takes_selection) trace::cut_gaps(trace);
  export_trace(command, format, run, trace, trace.is_part ? &processes : nullptr);
  return 0;
}

/// Writes OTF2 by a helper, which takes the place of this process.
int run_export_otf2(const ExportCommand& command) {
  limit_memory(parse_memory_limit(command.memory_limit));
  const std::filesystem::path run = run_or_newest(command.run);
  refuse_selection(command);
  if (!command.memory_limit.empty()) {
    throw Error("--memory-limit", "--to otf2 does not support it", "leave it out");
  }
  run_otf2_helper("--to otf2",
                  {"export", run.string(), output_of(command, run, "export/otf2").string()},
                  command.force);
}

}  // namespace

void add_export(Command& plait) {
  const auto options = std::make_shared<ExportCommand>();
  Command& command = plait.add_command(
      "export", "Write a run's trace or samples in the format of another tool", group::tools);
  add_run_argument(command, options->run);
  Option& to =
      command.option("--to", "FORMAT", options->format, "Format: " + format_names()).required();
  to.hints.emplace_back(kOtf2);
  for (const exports::Format& format : exports::formats()) to.hints.emplace_back(format.name);
  for (const exports::SampleFormat& format : exports::sample_formats()) {
    to.hints.emplace_back(format.name);
  }
  command.option("-o,--output", "PATH", options->output, "File or folder to write")
      .defaults_to("RUN/export/...")
      .completes(Complete::file);
  command.option("--from", "TIME", options->from,
                 "Leave out what ends before this time: 1.5s, 200ms");
  command.option("--until", "TIME", options->until, "Leave out what begins after this time");
  command.option("--ranks", "RANKS", options->ranks, "Export these ranks only: 0-3,8");
  command.option("--limit", "SIZE", options->limit, "Largest file that --to chrome writes")
      .defaults_to("256MB");
  add_memory_limit(command, options->memory_limit);
  command.flag("--force", options->force, "Replace an existing file or folder");
  command.action([options] {
    // The helper takes the place of this process, which must not be one of an MPI job then.
    if (options->format == kOtf2) {
      return run_on_first_process([&] { return run_export_otf2(*options); });
    }
    return run_on_processes([&](Processes& processes) { return run_export(*options, processes); });
  });
}

}  // namespace plait::cli
