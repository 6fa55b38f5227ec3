// SPDX-License-Identifier: BSD-3-Clause
// Intel MPI's launcher: mpiexec, mpiexec.hydra, mpirun.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "launcher/hydra.hpp"
#include "launcher/option_lists.hpp"

namespace plait::launcher {
namespace {

using machine::CpuSet;

class IntelMpi : public Hydra {
public:
  IntelMpi()
      : Hydra({.kind = LauncherKind::intel,
               .id = "intel",
               .mpi = "intel",
               .title = "Intel MPI",
               .mpi_title = "Intel MPI",
               .abi = "mpich",
               .ranks = {"n", "np"},
               .folder = {"wdir", "wd"},
               .hosts = hydra_host_options(),
               .placement = {"genv I_MPI_PIN_DOMAIN", "genv I_MPI_PIN_PROCESSOR_LIST",
                             "genv I_MPI_PIN", "env I_MPI_PIN_DOMAIN",
                             "env I_MPI_PIN_PROCESSOR_LIST", "env I_MPI_PIN"},
               .first_part_sets_all = true}) {}

  std::optional<std::string> version_in(const std::string& text) const override {
    if (text.find("Intel(R) MPI Library") == text.npos) return std::nullopt;
    return first_match(text, R"(Version ([0-9][0-9.]*))");
  }

  std::optional<JobRank> rank_in(const Lookup& value) const override {
    auto job = hydra_rank_in(value);
    const std::string uuid = value("I_MPI_HYDRA_UUID");
    if (!job || uuid.empty()) return std::nullopt;
    job->launcher.kind = LauncherKind::intel;
    job->key = uuid;
    return job;
  }

  Options bind_options(int threads) const override {
    return {"-genv", "OMP_NUM_THREADS",  std::to_string(threads),
            "-genv", "I_MPI_PIN_DOMAIN", "omp"};
  }
  Options cpu_list_options(const std::string& cpus) const override {
    return {"-genv", "I_MPI_PIN_PROCESSOR_LIST", cpus};
  }
  PlacementOptions place(const Plan& plan, const std::string& version,
                         const std::filesystem::path& folder,
                         const SaidBefore& said) const override;

  Options unbound_here([[maybe_unused]] int ranks) const override {
    return {"-launcher", "fork", "-hosts", "localhost"};
  }
  Options unbound_on(const std::vector<std::string>& nodes, int per_node) const override {
    return {"-hosts", fmt::format("{}", fmt::join(nodes, ",")), "-ppn", std::to_string(per_node)};
  }
  AsyncProgress async_progress() const override {
    return {"I_MPI_ASYNC_PROGRESS=1", "I_MPI_ASYNC_PROGRESS", "1"};
  }
};

PlacementOptions IntelMpi::place(const Plan& plan, [[maybe_unused]] const std::string& version,
                                 const std::filesystem::path& folder,
                                 [[maybe_unused]] const SaidBefore& said) const {
  PlacementOptions added;
  if (!only_here(plan)) {
    added.options = {"-machinefile", (folder / "hosts").string()};
    added.files["hosts"] =
        ranks_adjacent(plan) ? one_line_per_node(plan) : one_line_per_rank(plan, ":1");
  }
  added.drop = facts().hosts;
  added.drop.insert(added.drop.end(), {"ppn", "perhost", "rr", "grr"});
  if (!is_bound(plan)) return added;
  const auto& options = facts().placement;
  added.drop.insert(added.drop.end(), options.begin(), options.end());
  const std::vector<CpuSet> list = list_for_all_nodes(plan);
  const auto every = [&](auto&& holds) {
    // Intel MPI gives ranks that share hardware threads other places than those in the list.
    return !list.empty() && !ranks_overlap(plan) && std::all_of(list.begin(), list.end(), holds);
  };
  // Intel MPI silently drops masks from bit 60 on (geopm issue 614).
  constexpr int kMaskBits = 60;
  if (every([](const CpuSet& pus) { return pus.count() == 1; })) {
    std::vector<int> pus;
    for (const CpuSet& one : list) pus.push_back(one.first());
    added.options.insert(added.options.end(), {"-genv", "I_MPI_PIN_PROCESSOR_LIST",
                                               fmt::format("{}", fmt::join(pus, ","))});
  } else if (every([](const CpuSet& pus) { return pus.last() < kMaskBits; })) {
    added.options.insert(added.options.end(),
                         {"-genv", "I_MPI_PIN_DOMAIN", fmt::format("[{}]", masks_text(list))});
  } else {
    added.options.insert(added.options.end(), {"-genv", "I_MPI_PIN", "0"});
    added.binder = true;
  }
  return added;
}

}  // namespace

const LauncherTraits& intel() {
  static const IntelMpi traits;
  return traits;
}

}  // namespace plait::launcher
