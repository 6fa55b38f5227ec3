// SPDX-License-Identifier: BSD-3-Clause
// Part of generate_wrappers: the trace functions that a wrapper calls, by kind of MPI function.
#pragma once

#include <map>
#include <string>

/// The function of preload/trace that is called after the real one, and its arguments by their
/// names in the standard. "name?": a null pointer if the function has none; "op?": 0.
struct Traced {
  const char* function;
  const char* arguments;
};

const std::map<std::string, Traced> traced_kinds = {
    {"send", {"send", "datatype dest tag request?"}},
    {"send_init", {"send", "datatype dest tag request?"}},
    {"psend_init", {"send", "datatype dest tag request?"}},
    {"recv", {"receive", "datatype source tag status"}},
    {"irecv", {"ireceive", "datatype source tag request"}},
    {"recv_init", {"ireceive", "datatype source tag request"}},
    {"precv_init", {"ireceive", "datatype dest tag request"}},
    {"sendrecv", {"sendrecv", "sendtype dest sendtag recvtype source recvtag status"}},
    {"sendrecv_replace", {"sendrecv", "datatype dest sendtag datatype source recvtag status"}},
    {"isendrecv", {"isendrecv", "sendtype dest sendtag recvcount recvtype source recvtag request"}},
    {"isendrecv_replace",
     {"isendrecv", "datatype dest sendtag count datatype source recvtag request"}},
    {"probe", {"probe", "source tag flag? message? status"}},
    {"mrecv", {"mreceive", ""}},
    {"imrecv", {"imreceive", "request"}},
    {"start", {"start", "1 request"}},
    {"startall", {"start", "count array_of_requests"}},
    {"cancel", {"cancelled", "request"}},
    {"barrier", {"barrier", "request?"}},
    {"bcast", {"bcast", "count datatype root request?"}},
    {"gather", {"gather", "recvcount recvtype root request?"}},
    {"gatherv", {"gatherv", "recvcounts recvtype root request?"}},
    {"scatter", {"scatter", "sendcount sendtype recvbuf recvcount recvtype root request?"}},
    {"scatterv", {"scatterv", "recvbuf recvcount recvtype root request?"}},
    {"allgather", {"allgather", "recvcount recvtype request?"}},
    {"allgatherv", {"allgatherv", "recvcounts recvtype request?"}},
    {"alltoall", {"alltoall", "recvcount recvtype request?"}},
    {"alltoallv", {"alltoallv", "recvcounts recvtype request?"}},
    {"alltoallw", {"alltoallw", "recvcounts recvtypes request?"}},
    {"reduce", {"reduce", "count datatype root op? request?"}},
    {"allreduce", {"allreduce", "count datatype op? request?"}},
    {"reduce_scatter", {"reduce_scatter", "recvcounts datatype op? request?"}},
    {"reduce_scatter_block", {"reduce_scatter_block", "recvcount datatype op? request?"}},
    {"neighbor_allgather", {"neighbor_allgather", "recvcount recvtype request?"}},
    {"neighbor_allgatherv", {"neighbor_allgatherv", "recvcounts recvtype request?"}},
    {"neighbor_alltoall", {"neighbor_alltoall", "recvcount recvtype request?"}},
    {"neighbor_alltoallv", {"neighbor_alltoallv", "recvcounts recvtype request?"}},
    {"neighbor_alltoallw", {"neighbor_alltoallw", "recvcounts recvtypes request?"}},
    {"put", {"one_sided", "target_rank"}},
    {"put_one", {"one_sided", "target_rank"}},
    {"get", {"one_sided", "target_rank"}},
};

/// The same for functions of the kind "win".
const std::map<std::string, Traced> traced_window_functions = {
    {"Win_post", {"epoch", "group"}},           {"Win_start", {"epoch", "group"}},
    {"Win_complete", {"end_epoch", ""}},        {"Win_wait", {"end_epoch", ""}},
    {"Win_test", {"test_epoch", "flag"}},       {"Win_lock", {"lock", "rank lock_type assert"}},
    {"Win_lock_all", {"lock_all", "assert"}},   {"Win_unlock", {"at_target", "rank"}},
    {"Win_unlock_all", {"end_epoch", ""}},      {"Win_flush", {"at_target", "rank"}},
    {"Win_flush_all", {"end_epoch", ""}},       {"Win_flush_local", {"at_target", "rank"}},
    {"Win_flush_local_all", {"end_epoch", ""}},
};

/// Calls that complete requests; they are reported whatever they return, which is their first
/// argument.
const std::map<std::string, Traced> completing_kinds = {
    {"wait", {"completed_one", "request flag? status"}},
    {"test", {"completed_one", "request flag? status"}},
    {"waitany", {"completed_any", "count array_of_requests indx flag? status"}},
    {"testany", {"completed_any", "count array_of_requests indx flag? status"}},
    {"waitall", {"completed_all", "count array_of_requests flag? array_of_statuses"}},
    {"testall", {"completed_all", "count array_of_requests flag? array_of_statuses"}},
    {"waitsome",
     {"completed_some", "incount array_of_requests outcount array_of_indices array_of_statuses"}},
    {"testsome",
     {"completed_some", "incount array_of_requests outcount array_of_indices array_of_statuses"}},
    {"free_request", {"freed", ""}},
};

/// The code for a trace before the call.
const std::map<std::string, const char*> traced_preparations = {
    {"wait", "status = trace::expect_one(call, request, status);"},
    {"test", "status = trace::expect_one(call, request, status);"},
    {"waitany", "status = trace::expect_any(call, count, array_of_requests, status);"},
    {"testany", "status = trace::expect_any(call, count, array_of_requests, status);"},
    {"waitall",
     "array_of_statuses = trace::expect_many(count, array_of_requests, "
     "array_of_statuses);"},
    {"testall",
     "array_of_statuses = trace::expect_many(count, array_of_requests, "
     "array_of_statuses);"},
    {"waitsome",
     "array_of_statuses = trace::expect_many(incount, array_of_requests, "
     "array_of_statuses);"},
    {"testsome",
     "array_of_statuses = trace::expect_many(incount, array_of_requests, "
     "array_of_statuses);"},
    {"free_request", "call.handle = handle_at(request);"},
    {"sendrecv", "status = own_status(status, &call.status);"},
    {"sendrecv_replace", "status = own_status(status, &call.status);"},
    {"probe", "status = own_status(status, &call.status);"},
    {"mrecv", "call.handle = handle_at(message);"},
    {"imrecv", "call.handle = handle_at(message);"},
};

/// The plait_shape_flags that follow from the function's name.
inline std::string traced_flags(const std::string& name) {
  static const std::map<std::string, const char*> all = {
      {"Ssend", "PLAIT_SHAPE_SYNCHRONOUS"}, {"Issend", "PLAIT_SHAPE_SYNCHRONOUS"},
      {"Bsend", "PLAIT_SHAPE_BUFFERED"},    {"Ibsend", "PLAIT_SHAPE_BUFFERED"},
      {"Rsend", "PLAIT_SHAPE_READY"},       {"Irsend", "PLAIT_SHAPE_READY"},
      {"Psend", "PLAIT_SHAPE_PARTITIONED"}, {"Precv", "PLAIT_SHAPE_PARTITIONED"},
      {"Iprobe", "PLAIT_SHAPE_TEST"},       {"Improbe", "PLAIT_SHAPE_TEST"},
      {"Test", "PLAIT_SHAPE_TEST"},         {"Testall", "PLAIT_SHAPE_TEST"},
      {"Testany", "PLAIT_SHAPE_TEST"},      {"Testsome", "PLAIT_SHAPE_TEST"},
      {"Neighbor", "PLAIT_SHAPE_NEIGHBOR"}, {"Ineighbor", "PLAIT_SHAPE_NEIGHBOR"},
  };
  const auto known = all.find(name.substr(0, name.find('_')));
  return known == all.end() ? "0" : known->second;
}
