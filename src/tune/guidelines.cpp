// SPDX-License-Identifier: BSD-3-Clause
// Performance guidelines: a collective operation should not be slower than others that do its work.
#include "tune/guidelines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <limits>

#include "base/environment.hpp"
#include "base/user_data.hpp"
#include "machine/machine_file.hpp"
#include "plait/error.hpp"
#include "text/units.hpp"

namespace plait::tune {
namespace {

/// Noise of a measurement.
constexpr double kClearly = 1.1;
/// Calls with this factor more or less data are not like those that were measured.
constexpr double kOtherSize = 4;

class Guidelines {
public:
  explicit Guidelines(const std::vector<TimedOperation>& timed) : timed_(timed) {}

  std::vector<Violation> find() {
    for (const TimedOperation& one : timed_) {
      compare(one, "MPI_Allreduce", "MPI_Reduce and MPI_Bcast",
              time("MPI_Reduce", one) + time("MPI_Bcast", one));
      compare(one, "MPI_Reduce", "MPI_Allreduce", time("MPI_Allreduce", one));
      compare(one, "MPI_Allgather", "MPI_Alltoall", time("MPI_Alltoall", one));
      compare(one, "MPI_Barrier", "MPI_Allreduce", least_time("MPI_Allreduce", one));
      for (const TimedOperation& more : timed_) {
        if (more.operation != one.operation || more.ranks != one.ranks) continue;
        if (more.bytes <= one.bytes) continue;
        compare(one, one.operation.c_str(),
                fmt::format("{} of {}", more.operation, format_bytes(more.bytes)), more.seconds);
      }
    }
    std::stable_sort(found_.begin(), found_.end(), [](const Violation& a, const Violation& b) {
      return a.promise() > b.promise();
    });
    return std::move(found_);
  }

private:
  /// The time of an operation with the same ranks and bytes; infinite if it was not measured.
  [[nodiscard]] double time(const char* operation, const TimedOperation& like) const {
    for (const TimedOperation& one : timed_) {
      if (one.operation == operation && one.ranks == like.ranks && one.bytes == like.bytes) {
        return one.seconds;
      }
    }
    return std::numeric_limits<double>::infinity();
  }

  [[nodiscard]] double least_time(const char* operation, const TimedOperation& like) const {
    double least = std::numeric_limits<double>::infinity();
    for (const TimedOperation& one : timed_) {
      if (one.operation == operation && one.ranks == like.ranks) {
        least = std::min(least, one.seconds);
      }
    }
    return least;
  }

  void compare(const TimedOperation& one, const char* operation, const std::string& mock_up,
               double mock_up_s) {
    if (one.operation != operation || !(one.seconds > kClearly * mock_up_s)) return;
    found_.push_back({one, mock_up, mock_up_s});
  }

  const std::vector<TimedOperation>& timed_;
  std::vector<Violation> found_;
};

}  // namespace

std::string Violation::sentence() const {
  const std::string size =
      timed.bytes > 0 ? fmt::format(" of {}", format_bytes(static_cast<double>(timed.bytes))) : "";
  return fmt::format("{}{} took {}, {} {}", timed.operation, size, format_seconds(timed.seconds),
                     mock_up, format_seconds(mock_up_s));
}

std::vector<TimedOperation> timed_operations(const machine::Measured& measured) {
  std::vector<TimedOperation> timed;
  for (const machine::CollectivePoint& point : measured.collectives) {
    if (!point.time_us.usable() || point.time_us.median <= 0 || point.operation.empty()) continue;
    std::string name = point.operation;
    name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
    timed.push_back({"MPI_" + name, point.ranks, point.bytes, point.time_us.median * 1e-6});
  }
  return timed;
}

std::vector<Violation> measured_violations(const launcher::Launcher& launcher) {
  const std::filesystem::path file = machine_file_of_host(host_name());
  std::error_code none;
  if (launcher.version.empty() || !std::filesystem::exists(file, none)) return {};
  try {
    const machine::MachineFile machine = machine::load(file);
    if (!machine.measured || !machine.measured->mpi) return {};
    const bool same = machine.measured->mpi->library.find(launcher.version) != std::string::npos;
    return same ? violations_of(timed_operations(*machine.measured)) : std::vector<Violation>{};
  } catch (const Error&) {
    return {};  // a damaged machine file is reported where it is needed
  }
}

std::vector<Violation> violations_of(const std::vector<TimedOperation>& timed) {
  return Guidelines(timed).find();
}

const Violation* violation_near(const std::vector<Violation>& violations,
                                const std::string& operation, int ranks, double bytes) {
  const auto found =
      std::find_if(violations.begin(), violations.end(), [&](const Violation& violation) {
        const auto measured = static_cast<double>(violation.timed.bytes);
        return violation.timed.operation == operation && violation.timed.ranks == ranks &&
               std::max(measured, 1.0) <= kOtherSize * std::max(bytes, 1.0) &&
               std::max(bytes, 1.0) <= kOtherSize * std::max(measured, 1.0);
      });
  return found == violations.end() ? nullptr : &*found;
}

}  // namespace plait::tune
