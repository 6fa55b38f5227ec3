// SPDX-License-Identifier: BSD-3-Clause
// Findings within one process: leaks, calls at the wrong time or by the wrong thread, buffers.
#include "check/process_findings.hpp"

#include <fmt/format.h>

#include <array>
#include <string>

#include "check/place.hpp"

namespace plait::check {
namespace {

struct Leak {
  const char *kind, *what, *remedy;
};

Leak leak_of(std::uint32_t object) {
  switch (object) {
    case PLAIT_CHECK_COMM:
      return {"communicator_leak", "A communicator is not freed before MPI_Finalize",
              "free it with MPI_Comm_free"};
    case PLAIT_CHECK_TYPE:
      return {"datatype_leak", "A datatype is not freed before MPI_Finalize",
              "free it with MPI_Type_free, right after its last use"};
    case PLAIT_CHECK_GROUP:
      return {"group_leak", "A group is not freed before MPI_Finalize",
              "free it with MPI_Group_free"};
    case PLAIT_CHECK_WIN:
      return {"window_leak", "A window is not freed before MPI_Finalize",
              "free it with MPI_Win_free"};
    case PLAIT_CHECK_OPERATOR:
      return {"operation_leak", "An operation is not freed before MPI_Finalize",
              "free it with MPI_Op_free"};
    case PLAIT_CHECK_FILE:
      return {"file_leak", "A file is not closed before MPI_Finalize",
              "close it with MPI_File_close"};
    default:
      return {"request_leak", "A persistent request is not freed before MPI_Finalize",
              "free it with MPI_Request_free"};
  }
}

void add_leaks(const Job& job, std::uint32_t process, std::vector<Finding>& found) {
  const Process& own = job.processes[process];
  if (own.finalized == 0) return;
  for (const plait_check_object& object : own.objects) {
    if (object.kind == 0) continue;
    const Leak leak = leak_of(object.kind);
    found.push_back({leak.kind,
                     leak.what,
                     leak.remedy,
                     1,
                     {place_of_call(job, process, object.function, object.site)}});
  }
  for (std::uint32_t i = 0; i < own.ops.size(); ++i) {
    const plait_check_op& op = own.ops[i];
    if (op.state != PLAIT_CHECK_OPEN || (op.flags & PLAIT_CHECK_STARTED) != 0) continue;
    if ((op.flags & PLAIT_CHECK_NONBLOCKING) != 0) {
      found.push_back({"request_leak",
                       "A request is not completed before MPI_Finalize",
                       "complete it with MPI_Wait or MPI_Test",
                       1,
                       {place_of(job, process, i)}});
    } else if ((op.flags & PLAIT_CHECK_MATCHED) != 0) {
      found.push_back({"unreceived_message",
                       "A message matched by a probe is never received",
                       "receive it with MPI_Mrecv",
                       1,
                       {place_of(job, process, i)}});
    }
  }
}

Finding thread_finding(const plait_check_finding& from) {
  static constexpr std::array<const char*, 4> kLevels{
      "MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE"};
  const char* level = kLevels[static_cast<std::size_t>(from.value) % kLevels.size()];
  Finding finding;
  finding.kind = "thread_level";
  finding.what = from.other != 0
                     ? fmt::format("Two threads call MPI at the same time under {}", level)
                     : fmt::format("MPI call outside the main thread under {}", level);
  finding.remedy = fmt::format(
      "request {} in MPI_Init_thread, and check what it provides",
      from.other != 0 ? "MPI_THREAD_MULTIPLE" : "MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE");
  return finding;
}

void add_own_findings(const Job& job, std::uint32_t process, std::vector<Finding>& found) {
  const Process& own = job.processes[process];
  for (const plait_check_finding& from : own.findings) {
    Finding finding;
    const Place call = place_of_call(job, process, from.function, from.site);
    const auto op = [&](std::uint32_t index) {
      return index < own.ops.size() ? place_of(job, process, index) : call;
    };
    switch (from.kind) {
      case PLAIT_CHECK_AFTER_FINALIZE:
        finding = {"after_finalize",
                   "MPI is called after MPI_Finalize",
                   "make MPI_Finalize the last call",
                   1,
                   {call}};
        break;
      case PLAIT_CHECK_THREAD_LEVEL:
        finding = thread_finding(from);
        finding.places = {call};
        break;
      case PLAIT_CHECK_BUFFER_CHANGED:
        finding = {"buffer_changed",
                   "A send buffer was changed during the send",
                   "write to the buffer only after the request is complete",
                   1,
                   {op(from.op), call}};
        break;
      case PLAIT_CHECK_BUFFER_OVERLAP:
        finding = {"buffer_overlap",
                   "Two operations in flight use overlapping buffers",
                   "complete the first operation, or use another buffer",
                   1,
                   {op(from.other), op(from.op)}};
        break;
      case PLAIT_CHECK_INVALID_ARGUMENT:
        finding = {"invalid_argument",
                   fmt::format("{} is called with an invalid argument", call.function),
                   "correct the argument that MPI's error names",
                   1,
                   {call}};
        finding.places.front().detail = own.name(from.other);
        break;
      default:
        continue;
    }
    finding.count = from.count;
    found.push_back(std::move(finding));
  }
}

}  // namespace

std::vector<Finding> process_findings(const Job& job) {
  std::vector<Finding> found;
  for (std::uint32_t process = 0; process < job.processes.size(); ++process) {
    add_own_findings(job, process, found);
    add_leaks(job, process, found);
  }
  return found;
}

}  // namespace plait::check
