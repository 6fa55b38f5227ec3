// SPDX-License-Identifier: BSD-3-Clause
// The job that this process belongs to, as its launcher describes it in variables.
#include "preload/transport/job.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "trace/transport_page.h"

namespace plait::preload::provider {
namespace {

/// Variables of a launcher. The first of them that is set decides which launcher it is.
struct Launcher {
  const char* ranks;
  const char* local_ranks;
  const char* nodes;  ///< if the ranks on this node are not known
  const char* key;    ///< null: jobs are distinguished by the launcher's process
};
constexpr Launcher kLaunchers[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", nullptr, "PMIX_NAMESPACE"},
    {"PMI_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_NUM_NODES", nullptr},
    {"SLURM_STEP_NUM_TASKS", nullptr, "SLURM_STEP_NUM_NODES", "SLURM_STEP_ID"},
};

uint32_t number_of(const char* text) {
  return text == nullptr ? 0 : static_cast<uint32_t>(std::strtoul(text, nullptr, 10));
}

/// The process of the launcher on this node: that at the other end of its socket, or else the
/// parent. Between the two there may be a shell for each rank.
pid_t launcher_process(const char* (*variable)(const char* name)) {
  const char* const socket = variable("PMI_FD");
  ucred peer{};
  socklen_t bytes = sizeof peer;
  if (socket != nullptr &&
      getsockopt(static_cast<int>(number_of(socket)), SOL_SOCKET, SO_PEERCRED, &peer, &bytes) ==
          0 &&
      peer.pid > 0)
    return peer.pid;
  return getppid();
}

std::string file_name_of(std::string text) {
  constexpr std::size_t kMost = 100;
  text.resize(std::min(text.size(), kMost));
  std::ranges::replace_if(
      text, [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '.'; }, '_');
  return text;
}

}  // namespace

Job job_of(const char* (*variable)(const char* name)) {
  for (const Launcher& launcher : kLaunchers) {
    Job job;
    job.ranks = number_of(variable(launcher.ranks));
    if (job.ranks == 0) continue;
    if (launcher.local_ranks != nullptr) {
      job.local_ranks = number_of(variable(launcher.local_ranks));
    }
    if (job.local_ranks == 0 && launcher.nodes != nullptr &&
        number_of(variable(launcher.nodes)) == 1) {
      job.local_ranks = job.ranks;
    }
    const char* const key = launcher.key == nullptr ? nullptr : variable(launcher.key);
    job.key = file_name_of(key != nullptr ? key : std::to_string(launcher_process(variable)));
    return job;
  }
  return {};
}

std::string refusal_of(const Job& job) {
  if (job.ranks == 0) return "no launcher of an MPI library has started this process";
  if (job.ranks != job.local_ranks) return "not all ranks are on one node";
  if (job.ranks > PLAIT_TRANSPORT_PROCESSES) {
    return "more than " + std::to_string(PLAIT_TRANSPORT_PROCESSES) + " ranks";
  }
  return {};
}

}  // namespace plait::preload::provider
