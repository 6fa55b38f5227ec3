// SPDX-License-Identifier: BSD-3-Clause
// C interface: errors and the conversion of arguments.
#include "solve/c_api/c_api.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "solve/abort_job.hpp"

namespace plait::c_api {
namespace {

// A fixed buffer, because storing the text of an error must not fail.
thread_local char last_error[1024] = "";

}  // namespace

int failed(plait_status status, const char* text) noexcept {
  std::snprintf(last_error, sizeof last_error, "%s", text);
  return status;
}

FieldView view(const plait_view* field, const char* name) {
  const plait_view& from = required(field, name);
  if (from.origin == nullptr || from.element_bytes == 0) {
    throw Error(name, "not a view of an array", "use plait_field_view() or plait_view_of_array()");
  }
  return {from.origin, from.element_bytes, {from.own[0], from.own[1], from.own[2]},
          from.ghost,  from.stride_y,      from.stride_z};
}

std::vector<FieldView> views(const plait_view* fields, int count) {
  if (count < 1)
    throw Error("count = " + std::to_string(count), "less than 1", "give the number of fields");
  std::vector<FieldView> result;
  result.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    result.push_back(view(fields == nullptr ? nullptr : fields + i, "fields"));
  }
  return result;
}

plait_view view(const FieldView& field) {
  return {field.origin, field.element_bytes, {field.own[0], field.own[1], field.own[2]},
          field.ghost,  field.stride_y,      field.stride_z};
}

void copy(const Int3& from, int* to, const char* name) {
  std::copy(from.begin(), from.end(), &required(to, name));
}

}  // namespace plait::c_api

extern "C" {

const char* plait_last_error(void) {
  return plait::c_api::last_error;
}

void plait_check(int status) {
  if (status == PLAIT_SUCCESS) return;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (status == PLAIT_COLLECTIVE_ERROR) {
    if (rank == 0) std::fprintf(stderr, "plait: error: %s\n", plait_last_error());
    std::fflush(stderr);
    MPI_Finalize();
    std::exit(2);
  }
  char line[1200];
  std::snprintf(line, sizeof line, "plait: error: rank %d: %s", rank, plait_last_error());
  plait::solve::abort_job(line, status);
}

}  // extern "C"
