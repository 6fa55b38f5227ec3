// SPDX-License-Identifier: BSD-3-Clause
// Programs with many calls under each design of the queues, beside the thesis's figures.
#include "designs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr std::array kDesigns{"auto", "sm", "sm-counted", "orq", "orq-lock", "cor"};
constexpr std::array kRanks{2, 8, 32, 128};
constexpr int kRepeats = 3;

/// Henriksen (2008), table 6.1: 128 processes on 8 cores, class B, Open MPI 1.2.3, in seconds.
struct Thesis {
  const char* benchmark;
  double sm, cor, orq;
};
constexpr std::array<Thesis, 6> kThesis{{{"CG", 168.9, 115.62, 115.18},
                                         {"EP", 18.33, 18.23, 18.27},
                                         {"FT", 45.26, 39.82, 40.13},
                                         {"IS", 3.89, 3.58, 5.16},
                                         {"MG", 18.11, 13.32, 13.09},
                                         {"LU", 179.6, 159.8, 156.6}}};

double least_us(const MeasuredProgram& program, int ranks, const std::vector<std::string>& options,
                const std::filesystem::path& folder, double before) {
  return std::min(before, step_us(program, ranks, options, folder));
}

/// @return the times of the designs with the most ranks
std::array<double, kDesigns.size()> compare(const MeasuredProgram& program,
                                            const std::filesystem::path& folder) {
  std::array<double, kDesigns.size()> times{};
  for (const int ranks : kRanks) {
    double own = std::numeric_limits<double>::max();
    times.fill(own);
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
      own = least_us(program, ranks, {}, folder, own);
      for (std::size_t i = 0; i < kDesigns.size(); ++i) {
        times[i] =
            least_us(program, ranks, {std::string("--transport=") + kDesigns[i]}, folder, times[i]);
      }
    }
    fmt::print("{:<9} {:>4} ranks {:>10.1f}", program.arguments.front(), ranks, own);
    for (const double time : times) fmt::print(" {:>10.1f}", time);
    fmt::print("\n");
    std::fflush(stdout);
  }
  return times;
}

}  // namespace

void compare_designs(const MeasuredProgram& calls, const std::filesystem::path& folder) {
  fmt::print("\na step in us (least of {}): {:>8}", kRepeats, "own");
  for (const char* const design : kDesigns) fmt::print(" {:>10}", design);
  fmt::print("\n");
  MeasuredProgram program = calls;
  program.arguments = {"exchange"};
  const auto exchange = compare(program, folder);
  program.arguments = {"all"};
  const auto all = compare(program, folder);
  fmt::print("\nHenriksen (2008), table 6.1, 128 processes on 8 cores, over his sm: cor, orq\n");
  for (const Thesis& row : kThesis)
    fmt::print("{:<4} {:>6.2f} {:>6.2f}\n", row.benchmark, row.cor / row.sm, row.orq / row.sm);
  fmt::print("here, {} ranks\n", kRanks.back());
  for (const auto& [name, times] : {std::pair{"exchange, as CG", exchange}, {"all, as IS", all}})
    fmt::print("{:<16} {:>6.2f} {:>6.2f}\n", name, times[5] / times[1], times[3] / times[1]);
  fmt::print("RESULT transport_orq_over_sm_exchange {:.3f} ratio\n", exchange[3] / exchange[1]);
  fmt::print("RESULT transport_orq_over_sm_all {:.3f} ratio\n", all[3] / all[1]);
  fmt::print("RESULT transport_cor_over_sm_exchange {:.3f} ratio\n", exchange[5] / exchange[1]);
  fmt::print("RESULT transport_auto_over_sm_exchange {:.3f} ratio\n", exchange[0] / exchange[1]);
  fmt::print("RESULT transport_auto_over_sm_all {:.3f} ratio\n", all[0] / all[1]);
}
