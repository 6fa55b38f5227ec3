// SPDX-License-Identifier: BSD-3-Clause
// Build tool: turns the tables of MPI functions into the wrappers of one preload object.
//
//   generate_wrappers <family> <table>... > wrappers.inc      family: o, m or a
//
// The tables are described in abi/function_table.hpp. An entry's kind selects the function
// see_<kind> of calls/traffic.hpp that is called after the MPI function; `kinds` below lists the
// arguments that it gets. "count": there is no such function.
//
// Handles are passed through as integers of the size of a pointer, so that an object of the wrong
// ABI does no harm.
#include <cctype>
#include <cstdio>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "abi/function_table.hpp"
#include "traced_kinds.hpp"

namespace {

using plait::abi::argument_type;
using plait::abi::fail;
using plait::abi::Function;
using plait::abi::Parameter;
using plait::abi::read_tables;

// The arguments that a kind's see_ function gets, by their names in the standard; "@comm": the
// last argument that is a pointer to a new communicator, "@win": a window, "@in": the first
// communicator. Null: there is no such function.
const std::map<std::string, const char*> kinds = {
    {"count", nullptr},
    {"wait", nullptr},
    {"waitall", nullptr},
    {"waitany", nullptr},
    {"waitsome", nullptr},
    {"test", nullptr},
    {"testall", nullptr},
    {"testany", nullptr},
    {"testsome", nullptr},
    {"cancel", nullptr},
    {"comm", "@in"},
    {"send", "count datatype dest comm"},
    {"sendrecv", "sendcount sendtype dest comm"},
    {"sendrecv_replace", "count datatype dest comm"},
    {"isendrecv", "sendcount sendtype dest comm"},
    {"isendrecv_replace", "count datatype dest comm"},
    {"recv", "source comm status"},
    {"irecv", "count datatype source comm"},
    {"mrecv", "status"},
    {"imrecv", "count datatype"},
    {"probe", "source comm"},
    {"send_init", "count datatype dest comm request"},
    {"recv_init", "count datatype source comm request"},
    {"psend_init", "partitions count datatype dest comm request"},
    {"precv_init", "partitions count datatype dest comm request"},
    {"start", "request"},
    {"startall", "count array_of_requests"},
    {"free_request", ""},
    {"barrier", "comm"},
    {"bcast", "count datatype root comm"},
    {"gather", "sendbuf sendcount sendtype recvcount recvtype root comm"},
    {"gatherv", "sendbuf sendcount sendtype recvcounts recvtype root comm"},
    {"scatter", "sendcount sendtype root comm"},
    {"scatterv", "sendcounts sendtype root comm"},
    {"allgather", "sendbuf sendcount sendtype recvcount recvtype comm"},
    {"allgatherv", "sendbuf sendcount sendtype recvcounts recvtype comm"},
    {"alltoall", "sendbuf sendcount sendtype recvcount recvtype comm"},
    {"alltoallv", "sendbuf sendcounts sendtype recvcounts recvtype comm"},
    {"alltoallw", "sendbuf sendcounts sendtypes recvcounts recvtypes comm"},
    {"reduce", "count datatype root comm"},
    {"allreduce", "count datatype comm"},
    {"reduce_scatter", "recvcounts datatype comm"},
    {"reduce_scatter_block", "recvcount datatype comm"},
    {"neighbor_allgather", "sendcount sendtype comm"},
    {"neighbor_alltoall", "sendcount sendtype comm"},
    {"neighbor_alltoallv", "sendcounts sendtype comm"},
    {"neighbor_alltoallw", "sendcounts sendtypes comm"},
    {"new_comm", "@in @comm"},
    {"free_comm", ""},
    {"comm_name", "comm comm_name"},
    {"win", "win"},
    {"new_win", "@in @win"},
    {"free_win", ""},
    {"put", "origin_count origin_datatype target_rank win"},
    {"put_one", "datatype target_rank win"},
    {"get", "origin_count origin_datatype target_rank win"},
    {"io", "fh count datatype"},
    {"file", "fh"},
    {"file_open", "comm filename fh"},
    {"file_close", ""},
    {"free_type", ""},
    {"init", ""},
    {"init_thread", "required provided"},
    {"session_init", "session"},
    {"finalize", ""},
    {"session_finalize", ""},
    {"abort", ""},
};

// Calls before a handle is freed, also when MPI itself frees it.
const std::map<std::string, const char*> precautions = {
    {"free_comm", "comm"},       {"free_win", "win"},  {"free_type", "datatype"},
    {"free_request", "request"}, {"file_close", "fh"},
};

// Code before a call that is recorded.
const std::map<std::string, const char*> preparations = {
    {"recv", "status = own_status(status, &call.status);"},
    {"mrecv", "status = own_status(status, &call.status);"},
    {"init", "before_init(call);"},
    {"init_thread", "before_init(call);"},
    {"session_init", "before_init(call);"},
    {"finalize", "before_finalize(call);"},
    {"session_finalize", "before_finalize(call);"},
    {"abort", "before_abort(call, as<MPI_Comm>(comm));"},
    {"cancel", "before_cancel(request);"},
};

bool is_handle(const std::string& type) {
  return type.rfind("MPI_", 0) == 0 && type.find('*') == std::string::npos && type != "MPI_Count" &&
         type != "MPI_Aint" && type != "MPI_Offset";
}

// The kinds between barrier and neighbor_alltoallw may also be persistent: their see_ functions
// get the request as their last argument, or a null pointer.
bool is_collective_data(const std::string& kind) {
  static const char* const all[] = {"barrier",
                                    "bcast",
                                    "gather",
                                    "gatherv",
                                    "scatter",
                                    "scatterv",
                                    "allgather",
                                    "allgatherv",
                                    "alltoall",
                                    "alltoallv",
                                    "alltoallw",
                                    "reduce",
                                    "allreduce",
                                    "reduce_scatter",
                                    "neighbor_allgather",
                                    "reduce_scatter_block",
                                    "neighbor_alltoall",
                                    "neighbor_alltoallv",
                                    "neighbor_alltoallw"};
  for (const char* known : all)
    if (kind == known) return true;
  return false;
}

std::string argument(const Function& function, const std::string& wanted) {
  const Parameter* found = nullptr;
  for (const auto& parameter : function.parameters) {
    const bool match = wanted == "@in"     ? parameter.type == "MPI_Comm" && !found
                       : wanted == "@comm" ? parameter.type == "MPI_Comm*"
                       : wanted == "@win"  ? parameter.type == "MPI_Win*"
                                           : parameter.name == wanted;
    if (match) found = &parameter;
  }
  if (!found && wanted == "@in") return "no_comm()";
  if (!found) fail(function.name, "kind " + function.kind + " needs the argument " + wanted);
  if (!is_handle(found->type)) return found->name;
  return std::string("as<").append(found->type).append(">(").append(found->name).append(")");
}

// Which field of Arguments (preload/check/check.hpp) keeps the parameter; empty: none.
std::string check_field(const Parameter& parameter) {
  static const std::map<std::string, std::string> by_type = {
      {"MPI_Comm", "comm"},        {"MPI_Win", "win"},         {"MPI_Op", "op"},
      {"MPI_Message*", "message"}, {"MPI_Comm*", "made_comm"}, {"MPI_Group*", "made_group"},
      {"MPI_Win*", "made_win"},    {"MPI_Op*", "made_op"},     {"MPI_File*", "made_file"}};
  static const std::map<std::string, const char*> by_name = {
      {"MPI_Datatype", "datatype sendtype recvtype oldtype"},
      {"const MPI_Datatype*", "sendtypes recvtypes array_of_types"},
      {"MPI_Datatype*", "array_of_types"},
      {"MPI_Request*", "request array_of_requests"},
      {"MPI_Status*", "status array_of_statuses"},
      {"int*", "flag indx outcount array_of_indices array_of_blocklengths"},
      {"const void*", "buf sendbuf"},
      {"void*", "buf buffer recvbuf"},
      {"const char*", "stringtag"},
      {"const Count*", "sendcounts recvcounts array_of_blocklengths"},
      {"Count", "count sendcount recvcount"},
      {"MPI_Count", "count"},
      {"int", "count incount partitions dest source tag sendtag recvtag root"}};
  if (parameter.type == "MPI_Datatype*" && parameter.name.rfind("array", 0) != 0)
    return parameter.name == "filetype" ? "filetype" : "made_type";
  if (const auto known = by_type.find(parameter.type); known != by_type.end()) return known->second;
  const auto names = by_name.find(parameter.type);
  if (names == by_name.end()) return "";
  std::istringstream list(names->second);
  for (std::string name; list >> name;)
    if (name == parameter.name) return name;
  return "";
}

// The condition that a pointer which no correct call leaves out is null; empty: there is none.
std::string lacks_output(const Function& function) {
  static const std::set<std::string> handles = {"MPI_Comm*",    "MPI_Datatype*", "MPI_File*",
                                                "MPI_Group*",   "MPI_Message*",  "MPI_Op*",
                                                "MPI_Request*", "MPI_Win*"};
  static const std::set<std::string> numbers = {"flag", "indx", "outcount"};
  std::string condition;
  const auto add = [&](const std::string& part) {
    condition += condition.empty() ? part : " || " + part;
  };
  for (const auto& [type, name] : function.parameters) {
    const bool is_handle = handles.count(type) && name.rfind("array", 0) != 0;
    if (is_handle || (type == "int*" && numbers.count(name))) add("!" + name);
    if (name == "array_of_requests")
      add("(!array_of_requests && " + function.parameters.front().name + " > 0)");
  }
  return condition;
}

// Passes the arguments to plait check, which may replace an ignored status by its own.
void emit_check(const Function& function) {
  std::printf("    if (checking) {\n");
  std::printf("    Arguments& given = check_arguments(call);\n");
  std::printf("    given.large = %s;\n", function.large ? "true" : "false");
  if (const std::string condition = lacks_output(function); !condition.empty())
    std::printf("    given.lacks_output = %s;\n", condition.c_str());
  std::string filled, replaced;
  for (const auto& parameter : function.parameters) {
    const std::string field = check_field(parameter);
    if (field.empty() || filled.find(" " + field + " ") != std::string::npos) continue;
    filled += " " + field + " ";
    std::printf("    given.%s = %s;\n", field.c_str(), parameter.name.c_str());
    if (parameter.type == "MPI_Status*") replaced = parameter.name;
  }
  std::printf("    check_before(call);\n");
  if (!replaced.empty()) std::printf("    %s = given.%s;\n", replaced.c_str(), replaced.c_str());
  std::printf("  }\n");
}

// The functions that programs call most often. Everything inline is expanded in their wrappers,
// which saves a few ns per call; in all wrappers it would make the code too large.
bool is_frequent(const std::string& name) {
  static const char* const all[] = {"Send",    "Recv",     "Isend", "Irecv",    "Wait",
                                    "Waitall", "Sendrecv", "Test",  "Allreduce"};
  for (const char* known : all)
    if (name == known) return true;
  return false;
}

// Null: the call moves nothing.
const Traced* traced_by(const std::string& name, const std::string& kind) {
  const bool window = kind == "win";
  const auto& all = window ? traced_window_functions : traced_kinds;
  const auto known = all.find(window ? name : kind);
  return known == all.end() ? nullptr : &known->second;
}

// Functions that neither communicate nor complete a communication.
bool is_seldom(const Function& function, const std::string& kind) {
  return !traced_by(function.name, kind) && completing_kinds.count(kind) == 0;
}

// Functions that free what their first parameter points to.
bool frees_handle(const std::string& name) {
  static const char* const all[] = {"Comm_free", "Comm_disconnect", "Type_free",  "Group_free",
                                    "Win_free",  "Op_free",         "File_close", "Request_free"};
  for (const char* known : all)
    if (name == known) return true;
  return false;
}

std::string traced_arguments(const Function& function, const char* names) {
  std::string arguments;
  std::istringstream wanted(names);
  for (std::string name; wanted >> name;) {
    const bool optional = name.back() == '?';
    if (optional) name.pop_back();
    bool found = false;
    for (const auto& parameter : function.parameters) found = found || parameter.name == name;
    arguments += ", ";
    if (std::isdigit(static_cast<unsigned char>(name[0])) || (found && name == "op")) {
      arguments += name;
    } else if (found || !optional) {
      arguments += argument(function, name);
    } else {
      arguments += name == "op" ? "0" : "nullptr";
    }
  }
  return arguments;
}

// The code that reports a call for a trace, after the call.
std::string report(const Function& function) {
  bool requests = false, counts = false;
  for (const auto& parameter : function.parameters) {
    requests = requests || (parameter.type == "MPI_Request*" && parameter.name == "request");
    counts = counts || parameter.name == "recvcounts";
  }
  std::string kind = function.kind;
  bool prepares = kind.size() > 5 && kind.substr(kind.size() - 5) == "_init";
  if (prepares && !traced_kinds.count(kind)) kind.resize(kind.size() - 5);
  if (kind == "neighbor_allgather" && counts) kind = "neighbor_allgatherv";
  const std::string how = std::string("{trace::") +
                          (prepares   ? "kPreparesOnly"
                           : requests ? "kRequest"
                                      : "kBlocking") +
                          ", " + traced_flags(function.name) + "}";
  if (const auto completing = completing_kinds.find(kind); completing != completing_kinds.end())
    return std::string("trace::") + completing->second.function + "(call, " + how + ", code" +
           traced_arguments(function, completing->second.arguments) + ")";
  std::string done = "trace::other(call)";
  if (const Traced* traced = traced_by(function.name, kind)) {
    done = std::string("trace::") + traced->function + "(call, " + how +
           traced_arguments(function, traced->arguments) + ")";
  } else if (function.collective && function.name != "Comm_create_group") {
    // Only the members of the group call that one.
    done = "trace::collective_call(call, " + how + (requests ? ", request)" : ", nullptr)");
  }
  if (done == "trace::other(call)") return done;
  return "call.is_to_see(code) ? " + done + " : trace::other(call)";
}

void emit(const Function& function) {
  std::string parameters, arguments, seen;
  for (const auto& [type, name] : function.parameters) {
    const std::string shown = is_handle(type) ? "Word" : argument_type(function, type);
    if (!parameters.empty()) parameters += ", ", arguments += ", ";
    parameters += shown;
    parameters += ' ';
    parameters += name;
    arguments += name;
  }
  std::string kind = function.kind;
  bool persistent = false;
  auto names = kinds.find(kind);
  if (names == kinds.end() && kind.size() > 5 && kind.substr(kind.size() - 5) == "_init") {
    kind.resize(kind.size() - 5);
    names = kinds.find(kind);
    persistent = true;
  }
  if (names == kinds.end()) fail(function.name, "unknown kind: " + function.kind);
  const bool sees = names->second != nullptr;
  std::istringstream wanted(sees ? names->second : "");
  for (std::string name; wanted >> name;) seen += ", " + argument(function, name);
  if (is_collective_data(kind)) seen += persistent ? ", request" : ", nullptr";
  const auto preparation = preparations.find(kind);
  const char* name = function.name.c_str();
  // Another tool's MPI_X may come after ours; a call that enters as PMPI_X skips it.
  for (const char* prefix : {"", "P"}) {
    std::string own = *prefix ? "plait_p_" : "plait_";
    own += name;
    std::printf("extern \"C\" PLAIT_ENTRY int %s(%s) __asm__(\"%sMPI_%s\");\n", own.c_str(),
                parameters.c_str(), prefix, name);
    std::printf("extern \"C\" %sint %s(%s) {\n",
                is_frequent(function.name)  ? "PLAIT_FREQUENT "
                : is_seldom(function, kind) ? "PLAIT_SELDOM "
                                            : "",
                own.c_str(), parameters.c_str());
    std::printf("  const auto real = %s_function<decltype(&%s)>(kFunction_%s);\n",
                *prefix ? "real" : "next", own.c_str(), name);
    if (const auto handle = precautions.find(kind); handle != precautions.end())
      std::printf("  before_%s(%s);\n", kind.c_str(), argument(function, handle->second).c_str());
    if (frees_handle(function.name)) {
      const char* handle = function.parameters.front().name.c_str();
      std::printf("  if (watched() && checking && %s)\n", handle);
      std::printf("    check_freed(kFunction_%s, word_of(*%s));\n", name, handle);
    }
    std::printf("  Call call;\n");
    const bool joins = kind == "init" || kind == "init_thread";
    std::printf("  if (!call.enter(kFunction_%s, PLAIT_CALLER)) return %s(%sreal(%s));\n", name,
                joins ? "stand_by" : "", kind == "finalize" ? "leave_job(), " : "",
                arguments.c_str());
    if (preparation != preparations.end()) std::printf("  %s\n", preparation->second);
    std::printf("  if (watched()) {\n");
    emit_check(function);
    if (const auto before = traced_preparations.find(kind); before != traced_preparations.end())
      std::printf("    if (trace::active()) %s\n", before->second);
    std::printf("  }\n");
    std::printf("  call.begin();\n");
    if (kind == "finalize") std::printf("  leave_job();\n");
    std::printf("  const int code = real(%s);\n", arguments.c_str());
    std::printf("  call.end();\n");
    if (sees)
      std::printf("  if (call.is_to_see(code)) see_%s(call%s);\n", kind.c_str(), seen.c_str());
    std::printf("  if (watched()) {\n    if (checking) check_after(call, code);\n");
    std::printf("    if (trace::active()) %s;\n  }\n", report(function).c_str());
    std::printf("  call.keep();\n  return code;\n}\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<Function> functions = read_tables(argc, argv);
  std::printf("// Written by generate_wrappers; do not edit.\n#ifdef PLAIT_FUNCTION_NAMES\n");
  for (const auto& function : functions)
    std::printf("PLAIT_FUNCTION(%s, %d)\n", function.name.c_str(), function.collective ? 1 : 0);
  std::printf("#else\n");
  for (const auto& function : functions) emit(function);
  std::printf("#endif\n");
}
