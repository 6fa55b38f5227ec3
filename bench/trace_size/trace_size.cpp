// SPDX-License-Identifier: BSD-3-Clause
// The size of traces of real programs, the number of unmatched messages, and the speed of reading.
//
// LAMMPS and HPCC come from the distribution and run with its Open MPI; IMB comes from Intel and
// runs with MPICH 5. Programs that are not installed are reported and left out.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/failure.hpp"
#include "base/json_file.hpp"
#include "base/subprocess.hpp"
#include "plait/error.hpp"
#include "trace/trace.hpp"

namespace {

namespace fs = std::filesystem;
using plait::trace::Trace;

constexpr double kBound = 10;  // bytes per call

class Scratch {
public:
  Scratch() {
    std::string pattern = (fs::temp_directory_path() / "plait-trace-size-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) {
      throw plait::Error("the benchmark", "cannot create a folder for runs", "set TMPDIR");
    }
    path_ = pattern;
  }
  ~Scratch() {
    std::error_code none;
    fs::remove_all(path_, none);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

private:
  fs::path path_;
};

struct Program {
  std::string name;
  std::vector<std::string> launcher, command;  // the path of the program first
  std::string libraries = {};                  // folder; empty: the system's
  bool typical = true;                         // included in the figure
};

struct Result {
  double bytes_per_event = 0, events_per_s = 0;
  std::uint64_t unmatched = 0;
};

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void write_inputs(const fs::path& folder) {
  std::ofstream(folder / "in.melt") << R"(units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 8 0 8 0 8
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify every 20 delay 0 check no
fix 1 all nve
thermo 100
run 1000
)";
  // The example of HPCC, small enough for two cores, with a 1 x 2 grid of ranks.
  const fs::path example = "/usr/share/doc/hpcc/examples/_hpccinf.txt";
  if (!fs::exists(example)) {
    return;
  }
  std::istringstream lines(plait::read_text_file(example));
  std::ofstream out(folder / "hpccinf.txt");
  for (std::string line; std::getline(lines, line);) {
    const std::string_view text = line;
    out << (text.ends_with(" Ns")   ? "200 Ns"
            : text.ends_with(" Ps") ? "1 Ps"
            : text.ends_with(" Qs") ? "2 Qs"
                                    : text)
        << '\n';
  }
}

std::vector<Program> programs() {
  const std::string openmpi = PLAIT_MPIEXEC_OPENMPI, mpich = PLAIT_MPIEXEC_MPICH;
  const fs::path mpich5 = fs::path(PLAIT_IMB).parent_path().parent_path().parent_path() / "mpich5";
  std::vector<Program> all;
  for (const char* ranks : {"2", "4"}) {
    const std::vector<std::string> launcher = {openmpi,           "-n",        ranks,
                                               "--oversubscribe", "--bind-to", "none"};
    all.push_back({fmt::format("LAMMPS, melt, {} ranks", ranks),
                   launcher,
                   {plait::find_in_path("lmp"), "-in", "in.melt", "-log", "none"},
                   ""});
    all.push_back({fmt::format("HPCC, {} ranks", ranks), launcher, {plait::find_in_path("hpcc")}});
  }
  all.push_back({"IMB, MPICH 5, 2 ranks",
                 {(mpich5 / "bin" / "mpiexec").string(), "-n", "2"},
                 {PLAIT_IMB, "-iter", "1000", "-iter_policy", "off", "-msglog", "0:6", "PingPong",
                  "Sendrecv", "Allreduce"},
                 (mpich5 / "lib").string()});
  all.push_back({"exchanges, MPICH, 2 ranks",
                 {mpich, "-n", "2"},
                 {PLAIT_EXCHANGES_MPICH, "1600000"},
                 "",
                 false});
  all.push_back({"exchanges, Open MPI, 2 ranks",
                 {openmpi, "-n", "2", "--bind-to", "none"},
                 {PLAIT_EXCHANGES_OPENMPI, "1600000"},
                 "",
                 false});
  return all;
}

bool is_there(const std::string& program) {
  return !program.empty() && ::access(program.c_str(), X_OK) == 0;
}

std::uint64_t packed_bytes(const fs::path& run) {
  std::uint64_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(run / "trace")) {
    bytes += entry.file_size();
  }
  return bytes;
}

Result measure(const Program& program, const fs::path& folder) {
  const fs::path run = folder / "run";
  fs::remove_all(run);
  std::vector<std::string> command = {PLAIT_COMMAND, "run",      "--trace",    "--no-report",
                                      "--quiet",     "--output", run.string(), "--"};
  command.insert(command.end(), program.launcher.begin(), program.launcher.end());
  command.insert(command.end(), program.command.begin(), program.command.end());
  std::vector<std::pair<std::string, std::string>> environment = {
      {"OMP_NUM_THREADS", "1"}, {"OMPI_MCA_mpi_yield_when_idle", "1"}};
  for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"}) {
    environment.emplace_back(name, "1");
  }
  if (!program.libraries.empty()) {
    environment.emplace_back("LD_LIBRARY_PATH", program.libraries);
  }
  // The programs read their input from the current folder.
  const fs::path before = fs::current_path();
  fs::current_path(folder);
  const auto ended = plait::run_command(command, std::chrono::minutes(5), {}, environment);
  fs::current_path(before);
  if (ended.exit_code != 0) {
    throw plait::Failure(program.name, "the measured program failed", ended.err);
  }
  const double began = now_s();
  const Trace trace = plait::trace::read_trace(run);
  const double read_s = now_s() - began;
  const auto events = static_cast<double>(plait::trace::event_count(trace));
  Result result;
  result.bytes_per_event = static_cast<double>(packed_bytes(run)) / events;
  result.events_per_s = events / read_s;
  result.unmatched = trace.unmatched_sends + trace.unmatched_receives;
  fmt::print("{:<30} {:>10} {:>10} {:>10} {:>9} {:>12.2f} {:>10.1f}\n", program.name,
             trace.ranks.size(), static_cast<std::uint64_t>(events), trace.messages.size(),
             result.unmatched, result.bytes_per_event, result.events_per_s * 1e-6);
  for (const std::string& problem : trace.problems) {
    fmt::print("  {}\n", problem);
  }
  return result;
}

}  // namespace

int main() {
  try {
    const Scratch scratch;
    write_inputs(scratch.path());
    fmt::print("{:<30} {:>10} {:>10} {:>10} {:>9} {:>12} {:>10}\n", "program", "ranks", "events",
               "messages", "unmatched", "bytes/event", "M read/s");
    double largest = 0, fastest = 0;
    std::uint64_t unmatched = 0;
    for (const Program& program : programs()) {
      if (!is_there(program.command.front()) || !is_there(program.launcher.front())) {
        fmt::print("{:<30} left out: it is not installed\n", program.name);
        continue;
      }
      const Result result = measure(program, scratch.path());
      largest = std::max(largest, program.typical ? result.bytes_per_event : 0);
      fastest = std::max(fastest, program.typical ? 0 : result.events_per_s);
      unmatched += result.unmatched;
    }
    // An event is one call or several calls that found nothing, so this is an upper bound.
    fmt::print("\nRESULT trace_bytes_per_call {:.2f} B (at most {:.0f})\n", largest, kBound);
    fmt::print("RESULT trace_unmatched {} messages (at most 0)\n", unmatched);
    fmt::print("RESULT trace_read_events_per_s {:.3g} 1/s\n", fastest);
    return largest <= kBound && unmatched == 0 ? 0 : 1;
  } catch (const plait::Error& error) {
    fmt::print(stderr, "trace_size: {}\n", error.what());
    return plait::exit_code_of(error);
  }
}
