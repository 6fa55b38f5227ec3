// SPDX-License-Identifier: BSD-3-Clause
// Sums of counts of several threads, corrected for multiplexing.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/job.hpp"
#include "report/resources.hpp"

namespace plait::report {

/// Sums of values that counted different parts of their time.
struct CountEstimate {
  double value = 0;
  double enabled_s = 0, known_s = 0, running_s = 0;

  void add(const trace::CounterValue& at);
  /// Nothing if it never counted.
  [[nodiscard]] std::optional<double> total() const;
};

/// Sums of one place for each counter.
struct CountedPlace {
  double outside_s = 0, inside_s = 0;
  std::vector<CountEstimate> outside, inside;

  /// @param columns  of the counters of `sums`, as CountedEvents::columns_of() returns them
  void add(const trace::CounterSums& sums, const std::vector<std::size_t>& columns);
  static std::vector<std::optional<double>> totals(const std::vector<CountEstimate>& of,
                                                   std::size_t events);
};

/// The events of all ranks by name, and where each rank's counters are among them.
class CountedEvents {
public:
  explicit CountedEvents(const Job& job);

  [[nodiscard]] std::vector<std::size_t> columns_of(const trace::RankRecord& record) const;

  std::vector<CounterEventRow> rows;

private:
  void add(const trace::Counter& counter);

  std::map<std::string, std::size_t> at_;
};

}  // namespace plait::report
