// SPDX-License-Identifier: BSD-3-Clause
// Formats results as text, as lines of HPL, and as JSON.
#include "report.hpp"

#include <cinttypes>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "blas.hpp"
#include "plait/error.hpp"

namespace plait::lu {
namespace {

/// A string, like printf.
[[gnu::format(printf, 1, 2)]] std::string text_of(const char* format, ...) {
  char line[512];
  std::va_list values;
  va_start(values, format);
  std::vsnprintf(line, sizeof line, format, values);
  va_end(values);
  return line;
}

const char* name(ScheduleKind kind) {
  return kScheduleNames[static_cast<std::size_t>(kind)];
}
const char* name(BroadcastKind kind) {
  return kBroadcastNames[static_cast<std::size_t>(kind)];
}
const char* name(SwapKind kind) {
  return kSwapNames[static_cast<std::size_t>(kind)];
}
const char* name(Pivoting kind) {
  return kind == Pivoting::partial ? "partial" : "none";
}

int threads_of(const RunOptions& run) {
  return run.schedule == ScheduleKind::mpi ? 1 : run.factorization.threads;
}

int depth_of(const RunOptions& run) {
  return run.factorization.look_ahead || run.schedule == ScheduleKind::tc ? 1 : 0;
}

double cores(const RunOptions& run) {
  return static_cast<double>(run.process_rows) * run.process_columns * threads_of(run);
}

}  // namespace

std::string report(const Result& result, const DgemmRate& dgemm) {
  const RunOptions& run = result.options;
  const FactorizationOptions& factorization = run.factorization;
  const int threads = threads_of(run);
  std::string text =
      text_of("N %d in blocks of %d on %dx%d ranks x %d %s, %s\n", run.problem.size,
              factorization.block, run.process_rows, run.process_columns, threads,
              threads == 1 ? "thread" : "threads", name(run.schedule)) +
      text_of("pivoting %s, broadcast %s, swap %s, look-ahead %d, %s\n",
              name(factorization.pivoting), name(factorization.broadcast), name(factorization.swap),
              depth_of(run), blas_name().c_str()) +
      text_of("time %.4f s, %.2f GFLOP/s\n", result.seconds, result.flops_per_s() / 1e9);
  if (dgemm.before > 0) {
    const double most = std::max(dgemm.before, dgemm.after) * cores(run);
    text += text_of("DGEMM %.2f GFLOP/s per core before and %.2f after; reached %.1f %% of it\n",
                    dgemm.before / 1e9, dgemm.after / 1e9, 100 * result.flops_per_s() / most);
  }
  return text + text_of("residual %.3e, %s\nchecksum %016" PRIx64 "\n", result.residual,
                        result.passed() ? "passed" : "FAILED", result.checksum);
}

std::string hpl_lines(const Result& result) {
  const RunOptions& run = result.options;
  const FactorizationOptions& factorization = run.factorization;
  // The panel factorization is recursive and right-looking, in halves, down to 8 columns.
  return text_of("W%c%d%dR2R8%15d %5d %5d %5d %18.2f %18.4e\n",
                 run.order == RankOrder::row_major ? 'R' : 'C', depth_of(run),
                 static_cast<int>(factorization.broadcast), run.problem.size, factorization.block,
                 run.process_rows, run.process_columns, result.seconds,
                 result.flops_per_s() / 1e9) +
         text_of("||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)= %16.7e ...... %s\n",
                 result.residual, result.passed() ? "PASSED" : "FAILED");
}

void write_json(const std::string& path, const std::vector<std::string>& command,
                const std::vector<Result>& results, const DgemmRate& dgemm) {
  nlohmann::ordered_json json{{"schema", "plait-lu"},
                              {"schema_version", 1},
                              {"plait_version", PLAIT_VERSION},
                              {"command", command},
                              {"blas", blas_name()}};
  if (dgemm.before > 0) {
    json["dgemm_flops_per_s"] = {{"before", dgemm.before}, {"after", dgemm.after}};
  }
  json["runs"] = nlohmann::ordered_json::array();
  for (const Result& result : results) {
    const RunOptions& run = result.options;
    const FactorizationOptions& factorization = run.factorization;
    nlohmann::ordered_json one{{"size", run.problem.size},
                               {"block", factorization.block},
                               {"process_rows", run.process_rows},
                               {"process_columns", run.process_columns},
                               {"threads", threads_of(run)},
                               {"schedule", name(run.schedule)},
                               {"pivoting", name(factorization.pivoting)},
                               {"broadcast", name(factorization.broadcast)},
                               {"swap", name(factorization.swap)},
                               {"look_ahead", depth_of(run)},
                               {"time_s", result.seconds},
                               {"flops_per_s", result.flops_per_s()}};
    // NaN is not a number in JSON.
    if (!std::isnan(result.residual)) one["residual"] = result.residual;
    one["passed"] = result.passed();
    one["checksum"] = text_of("%016" PRIx64, result.checksum);
    json["runs"].push_back(std::move(one));
  }
  std::ofstream file(path);
  file << json.dump(2) << "\n" << std::flush;
  if (!file) {
    throw Error("--json " + path, "cannot be written", "check that the file system is not full");
  }
}

}  // namespace plait::lu
