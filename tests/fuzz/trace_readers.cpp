// SPDX-License-Identifier: BSD-3-Clause
// Records, raw and packed traces, check files: read, analysed, replayed, exported and judged.
#include <stdexcept>

#include "analysis/analysis.hpp"
#include "analysis/analysis_json.hpp"
#include "base/json.hpp"
#include "check/job.hpp"
#include "check/judge.hpp"
#include "check/output.hpp"
#include "check/waiting.hpp"
#include "check_trace.hpp"
#include "export/export.hpp"
#include "plait/error.hpp"
#include "readers.hpp"
#include "repair.hpp"
#include "replay/network_text.hpp"
#include "replay/program.hpp"
#include "replay/replay.hpp"
#include "report/analysis_lines.hpp"
#include "report/analysis_sentences.hpp"
#include "report/build.hpp"
#include "report/functions.hpp"
#include "report/job.hpp"
#include "report/page.hpp"
#include "report/phase_counters.hpp"
#include "report/terminal.hpp"
#include "report/timeline.hpp"
#include "report/transport_lines.hpp"
#include "report/wait_lines.hpp"
#include "trace/container.hpp"
#include "trace/function_file.hpp"
#include "trace/trace.hpp"

namespace plait::fuzz {
namespace {

namespace fs = std::filesystem;

trace::PlaceNames names_of(const trace::Trace& trace) {
  return {std::vector<std::string>(trace.sites.size(), "site"),
          std::vector<std::string>(trace.regions.size(), "region"),
          std::vector<std::vector<trace::Frame>>(trace.sites.size())};
}

void analyse(const trace::Trace& trace, const fs::path& run) {
  const trace::PlaceNames names = names_of(trace);
  nlohmann::json value = analysis::to_json(analysis::analyze(trace, nullptr), trace, names.sites);
  value["cpu_taken_fraction"] = 0.0;
  report::add_sentences(value);
  if (fs::is_directory(run / "records")) {
    std::vector<std::string> problems, notes;
    const auto records = trace::read_records(run / "records", &problems);
    report::add_phase_counters(report::main_job(records, notes), trace, nullptr, value);
  }
  use(report::analysis_lines(value, {}));
  use(report::script_json(report::timeline_to_json(trace, names, nullptr)));
}

void replay(const trace::Trace& trace) {
  const auto program = replay::program_of(trace);
  if (program->ranks() == 0) return;
  replay::replay_with_interval(*program, replay::ideal_network());
  replay::replay_with_interval(*program,
                               replay::network_by_hand("latency=2us,bandwidth=10GB/s,eager=64KiB"));
}

/// What the commands do with the trace of a run. An export is slow, so each input gets one.
void use_trace(const fs::path& run, std::size_t choice) {
  const trace::Trace trace = trace::read_trace(run);
  check_trace(trace);
  switch (choice % 4) {
    case 0:
      return analyse(trace, run);
    case 1:
      return replay(trace);
    default: {
      const auto& formats = exports::formats();
      const exports::Format& format = formats[choice / 4 % formats.size()];
      format.write({trace,
                    {},
                    empty_folder("export") / format.default_name,
                    true,
                    1 << 28,
                    names_of(trace)});
    }
  }
}

}  // namespace

void read_record(Bytes bytes) {
  const fs::path records = empty_folder("run/records");
  const auto parts = parts_of(bytes, 2);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    write("run/records/node-" + std::to_string(i) + ".rec", parts[i]);
  }
  report::RunParts run;
  run.run.command = {"mpiexec", "-n", "2", "./app"};
  run.records = trace::read_records(records, &run.record_problems);
  for (const std::string& problem : run.record_problems) {
    if (problem.find(folder().string()) == problem.npos) throw std::logic_error(problem);
  }
  const report::Profile profile = report::assemble_profile(run);
  use(report::terminal_lines(profile, {}));
  use(report::script_json(report::profile_to_json(profile)));
}

void read_functions(Bytes bytes) {
  write("run/records/node-0.functions", bytes);
  const auto file = trace::read_function_file(folder() / "run/records/node-0.rec");
  use(report::function_lines(report::function_rows({{0, *file}}, trace::Symbolizer()), {}));
}

void read_raw_trace(Bytes bytes) {
  empty_folder("run/records");
  const auto parts = parts_of(bytes, 4);
  for (std::size_t i = 0; i < parts.size(); i += 2) {
    const std::string name = "run/records/node-" + std::to_string(i);
    if (parts[i].empty() || parts[i + 1].empty()) continue;
    write(name + ".rec", parts[i]);
    write(name + ".evt", event_file(parts[i + 1]));
  }
  use_trace(folder() / "run", bytes.size());
}

void read_packed_trace(Bytes bytes) {
  empty_folder("run/trace");
  const auto parts = parts_of(bytes, 2);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i].empty()) write("run/trace/" + std::to_string(i) + ".ptrace", packed(parts[i]));
  }
  use_trace(folder() / "run", bytes.size());
}

void read_container(Bytes bytes) {
  const fs::path records = empty_folder("run/records");
  write("run/records/node-0.records", container(bytes));
  std::vector<std::string> problems;
  trace::read_records(records, &problems);
  for (const std::string& problem : problems) {
    if (problem.find(records.string()) == problem.npos) throw std::logic_error(problem);
  }
  for (const fs::path& file : trace::list_all_record_files(records, nullptr)) {
    use(trace::record_file_text(file));
  }
}

void read_check(Bytes bytes) {
  const auto records = empty_folder("check/records");
  const auto parts = parts_of(bytes, 4);
  for (std::size_t i = 0; i < parts.size(); i += 2) {
    const std::string name = "check/records/node-" + std::to_string(i);
    write(name + ".rec", parts[i]);
    write(name + ".chk", check_file(parts[i + 1]));
  }
  const check::Job job = check::read_job(records);
  const auto deadlock = check::find_deadlock(job);
  check::differing_calls(job);
  const check::Verdict verdict =
      check::judge(job, deadlock ? std::optional(deadlock->finding) : std::nullopt);
  use(check::verdict_lines(verdict, {}, false, true));
  use(check::verdict_json(verdict, {})
          .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void read_waiting(Bytes bytes) {
  const std::string content(text_of(bytes));
  try {
    const report::NodeWaiting node = report::parse_waiting(content, "node.wait");
    for (const std::string& line : report::wait_lines({node, node})) use(line);
  } catch (const Error& error) {
    use(error.what());
  }
}

void read_transport(Bytes bytes) {
  const std::string content(text_of(bytes));
  try {
    const report::NodeTransport job = report::parse_transport(content, "job.transport");
    for (const std::string& line : report::transport_lines({job, job})) use(line);
  } catch (const Error& error) {
    use(error.what());
  }
}

}  // namespace plait::fuzz
