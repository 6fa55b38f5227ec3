// SPDX-License-Identifier: BSD-3-Clause
// Arguments that MPI does not allow: as Plait sees them before the call, and as MPI reports them.
#include "preload/check/arguments.hpp"

#include "preload/calls/quiet_errors.hpp"
#include "preload/calls/traffic.hpp"
#include "preload/check/types.hpp"

namespace plait::preload {
namespace {

constexpr int kLongestText = 512;  // MPI_MAX_ERROR_STRING, or more

void report_error(const Call& call, int error_class) {
  char text[kLongestText + 1] = "";
  int length = 0;
  call_real<kFunction_Error_string>(error_class, static_cast<char*>(text), &length);
  find({PLAIT_CHECK_INVALID_ARGUMENT, call.function, call.site, 0,
        keep_check_name(static_cast<char*>(text)), error_class, 1});
}

bool is_invalid_comm(Word comm) {
  int size = 0;
  if (!may_be_comm(comm)) return true;
  const QuietErrors quiet;
  return call_real<kFunction_Comm_size>(as<MPI_Comm>(comm), &size) != MPI_SUCCESS;
}

bool is_invalid_type(Word datatype) {
  MPI_Count size = 0;
  if (!may_be_type(datatype)) return true;
  const QuietErrors quiet;
  return call_real<kFunction_Type_size_x>(as<MPI_Datatype>(datatype), &size) != MPI_SUCCESS;
}

// MPI_SUCCESS, or what is wrong with the arguments of a send or a receive.
int error_of_message(const CommInfo& info, MPI_Count count, Word datatype, int rank, int tag,
                     bool receives) {
  const bool any_rank = receives && rank == MPI_ANY_SOURCE;
  const bool any_tag = receives && tag == MPI_ANY_TAG;
  if (count < 0) return MPI_ERR_COUNT;
  if (rank != MPI_PROC_NULL && !any_rank && (rank < 0 || rank >= info.peers())) return MPI_ERR_RANK;
  if (tag < 0 && !any_tag) return MPI_ERR_TAG;
  return count > 0 && check_type(datatype) == 0 && is_invalid_type(datatype) ? MPI_ERR_TYPE
                                                                             : MPI_SUCCESS;
}

int error_of_root(const CommInfo& info, int root) {
  const bool beside = info.remote_size && (root == MPI_ROOT || root == MPI_PROC_NULL);
  return beside || (root >= 0 && root < info.peers()) ? MPI_SUCCESS : MPI_ERR_ROOT;
}

int error_of(const Call& call, const Checker& checker) {
  const Arguments& given = checker.given;
  const Traits& traits = traits_of(call.function);
  const bool sends = traits.role == Role::send || traits.role == Role::send_receive;
  const bool receives = traits.role == Role::receive || traits.role == Role::send_receive;
  const bool probes = traits.role == Role::probe || traits.role == Role::matched_probe;
  const bool completes = traits.role == Role::wait || traits.role == Role::test ||
                         traits.role == Role::start || traits.role == Role::cancel;
  if (given.lacks_output) return completes ? MPI_ERR_REQUEST : MPI_ERR_ARG;
  const bool rooted = traits.role == Role::collective && traits.rooted;
  if (!sends && !receives && !probes && !rooted) return MPI_SUCCESS;
  if (!checker.comm) return is_invalid_comm(given.comm) ? MPI_ERR_COMM : MPI_SUCCESS;
  const CommInfo& info = info_of(checker.comm);
  if (rooted) return error_of_root(info, given.root);
  if (probes) return error_of_message(info, 0, 0, given.source, given.tag, true);
  const bool both = traits.role == Role::send_receive;
  const bool own = both && !traits.replaces;  // two counts and two types
  int error = MPI_SUCCESS;
  if (sends)
    error = error_of_message(info, own ? given.sendcount : given.count,
                             own ? given.sendtype : given.datatype, given.dest,
                             both ? given.sendtag : given.tag, false);
  if (receives && error == MPI_SUCCESS)
    error = error_of_message(info, own ? given.recvcount : given.count,
                             own ? given.recvtype : given.datatype, given.source,
                             both ? given.recvtag : given.tag, true);
  return error;
}

// Programs ask these in order to learn whether there is such a type.
bool is_question(uint32_t function) {
  return function == kFunction_Type_match_size || function == kFunction_Type_create_f90_real ||
         function == kFunction_Type_create_f90_complex ||
         function == kFunction_Type_create_f90_integer;
}

}  // namespace

void judge_arguments(const Call& call, Checker& checker) {
  const int error = error_of(call, checker);
  checker.reported = error != MPI_SUCCESS;
  if (checker.reported) report_error(call, error);
}

void judge_code(const Call& call, const Checker& checker, int code) {
  if (code == MPI_SUCCESS || checker.reported || is_question(call.function)) return;
  const int kind = error_class(code);
  // Open MPI returns it if none of its components can make the window.
  const bool unavailable =
      kind == MPI_ERR_WIN && checker.given.made_win && call.function != kFunction_Win_free;
  if (is_about_arguments(kind) && !unavailable) report_error(call, kind);
}

}  // namespace plait::preload
