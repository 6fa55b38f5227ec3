// SPDX-License-Identifier: BSD-3-Clause
// The results of plait-queues as a table and as JSON.
#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/environment.hpp"
#include "base/json.hpp"
#include "base/statistics.hpp"
#include "text/interval.hpp"
#include "text/table.hpp"
#include "text/units.hpp"
#include "text/wrap.hpp"

namespace plait::queues {
namespace {

std::string rate_text(double per_second) {
  return per_second >= 1e6 ? format_number(per_second / 1e6) + " M/s"
                           : format_number(per_second / 1e3) + " k/s";
}

/// The widest interval of the medians of a result, as a fraction of the median.
double spread_of(const Result& result) {
  double widest = 0;
  for (const uint32_t measure : {kLatency, kRate, kBandwidth, kPoll})
    widest = std::max(widest, median_interval(result.samples[measure]).relative_width());
  return widest;
}

nlohmann::ordered_json interval_of(const std::vector<double>& samples) {
  const MedianInterval interval = median_interval(samples);
  return {{"median", interval.median}, {"low", interval.low}, {"high", interval.high}};
}

}  // namespace

std::string table_of(const Options& options, const std::vector<Result>& results) {
  Table table({text_column("design"), number_column("processes"), number_column("latency"),
               number_column("messages"), number_column("bandwidth"), number_column("poll"),
               number_column("memory"), number_column("spread")});
  double least = std::numeric_limits<double>::max(), most = 0;
  for (const Result& result : results) {
    const auto middle = [&](Measure measure) { return median(result.samples[measure]); };
    table.add({result.design->name, std::to_string(result.processes),
               format_seconds(middle(kLatency)), rate_text(middle(kRate)),
               format_bytes_per_second(middle(kBandwidth)), format_seconds(middle(kPoll)),
               format_bytes(result.bytes), format_percent(spread_of(result))});
    least = std::min(least, middle(kBare));
    most = std::max(most, middle(kBare));
  }
  std::string text = table.text() + "\n";
  const std::string legend = fmt::format(
      "{} CPUs of {}; waiting: {}. Medians of {} blocks. latency: 8 B from one of two processes to "
      "the other, while all others wait; a bare cache line between the two takes {}. messages: 8 "
      "B, of all processes together. bandwidth: messages of {} between two. poll: of empty "
      "queues. memory: shared, of all processes. spread: the widest 95 % interval of a median in "
      "the row, as part of the median.",
      cpus(), host_name(), to_string(options.wait), kBlocks,
      format_range(least, most, format_seconds), format_bytes(options.bytes));
  for (const std::string& line : wrap(legend)) text += line + "\n";
  return text;
}

std::string json_of(const Options& options, const std::vector<Result>& results) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Result& result : results) {
    rows.push_back({{"design", result.design->name},
                    {"processes", result.processes},
                    {"bare_line_s", interval_of(result.samples[kBare])},
                    {"latency_s", interval_of(result.samples[kLatency])},
                    {"messages_per_s", interval_of(result.samples[kRate])},
                    {"bytes_per_s", interval_of(result.samples[kBandwidth])},
                    {"poll_s", interval_of(result.samples[kPoll])},
                    {"shared_bytes", result.bytes}});
  }
  const nlohmann::ordered_json all = {{"schema", "plait-queues"},
                                      {"schema_version", 1},
                                      {"plait_version", PLAIT_VERSION},
                                      {"host", host_name()},
                                      {"cpus", cpus()},
                                      {"wait", to_string(options.wait)},
                                      {"message_bytes", options.bytes},
                                      {"blocks", kBlocks},
                                      {"results", rows}};
  return all.dump(1) + "\n";
}

}  // namespace plait::queues
