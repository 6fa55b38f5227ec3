// SPDX-License-Identifier: BSD-3-Clause
// Formats results as text and as JSON.
#include "report.hpp"

#include <cinttypes>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "plait/error.hpp"

namespace plait::cg {
namespace {

using Json = nlohmann::ordered_json;

/// A string, like printf.
[[gnu::format(printf, 1, 2)]] std::string text_of(const char* format, ...) {
  char line[512];
  std::va_list values;
  va_start(values, format);
  std::vsnprintf(line, sizeof line, format, values);
  va_end(values);
  return line;
}

const char* name(Model model) {
  return kModelNames[static_cast<std::size_t>(model)];
}

template <class RunOptions>
int threads_of(const RunOptions& options) {
  return options.model == Model::mpi ? 1 : options.threads;
}

const char* plural(int count) {
  return count == 1 ? "" : "s";
}

/// The share of the memory bandwidth at which the matrix was read.
template <class AnyResult>
double reached_share(const AnyResult& result) {
  return result.traffic_bytes / result.median_seconds / result.bandwidth.best();
}

template <class AnyResult>
double share_of_best_pass(const AnyResult& result) {
  return result.traffic_bytes / result.median_seconds / result.bandwidth.best_pass;
}

template <class AnyResult>
std::string traffic_line(const AnyResult& result) {
  std::string line =
      text_of("matrix read at %.2f GB/s", result.traffic_bytes / result.seconds / 1e9);
  if (result.bandwidth.best() > 0) {
    const double vectors = result.vector_bytes / result.traffic_bytes;
    line += text_of(", %.1f %% of the memory bandwidth, with all vectors %.1f %%",
                    100 * reached_share(result), 100 * reached_share(result) * (1 + vectors));
    line += text_of(" (medians: read %.2f, copy %.2f GB/s); %.1f %% of the best pass, %.2f GB/s",
                    result.bandwidth.read / 1e9, result.bandwidth.copy / 1e9,
                    100 * share_of_best_pass(result), result.bandwidth.best_pass / 1e9);
  }
  return line + "\n";
}

/// With messages only: without them, tc has no grains.
std::string grain_line(const NasResult& result) {
  if (result.options.model != Model::tc || result.process_columns == 1) return "";
  return text_of("grains of %d rows, %d of them before the first message\n",
                 result.options.grain_rows, result.grains_before);
}

std::string text(const NasResult& result, int /*ranks*/) {
  const NasOptions& run = result.options;
  const int threads = threads_of(run);
  return text_of("class %c, n %d, %.0f entries, %dx%d ranks x %d thread%s, %s\n", run.problem.name,
                 run.problem.size, result.entries, result.process_rows, result.process_columns,
                 threads, plural(threads), name(run.model)) +
         text_of("%s in %d block%s of columns, matrix generated in %.3f s\n",
                 to_string(result.kernel).c_str(), result.column_blocks,
                 plural(result.column_blocks), result.generation_seconds) +
         grain_line(result) +
         text_of("time %.4f s, %.1f Mop/s, %.1f %% in messages\n", result.seconds,
                 result.operations_per_s() / 1e6, 100 * result.message_seconds / result.seconds) +
         traffic_line(result) +
         text_of("zeta %.13f, %s (expected %.13f), |r| %.3e\n", result.zeta,
                 result.passed() ? "verified" : "NOT VERIFIED", run.problem.zeta, result.residual) +
         text_of("checksum %016" PRIx64 "\n", result.checksum);
}

std::string text(const SystemResult& result, int ranks) {
  const SystemOptions& run = result.options;
  const int threads = threads_of(run);
  return text_of("%s, n %" PRId64 ", %.0f entries, %d rank%s x %d thread%s, %s",
                 run.matrix.substr(run.matrix.find_last_of('/') + 1, 200).c_str(), result.size,
                 result.entries, ranks, plural(ranks), threads, plural(threads), name(run.model)) +
         (run.model == Model::automatic ? " (" + result.schedule + ")\n" : "\n") +
         text_of("partition %s, at most %.0f elements received per product, read in %.3f s\n",
                 kPartitionNames[static_cast<std::size_t>(run.partition)], result.received,
                 result.reading_seconds) +
         text_of("time %.4f s, %d iteration%s\n", result.seconds, result.iterations,
                 plural(result.iterations)) +
         (result.seconds > 0 && result.iterations > 0 ? traffic_line(result) : "") +
         text_of("residual %.3e, %s\nchecksum %016" PRIx64 "\n", result.residual,
                 result.converged ? "converged" : "NOT CONVERGED", result.checksum);
}

Json json_of(const NasResult& result) {
  const NasOptions& run = result.options;
  Json json{{"class", std::string(1, run.problem.name)},
            {"size", run.problem.size},
            {"entries", result.entries},
            {"process_rows", result.process_rows},
            {"process_columns", result.process_columns},
            {"threads", threads_of(run)},
            {"schedule", name(run.model)},
            {"kernel", to_string(result.kernel)},
            {"column_blocks", result.column_blocks},
            {"generation_s", result.generation_seconds},
            {"time_s", result.seconds},
            {"message_s", result.message_seconds},
            {"operations_per_s", result.operations_per_s()},
            {"matrix_bytes_per_s", result.traffic_bytes / result.seconds},
            {"vector_bytes_per_s", result.vector_bytes / result.seconds},
            {"zeta", std::isfinite(result.zeta) ? Json(result.zeta) : Json(nullptr)},
            {"residual", std::isfinite(result.residual) ? Json(result.residual) : Json(nullptr)},
            {"passed", result.passed()},
            {"checksum", text_of("%016" PRIx64, result.checksum)}};
  if (!grain_line(result).empty()) {
    json["grain_rows"] = run.grain_rows;
    json["grains_before"] = result.grains_before;
  }
  return json;
}

Json json_of(const SystemResult& result) {
  const SystemOptions& run = result.options;
  return {{"matrix", run.matrix},
          {"size", result.size},
          {"entries", result.entries},
          {"threads", threads_of(run)},
          {"schedule", name(run.model)},
          {"product", result.schedule},
          {"partition", kPartitionNames[static_cast<std::size_t>(run.partition)]},
          {"received_elements", result.received},
          {"reading_s", result.reading_seconds},
          {"time_s", result.seconds},
          {"iterations", result.iterations},
          {"residual", std::isfinite(result.residual) ? Json(result.residual) : Json(nullptr)},
          {"passed", result.converged},
          {"checksum", text_of("%016" PRIx64, result.checksum)}};
}

Json json_of(const Bandwidth& bandwidth) {
  return {{"copy", bandwidth.copy}, {"read", bandwidth.read}};
}

/// With the memory bandwidth, if it was measured.
template <class AnyResult>
Json json_with_bandwidth(const AnyResult& result) {
  Json json = json_of(result);
  if (result.bandwidth.best() > 0 && result.median_seconds > 0) {
    json["memory_bytes_per_s"] = json_of(result.bandwidth);
    json["memory_bandwidth_share"] = reached_share(result);
    json["best_pass_bytes_per_s"] = result.bandwidth.best_pass;
    json["best_pass_share"] = share_of_best_pass(result);
  }
  return json;
}

}  // namespace

bool passed(const Result& result) {
  return std::visit([](const auto& one) { return one.passed(); }, result);
}

std::uint64_t checksum(const Result& result) {
  return std::visit([](const auto& one) { return one.checksum; }, result);
}

std::string report(const Result& result, int ranks) {
  return std::visit([&](const auto& one) { return text(one, ranks); }, result);
}

std::string report(const KernelRates& rates) {
  return text_of("local product: crs %.1f, split %.1f, sell %.1f Mflop/s per rank\n",
                 rates.crs / 1e6, rates.split / 1e6, rates.sell / 1e6);
}

void write_json(const std::string& path, const std::vector<std::string>& command, int ranks,
                const std::vector<Result>& results, const BandwidthAround& bandwidth,
                const KernelRates& rates) {
  Json json{{"schema", "plait-cg"},
            {"schema_version", 1},
            {"plait_version", PLAIT_VERSION},
            {"command", command},
            {"ranks", ranks}};
  if (bandwidth.before.best() > 0) {
    json["bytes_per_s"] = {{"before", json_of(bandwidth.before)},
                           {"after", json_of(bandwidth.after)}};
  }
  if (rates.crs > 0) {
    json["kernel_flops_per_s"] = {{"crs", rates.crs}, {"split", rates.split}, {"sell", rates.sell}};
  }
  json["runs"] = Json::array();
  for (const Result& result : results) {
    json["runs"].push_back(
        std::visit([](const auto& one) { return json_with_bandwidth(one); }, result));
  }
  std::ofstream file(path);
  file << json.dump(2) << "\n" << std::flush;
  if (!file) {
    throw Error("--json " + path, "cannot be written", "check that the file system is not full");
  }
}

}  // namespace plait::cg
