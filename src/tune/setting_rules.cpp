// SPDX-License-Identifier: BSD-3-Clause
// The table of MPI settings that Plait may try: their legal values, by library and version.
#include "tune/setting_rules.hpp"

#include <array>

namespace plait::tune {
namespace {

constexpr double kKiB = 1024;
constexpr double kMiB = 1024 * kKiB;

constexpr std::string_view kOpen4 = ">=4.1 <5";
constexpr std::string_view kOpen5 = ">=5 <6";
constexpr std::string_view kOpen = ">=4.1 <6";
constexpr std::string_view kMpich = ">=4 <6";
constexpr std::string_view kIntel = ">=2021 <2022";

constexpr SettingRule bytes(std::string_view purpose, std::string_view mpi,
                            std::string_view versions, std::string_view name, double least,
                            double most) {
  return {purpose, mpi, versions, name, ValueKind::bytes, least, most, {}};
}

constexpr SettingRule count(std::string_view purpose, std::string_view mpi,
                            std::string_view versions, std::string_view name, double least,
                            double most) {
  return {purpose, mpi, versions, name, ValueKind::count, least, most, {}};
}

constexpr SettingRule flag(std::string_view purpose, std::string_view mpi,
                           std::string_view versions, std::string_view name) {
  return {purpose, mpi, versions, name, ValueKind::flag, 0, 1, {}};
}

constexpr SettingRule choice(std::string_view purpose, std::string_view mpi,
                             std::string_view versions, std::string_view name,
                             std::string_view choices) {
  return {purpose, mpi, versions, name, ValueKind::choice, 0, 0, choices};
}

constexpr SettingRule open_algorithm(std::string_view operation, std::string_view name,
                                     std::string_view choices) {
  return {operation, "openmpi", kOpen, name, ValueKind::algorithm, 0, 0, choices};
}

/// The module of a whole communicator: 3 is `tuned`, 6 HAN itself.
constexpr SettingRule han(std::string_view purpose, std::string_view name) {
  return {purpose, "openmpi", kOpen5, name, ValueKind::count, 3, 6, {}};
}

constexpr SettingRule mpich_algorithm(std::string_view operation, std::string_view name,
                                      std::string_view choices) {
  return {operation, "mpich", kMpich, name, ValueKind::algorithm, 0, 0, choices};
}

/// What fi_info lists is legal.
constexpr SettingRule provider(std::string_view mpi, std::string_view versions,
                               std::string_view name) {
  return {"provider", mpi, versions, name, ValueKind::provider, 0, 0, {}};
}

/// Algorithms of Intel MPI are numbers, whose range impi_info prints.
constexpr SettingRule intel_algorithm(std::string_view operation, std::string_view name,
                                      std::string_view choices) {
  return {operation, "intel", kIntel, name, ValueKind::algorithm, 0, 0, choices};
}

// Algorithms that a library refuses or that need a commutative operation are left out: which
// operations a program uses is not recorded.
constexpr auto kRules = std::to_array<SettingRule>({
    bytes("eager_limit", "openmpi", kOpen4, "btl_vader_eager_limit", kKiB, 256 * kKiB),
    bytes("fragment", "openmpi", kOpen4, "btl_vader_max_send_size", 4 * kKiB, kMiB),
    choice("single_copy", "openmpi", kOpen4, "btl_vader_single_copy_mechanism",
           "cma none emulated"),
    bytes("eager_limit", "openmpi", kOpen5, "btl_sm_eager_limit", kKiB, 256 * kKiB),
    bytes("fragment", "openmpi", kOpen5, "btl_sm_max_send_size", 4 * kKiB, kMiB),
    choice("single_copy", "openmpi", kOpen5, "smsc", "^cma"),
    bytes("network_eager_limit", "openmpi", kOpen, "btl_tcp_eager_limit", kKiB, kMiB),
    bytes("network_fragment", "openmpi", kOpen, "btl_tcp_max_send_size", 16 * kKiB, 4 * kMiB),
    count("network_links", "openmpi", kOpen, "btl_tcp_links", 1, 8),
    bytes("send_window", "openmpi", kOpen, "btl_tcp_sndbuf", 64 * kKiB, 16 * kMiB),
    bytes("receive_window", "openmpi", kOpen, "btl_tcp_rcvbuf", 64 * kKiB, 16 * kMiB),
    count("pipeline_depth", "openmpi", kOpen, "pml_ob1_send_pipeline_depth", 1, 64),
    flag("async_progress", "openmpi", kOpen, "btl_tcp_progress_thread"),
    flag("connect_at_start", "openmpi", kOpen, "mpi_preconnect_all"),
    choice("messaging", "openmpi", kOpen, "pml", "cm"),
    provider("openmpi", kOpen, kOpenProvider),
    flag("yield", "openmpi", kOpen, "mpi_yield_when_idle"),
    choice("collective_io", "openmpi", kOpen4, "fcoll", "vulcan dynamic_gen2 two_phase individual"),
    choice("collective_io", "openmpi", kOpen5, "fcoll", "vulcan dynamic_gen2 dynamic individual"),
    bytes("collective_buffer", "openmpi", kOpen, "io_ompio_bytes_per_agg", kMiB, 256 * kMiB),
    choice("io_module", "openmpi", kOpen, "io", "^ompio"),
    flag("rules", "openmpi", kOpen, "coll_tuned_use_dynamic_rules"),
    open_algorithm("MPI_Allreduce", "coll_tuned_allreduce_algorithm",
                   "nonoverlapping recursive_doubling basic_linear ring segmented_ring"),
    open_algorithm("MPI_Bcast", "coll_tuned_bcast_algorithm",
                   "binomial basic_linear split_binary_tree chain pipeline binary_tree knomial "
                   "scatter_allgather scatter_allgather_ring"),
    open_algorithm("MPI_Reduce", "coll_tuned_reduce_algorithm",
                   "binomial linear pipeline chain binary in-order_binary"),
    open_algorithm("MPI_Alltoall", "coll_tuned_alltoall_algorithm",
                   "pairwise linear linear_sync modified_bruck"),
    open_algorithm("MPI_Alltoallv", "coll_tuned_alltoallv_algorithm", "pairwise basic_linear"),
    open_algorithm("MPI_Allgather", "coll_tuned_allgather_algorithm",
                   "recursive_doubling bruck ring linear"),
    open_algorithm("MPI_Allgatherv", "coll_tuned_allgatherv_algorithm", "bruck ring default"),
    open_algorithm("MPI_Barrier", "coll_tuned_barrier_algorithm",
                   "recursive_doubling bruck tree linear double_ring"),
    open_algorithm("MPI_Gather", "coll_tuned_gather_algorithm", "binomial basic_linear"),
    open_algorithm("MPI_Scatter", "coll_tuned_scatter_algorithm", "binomial basic_linear"),
    han("han MPI_Bcast", "coll_han_bcast_dynamic_global_communicator_module"),
    han("han MPI_Reduce", "coll_han_reduce_dynamic_global_communicator_module"),
    han("han MPI_Allreduce", "coll_han_allreduce_dynamic_global_communicator_module"),
    han("han MPI_Allgather", "coll_han_allgather_dynamic_global_communicator_module"),
    han("han MPI_Gather", "coll_han_gather_dynamic_global_communicator_module"),
    han("han MPI_Scatter", "coll_han_scatter_dynamic_global_communicator_module"),
    han("han MPI_Barrier", "coll_han_barrier_dynamic_global_communicator_module"),
    bytes("han_segment MPI_Bcast", "openmpi", kOpen5, "coll_han_bcast_segsize", kKiB, 4 * kMiB),
    bytes("han_segment MPI_Reduce", "openmpi", kOpen5, "coll_han_reduce_segsize", kKiB, 4 * kMiB),
    bytes("han_segment MPI_Allreduce", "openmpi", kOpen5, "coll_han_allreduce_segsize", kKiB,
          4 * kMiB),
    bytes("cell", "mpich", kMpich, "MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE", 4 * kKiB,
          256 * kKiB),
    bytes("pack_buffer", "mpich", kMpich, "MPIR_CVAR_CH4_PACK_BUFFER_SIZE", 16 * kKiB, kMiB),
    count("cells", "mpich", kMpich, "MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_NUM_CELLS", 16, 1024),
    bytes("single_copy_limit", "mpich", kMpich, "MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD", 1,
          64 * kMiB),
    count("polls", "mpich", kMpich, "MPIR_CVAR_POLLS_BEFORE_YIELD", 1, 100000),
    flag("throttle", "mpich", ">=4.2 <6", "MPIR_CVAR_CH4_PROGRESS_THROTTLE"),
    flag("async_progress", "mpich", kMpich, "MPIR_CVAR_ASYNC_PROGRESS"),
    choice("network_module", "mpich", kMpich, "MPIR_CVAR_CH4_NETMOD", "ofi ucx"),
    provider("mpich", kMpich, kProviderVariable),
    bytes("part MPI_Allgatherv", "mpich", kMpich, "MPIR_CVAR_ALLGATHERV_PIPELINE_MSG_SIZE", kKiB,
          16 * kMiB),
    mpich_algorithm("MPI_Allreduce", "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM",
                    "recursive_doubling smp"),
    mpich_algorithm("MPI_Bcast", "MPIR_CVAR_BCAST_INTRA_ALGORITHM",
                    "binomial scatter_recursive_doubling_allgather scatter_ring_allgather smp"),
    mpich_algorithm("MPI_Reduce", "MPIR_CVAR_REDUCE_INTRA_ALGORITHM", "binomial smp"),
    mpich_algorithm("MPI_Alltoall", "MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM",
                    "pairwise brucks scattered"),
    mpich_algorithm("MPI_Allgather", "MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM",
                    "brucks ring recursive_doubling"),
    mpich_algorithm("MPI_Barrier", "MPIR_CVAR_BARRIER_INTRA_ALGORITHM", "dissemination smp"),
    intel_algorithm("MPI_Allreduce", "I_MPI_ADJUST_ALLREDUCE", "1 2 3 4 5 6 7 8 9 10 11 12"),
    intel_algorithm("MPI_Bcast", "I_MPI_ADJUST_BCAST", "1 2 3 4 5 6 7 8 9 10 11"),
    intel_algorithm("MPI_Reduce", "I_MPI_ADJUST_REDUCE", "1 2 3 4 5 6 7"),
    intel_algorithm("MPI_Alltoall", "I_MPI_ADJUST_ALLTOALL", "1 2 3 4"),
    intel_algorithm("MPI_Allgather", "I_MPI_ADJUST_ALLGATHER", "1 2 3 4 5"),
    intel_algorithm("MPI_Barrier", "I_MPI_ADJUST_BARRIER", "1 2 3 4 5 6"),
    flag("wait_mode", "intel", kIntel, "I_MPI_WAIT_MODE"),
    count("spins", "intel", kIntel, "I_MPI_SPIN_COUNT", 1, 1000000),
    flag("async_progress", "intel", kIntel, "I_MPI_ASYNC_PROGRESS"),
    // I_MPI_OFI_PROVIDER takes no list: MPI_Init fails.
    provider("intel", kIntel, kProviderVariable),
    count("yield_kind", "intel", kIntel, "I_MPI_THREAD_YIELD", 0, 3),
});

}  // namespace

std::span<const SettingRule> setting_rules() {
  return kRules;
}

}  // namespace plait::tune
