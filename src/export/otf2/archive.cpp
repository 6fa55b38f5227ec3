// SPDX-License-Identifier: BSD-3-Clause
// Errors and names shared by writing and reading OTF2.
#include "export/otf2/archive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdarg>
#include <string_view>

#include "base/failure.hpp"
#include "plait/error.hpp"

namespace plait::otf2 {
namespace {

struct Known {
  std::string_view name;
  const char* function;
  OTF2_CollectiveOp op;
};

// Longer names precede their prefixes.
constexpr Known kCollectives[] = {
    {"barrier", "MPI_Barrier", OTF2_COLLECTIVE_OP_BARRIER},
    {"bcast", "MPI_Bcast", OTF2_COLLECTIVE_OP_BCAST},
    {"gatherv", "MPI_Gatherv", OTF2_COLLECTIVE_OP_GATHERV},
    {"gather", "MPI_Gather", OTF2_COLLECTIVE_OP_GATHER},
    {"scatterv", "MPI_Scatterv", OTF2_COLLECTIVE_OP_SCATTERV},
    {"scatter", "MPI_Scatter", OTF2_COLLECTIVE_OP_SCATTER},
    {"allgatherv", "MPI_Allgatherv", OTF2_COLLECTIVE_OP_ALLGATHERV},
    {"allgather", "MPI_Allgather", OTF2_COLLECTIVE_OP_ALLGATHER},
    {"alltoallv", "MPI_Alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV},
    {"alltoallw", "MPI_Alltoallw", OTF2_COLLECTIVE_OP_ALLTOALLW},
    {"alltoall", "MPI_Alltoall", OTF2_COLLECTIVE_OP_ALLTOALL},
    {"allreduce", "MPI_Allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE},
    {"reduce_scatter_block", "MPI_Reduce_scatter_block", OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK},
    {"reduce_scatter", "MPI_Reduce_scatter", OTF2_COLLECTIVE_OP_REDUCE_SCATTER},
    {"reduce", "MPI_Reduce", OTF2_COLLECTIVE_OP_REDUCE},
    {"scan", "MPI_Scan", OTF2_COLLECTIVE_OP_SCAN},
    {"exscan", "MPI_Exscan", OTF2_COLLECTIVE_OP_EXSCAN},
};

OTF2_ErrorCode ignore(void*, const char*, uint64_t, const char*, OTF2_ErrorCode code, const char*,
                      va_list) {
  return code;
}

}  // namespace

void check(OTF2_ErrorCode code, const std::filesystem::path& file, const char* what) {
  if (code == OTF2_SUCCESS) return;
  throw Failure(file.string(), fmt::format("{} ({})", what, OTF2_Error_GetDescription(code)),
                "free disk space, or choose another path with -o");
}

void check_read(OTF2_ErrorCode code, const std::filesystem::path& file, const char* what) {
  if (code == OTF2_SUCCESS) return;
  throw damaged_archive(file, fmt::format("{} ({})", what, OTF2_Error_GetDescription(code)));
}

Error damaged_archive(const std::filesystem::path& file, const std::string& what) {
  return {
      file.string(), what,
      "copy the whole archive again, including its .def file and its folder of events, or record "
      "it again"};
}

void silence_libotf2() {
  OTF2_Error_RegisterCallback(ignore, nullptr);
}

std::string bare_name(std::string function) {
  std::ranges::transform(function, function.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return function.starts_with("mpi_") ? function.substr(4) : function;
}

OTF2_CollectiveOp collective_op(const std::string& function) {
  std::string name = bare_name(function);
  if (name.starts_with("neighbor_") || name.starts_with("ineighbor_")) {
    name.erase(0, name.find('_') + 1);
  }
  for (const Known& known : kCollectives) {
    if (name.starts_with(known.name)) return known.op;
  }
  for (const Known& known : kCollectives) {
    if (name.starts_with('i') && std::string_view(name).substr(1).starts_with(known.name)) {
      return known.op;
    }
  }
  return OTF2_COLLECTIVE_OP_BARRIER;
}

const char* function_of(OTF2_CollectiveOp op) {
  for (const Known& known : kCollectives) {
    if (known.op == op) return known.function;
  }
  return "MPI_Barrier";
}

}  // namespace plait::otf2
