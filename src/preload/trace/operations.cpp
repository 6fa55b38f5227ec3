// SPDX-License-Identifier: BSD-3-Clause
// The handles of MPI's predefined operations; those of Open MPI are addresses.
#include "preload/trace/operations.hpp"

#include "trace/event_format.h"

namespace plait::preload::trace {
namespace {

constexpr uint32_t kOperations = PLAIT_OP_NO_OP;

// The handle of enum plait_operation `number`.
Word predefined_operation(uint32_t number) {
#if defined(PLAIT_FAMILY_OPENMPI)
  static const char* const names[kOperations] = {
      "ompi_mpi_op_max",     "ompi_mpi_op_min",  "ompi_mpi_op_sum",    "ompi_mpi_op_prod",
      "ompi_mpi_op_land",    "ompi_mpi_op_band", "ompi_mpi_op_lor",    "ompi_mpi_op_bor",
      "ompi_mpi_op_lxor",    "ompi_mpi_op_bxor", "ompi_mpi_op_maxloc", "ompi_mpi_op_minloc",
      "ompi_mpi_op_replace", "ompi_mpi_op_no_op"};
  static Word kept[kOperations];
  Word handle = __atomic_load_n(&kept[number - 1], __ATOMIC_RELAXED);
  if (!handle) {
    handle = word_of(find_data(names[number - 1]));
    __atomic_store_n(&kept[number - 1], handle, __ATOMIC_RELAXED);
  }
  return handle;
#else
  const MPI_Op all[kOperations] = {MPI_MAX,    MPI_MIN,    MPI_SUM,     MPI_PROD, MPI_LAND,
                                   MPI_BAND,   MPI_LOR,    MPI_BOR,     MPI_LXOR, MPI_BXOR,
                                   MPI_MAXLOC, MPI_MINLOC, MPI_REPLACE, MPI_NO_OP};
  return word_of(all[number - 1]);
#endif
}

}  // namespace

uint32_t operation_of(Word handle) {
  for (uint32_t number = 1; number <= kOperations; ++number)
    if (predefined_operation(number) == handle) return number;
  return PLAIT_OP_USER;
}

}  // namespace plait::preload::trace
