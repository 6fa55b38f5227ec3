// SPDX-License-Identifier: BSD-3-Clause
// Generates the matrices of the NAS CG benchmark.
#include "nas_matrix.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "plait/error.hpp"

namespace plait::cg {
namespace {

constexpr double kConditionNumber = 0.1;  // reciprocal
constexpr std::array kClasses{
    NasClass{'S', 1400, 7, 10, 15, 8.5971775078648},
    NasClass{'W', 7000, 8, 12, 15, 10.362595087124},
    NasClass{'A', 14000, 11, 20, 15, 17.130235054029},
    NasClass{'B', 75000, 13, 60, 75, 22.712745482631},
    NasClass{'C', 150000, 15, 110, 75, 28.973605592845},
};

/// The random numbers of the NAS benchmarks: x = 5^13 x modulo 2^46, divided by 2^46.
class NasRandom {
public:
  double next() {
    constexpr std::uint64_t kFactor = 1220703125, kModulus = std::uint64_t{1} << 46;
    state_ = state_ * kFactor % kModulus;
    return std::ldexp(static_cast<double>(state_), -46);
  }

private:
  std::uint64_t state_ = 314159265;
};

/// The sparse random vectors; vector i contains element i with the value 0.5.
struct RandomVectors {
  std::vector<std::int64_t> starts{0};
  std::vector<int> places;
  std::vector<double> values;
  std::vector<double> weights;  ///< of each vector's outer product; their ratio is the condition
};

RandomVectors random_vectors(const NasClass& problem) {
  RandomVectors all;
  const auto count =
      static_cast<std::size_t>(problem.size) * static_cast<std::size_t>(problem.nonzeros + 1);
  all.places.reserve(count);
  all.values.reserve(count);
  NasRandom random;
  random.next();
  int range = 1;
  while (range < problem.size) range *= 2;
  const double ratio = std::pow(kConditionNumber, 1.0 / problem.size);
  double weight = 1;
  for (int i = 0; i < problem.size; ++i) {
    const auto begin = static_cast<std::ptrdiff_t>(all.places.size());
    for (int found = 0; found < problem.nonzeros;) {
      const double value = random.next();
      const auto place = static_cast<int>(range * random.next());
      if (place >= problem.size) continue;
      if (std::find(all.places.begin() + begin, all.places.end(), place) != all.places.end()) {
        continue;
      }
      all.places.push_back(place);
      all.values.push_back(value);
      ++found;
    }
    const auto own = std::find(all.places.begin() + begin, all.places.end(), i);
    if (own == all.places.end()) {
      all.places.push_back(i);
      all.values.push_back(0.5);
    } else {
      all.values[static_cast<std::size_t>(own - all.places.begin())] = 0.5;
    }
    all.starts.push_back(static_cast<std::int64_t>(all.places.size()));
    all.weights.push_back(weight);
    weight *= ratio;
  }
  return all;
}

/// The vectors that have an element in each row of a block.
struct Occurrences {
  std::vector<std::int64_t> starts;
  std::vector<int> vectors;
  std::vector<double> values;
};

Occurrences occurrences_in(const RandomVectors& all, const Span& rows) {
  Occurrences in;
  in.starts.assign(static_cast<std::size_t>(rows.count) + 1, 0);
  const auto row_of = [&](int place) {
    return static_cast<std::size_t>(place) - static_cast<std::size_t>(rows.first);
  };
  const auto count = static_cast<std::size_t>(rows.count);
  for (const int place : all.places) {
    if (row_of(place) < count) ++in.starts[row_of(place) + 1];
  }
  for (std::size_t row = 0; row < count; ++row) in.starts[row + 1] += in.starts[row];
  in.vectors.resize(static_cast<std::size_t>(in.starts.back()));
  in.values.resize(in.vectors.size());
  std::vector<std::int64_t> next(in.starts.begin(), in.starts.end() - 1);
  for (std::size_t vector = 0; vector + 1 < all.starts.size(); ++vector) {
    for (auto k = static_cast<std::size_t>(all.starts[vector]);
         k < static_cast<std::size_t>(all.starts[vector + 1]); ++k) {
      const std::size_t row = row_of(all.places[k]);
      if (row >= count) continue;
      const auto to = static_cast<std::size_t>(next[row]++);
      in.vectors[to] = static_cast<int>(vector);
      in.values[to] = all.values[k];
    }
  }
  return in;
}

/// Adds up the entries of one row after the other.
class RowSum {
public:
  RowSum(const NasClass& problem, const RandomVectors& vectors, const Occurrences& occurrences,
         const Span& rows, const Span& columns)
      : problem_(problem),
        vectors_(vectors),
        occurrences_(occurrences),
        rows_(rows),
        columns_(columns),
        sums_(static_cast<std::size_t>(columns.count)),
        last_row_(static_cast<std::size_t>(columns.count), -1) {}

  /// Computes a row; its columns are then in columns(), in ascending order.
  void compute(int row) {
    found_.clear();
    for (auto i = static_cast<std::size_t>(occurrences_.starts[static_cast<std::size_t>(row)]);
         i < static_cast<std::size_t>(occurrences_.starts[static_cast<std::size_t>(row) + 1]);
         ++i) {
      const auto vector = static_cast<std::size_t>(occurrences_.vectors[i]);
      for (auto k = static_cast<std::size_t>(vectors_.starts[vector]);
           k < static_cast<std::size_t>(vectors_.starts[vector + 1]); ++k) {
        add(row, vectors_.places[k] - columns_.first,
            occurrences_.values[i] * (vectors_.weights[vector] * vectors_.values[k]));
      }
    }
    add(row, rows_.first + row - columns_.first, kConditionNumber - problem_.shift);
    std::sort(found_.begin(), found_.end());
  }

  [[nodiscard]] const std::vector<int>& columns() const { return found_; }
  [[nodiscard]] double at(int column) const { return sums_[static_cast<std::size_t>(column)]; }

private:
  void add(int row, int column, double value) {
    if (column < 0 || column >= columns_.count) return;
    const auto place = static_cast<std::size_t>(column);
    if (last_row_[place] != row) {
      last_row_[place] = row;
      sums_[place] = 0;
      found_.push_back(column);
    }
    sums_[place] += value;
  }

  const NasClass& problem_;
  const RandomVectors& vectors_;
  const Occurrences& occurrences_;
  Span rows_, columns_;
  std::vector<double> sums_;
  std::vector<int> last_row_;
  std::vector<int> found_;
};

}  // namespace

double NasClass::operations() const {
  const double row = static_cast<double>(nonzeros) * (nonzeros + 1);
  return 2.0 * iterations * size * (3 + row + 25 * (5 + row) + 3);
}

double NasClass::most_entries() const {
  return static_cast<double>(size) * (nonzeros + 1) * (nonzeros + 1);
}

NasClass nas_class(const std::string& name) {
  for (const NasClass& one : kClasses) {
    if (name == std::string(1, one.name)) return one;
  }
  throw Error("--class " + name, "invalid value", "use S, W, A, B or C");
}

/// Each thread computes contiguous rows, which are then put together.
LocalRows nas_matrix(const NasClass& problem, const Span& rows, const Span& columns, int threads) {
  const RandomVectors vectors = random_vectors(problem);
  const Occurrences occurrences = occurrences_in(vectors, rows);
  LocalRows all;
  all.starts.assign(static_cast<std::size_t>(rows.count) + 1, 0);
  std::vector<LocalRows> parts(static_cast<std::size_t>(threads));
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int part = 0; part < threads; ++part) {
    LocalRows& own = parts[static_cast<std::size_t>(part)];
    RowSum sum(problem, vectors, occurrences, rows, columns);
    const auto first = static_cast<int>(std::int64_t{rows.count} * part / threads);
    const auto end = static_cast<int>(std::int64_t{rows.count} * (part + 1) / threads);
    for (int row = first; row < end; ++row) {
      sum.compute(row);
      for (const int column : sum.columns()) {
        own.columns.push_back(column);
        own.values.push_back(sum.at(column));
      }
      all.starts[static_cast<std::size_t>(row) + 1] =
          static_cast<std::int64_t>(sum.columns().size());
    }
  }
  for (std::size_t row = 0; row + 1 < all.starts.size(); ++row) {
    all.starts[row + 1] += all.starts[row];
  }
  all.columns = std::move(parts.front().columns);
  all.values = std::move(parts.front().values);
  for (std::size_t part = 1; part < parts.size(); ++part) {
    all.columns.insert(all.columns.end(), parts[part].columns.begin(), parts[part].columns.end());
    all.values.insert(all.values.end(), parts[part].values.begin(), parts[part].values.end());
    parts[part] = {};
  }
  return all;
}

}  // namespace plait::cg
