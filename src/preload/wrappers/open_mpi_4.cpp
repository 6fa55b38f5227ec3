// SPDX-License-Identifier: BSD-3-Clause
// Works around errors of Open MPI 4 that come with messages over libfabric.
#include "preload/wrappers/open_mpi_4.hpp"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "preload/calls/functions.hpp"

namespace plait::preload {
namespace {

using MakeSend = int (*)(const void* data, size_t count, MPI_Datatype type, int to, int tag,
                         int mode, MPI_Comm comm, MPI_Request* request);

MakeSend make_send;  ///< Open MPI's

int make_corrected_send(const void* data, size_t count, MPI_Datatype type, int to, int tag,
                        int mode, MPI_Comm comm, MPI_Request* request) {
  MPI_Aint lower = 0, extent = 0;
  const bool known =
      call_real<kFunction_Type_get_true_extent>(type, &lower, &extent) == MPI_SUCCESS;
  if (!known || lower == 0) return make_send(data, count, type, to, tag, mode, comm, request);
  const int one = 1;
  const MPI_Aint back = -lower;
  MPI_Datatype shifted{};
  const bool made =
      call_real<kFunction_Type_create_hindexed>(1, &one, &back, type, &shifted) == MPI_SUCCESS &&
      call_real<kFunction_Type_commit>(&shifted) == MPI_SUCCESS;
  if (!made) return make_send(data, count, type, to, tag, mode, comm, request);
  const auto begin = reinterpret_cast<intptr_t>(data) + static_cast<intptr_t>(lower);
  const int code =
      make_send(reinterpret_cast<const void*>(begin), count, shifted, to, tag, mode, comm, request);
  call_real<kFunction_Type_free>(&shifted);  // the request keeps it
  return code;
}

bool is_named(void* function, const char* name) {
  Dl_info found{};
  return dladdr(function, &found) && found.dli_sname && !strcmp(found.dli_sname, name);
}

int keep_send(void*, int) {
  return MPI_SUCCESS;
}

}  // namespace

void correct_open_mpi_4() {
  if (make_send || !is_open_mpi_4()) return;
  // The functions of its layer for messages, in the order of mca_pml_base_module_1_0_1_t.
  enum : unsigned { kAddProcs = 0, kDelComm = 5, kIsendInit = 9, kStart = 14 };
  auto* const functions = static_cast<void**>(find_data("mca_pml"));
  if (!functions || !is_named(functions[kAddProcs], "mca_pml_cm_add_procs") ||
      !is_named(functions[kDelComm], "mca_pml_cm_del_comm") ||
      !is_named(functions[kStart], "mca_pml_cm_start"))
    return;
  make_send = reinterpret_cast<MakeSend>(functions[kIsendInit]);
  functions[kIsendInit] = reinterpret_cast<void*>(&make_corrected_send);
}

void before_cancel(const MPI_Request* request) {
  if (!make_send) return;
  // A request begins with its class. This is the function that cancels it.
  constexpr unsigned kCancel = 16;
  auto** const fields = reinterpret_cast<void**>(word_of(*request));
  const bool sends = fields && (is_named(fields[0], "mca_pml_cm_hvy_send_request_t_class") ||
                                is_named(fields[0], "mca_pml_cm_thin_send_request_t_class"));
  if (sends && is_named(fields[kCancel], "mca_pml_cm_cancel"))
    fields[kCancel] = reinterpret_cast<void*>(&keep_send);
}

}  // namespace plait::preload
