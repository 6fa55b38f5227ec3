// SPDX-License-Identifier: BSD-3-Clause
// Build tool: turns the tables of MPI functions into the wrappers of one preload object.
//
//   generate_wrappers <family> <table>... > wrappers.inc      family: o, m or a
//
// A table has one entry a function; an indented line continues the one before:
//
//   kind[*] families[+] Name(type name, ...)
//
// kind      what the call tells about communication: a function see_<kind> of traffic.hpp, which
//           gets the arguments that `kinds` names below; "count": nothing but that it was made
// *         a collective operation
// families  the ABIs whose libraries may have the function: o Open MPI, m MPICH and Intel MPI,
//           a standard ABI
// +         there is also a large-count function Name_c, in which the type Count is MPI_Count and
//           not int; Open MPI has these only from version 6 on
//
// Handles are passed through as machine words, so that an object of the wrong ABI does no harm.
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "traced_kinds.hpp"

namespace {

struct Parameter {
  std::string type, name;
};

struct Function {
  std::string kind, name;
  bool collective = false, large = false;
  std::vector<Parameter> parameters;
};

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
    {"io", "count datatype"},
    {"free_type", ""},
    {"init", ""},
    {"init_thread", "required provided"},
    {"session_init", "session"},
    {"finalize", ""},
    {"session_finalize", ""},
    {"abort", ""},
};

// What is done in any case before a handle is freed, also when MPI itself does so.
const std::map<std::string, const char*> precautions = {
    {"free_comm", "comm"},
    {"free_win", "win"},
    {"free_type", "datatype"},
    {"free_request", "request"},
};

// What is done before a call that is recorded.
const std::map<std::string, const char*> preparations = {
    {"recv", "status = own_status(status, &call.status);"},
    {"mrecv", "status = own_status(status, &call.status);"},
    {"init", "before_init(call);"},
    {"init_thread", "before_init(call);"},
    {"session_init", "before_init(call);"},
    {"finalize", "before_finalize(call);"},
    {"session_finalize", "before_finalize(call);"},
    {"abort", "before_abort(call, as<MPI_Comm>(comm));"},
};

[[noreturn]] void fail(const std::string& where, const std::string& what) {
  std::fprintf(stderr, "generate_wrappers: %s: %s\n", where.c_str(), what.c_str());
  std::exit(1);
}

bool is_handle(const std::string& type) {
  return type.rfind("MPI_", 0) == 0 && type.find('*') == std::string::npos && type != "MPI_Count" &&
         type != "MPI_Aint" && type != "MPI_Offset";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
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
      {"MPI_Datatype", "datatype sendtype recvtype"},
      {"const MPI_Datatype*", "sendtypes recvtypes"},
      {"MPI_Request*", "request array_of_requests"},
      {"MPI_Status*", "status array_of_statuses"},
      {"int*", "flag indx outcount array_of_indices"},
      {"const void*", "buf sendbuf"},
      {"void*", "buf buffer recvbuf"},
      {"const Count*", "sendcounts recvcounts"},
      {"Count", "count sendcount recvcount"},
      {"MPI_Count", "count"},
      {"int", "count incount partitions dest source tag sendtag recvtag root"}};
  if (parameter.type == "MPI_Datatype*" && parameter.name.rfind("array", 0) != 0)
    return "made_type";
  if (const auto known = by_type.find(parameter.type); known != by_type.end()) return known->second;
  const auto names = by_name.find(parameter.type);
  if (names == by_name.end()) return "";
  std::istringstream list(names->second);
  for (std::string name; list >> name;)
    if (name == parameter.name) return name;
  return "";
}

// Hands the arguments to plait check, which may put a status of its own in the place of an ignored
// one.
void emit_check(const Function& function) {
  std::printf("    if (checking) {\n");
  std::printf("    Arguments& given = check_arguments(call);\n");
  std::printf("    given.large = %s;\n", function.large ? "true" : "false");
  std::string filled, taken_back;
  for (const auto& parameter : function.parameters) {
    const std::string field = check_field(parameter);
    if (field.empty() || filled.find(" " + field + " ") != std::string::npos) continue;
    filled += " " + field + " ";
    std::printf("    given.%s = %s;\n", field.c_str(), parameter.name.c_str());
    if (parameter.type == "MPI_Status*") taken_back = parameter.name;
  }
  std::printf("    check_before(call);\n");
  if (!taken_back.empty())
    std::printf("    %s = given.%s;\n", taken_back.c_str(), taken_back.c_str());
  std::printf("  }\n");
}

// Functions that programs call most often: all that is inline goes into their wrappers, which costs
// the others' code its smallness and these a few ns.
bool is_frequent(const std::string& name) {
  static const char* const all[] = {"Send",    "Recv",     "Isend", "Irecv",    "Wait",
                                    "Waitall", "Sendrecv", "Test",  "Allreduce"};
  for (const char* known : all)
    if (name == known) return true;
  return false;
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

// What is reported for a trace after the call.
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
  if (const auto traced = traced_kinds.find(kind); traced != traced_kinds.end()) {
    done = std::string("trace::") + traced->second.function + "(call, " + how +
           traced_arguments(function, traced->second.arguments) + ")";
  } else if (function.collective && function.name != "Comm_create_group") {
    // That one is called by the members of the group only.
    done = "trace::collective_call(call, " + how + (requests ? ", request)" : ", nullptr)");
  }
  if (done == "trace::other(call)") return done;
  return "call.is_to_see(code) ? " + done + " : trace::other(call)";
}

void emit(const Function& function) {
  std::string parameters, arguments, seen;
  for (const auto& [type, name] : function.parameters) {
    const std::string count = function.large ? "MPI_Count" : "int";
    const bool sized = type.find("MPI_Count") == std::string::npos;
    const std::string shown = is_handle(type) ? "Word"
                              : sized         ? replaced(type, "Count", count)
                                              : type;
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
  if (names == kinds.end()) fail(function.name, "no such kind: " + function.kind);
  const bool sees = names->second != nullptr;
  std::istringstream wanted(sees ? names->second : "");
  for (std::string name; wanted >> name;) seen += ", " + argument(function, name);
  if (is_collective_data(kind)) seen += persistent ? ", request" : ", nullptr";
  const auto preparation = preparations.find(kind);
  const char* name = function.name.c_str();
  // Another tool's MPI_X may stand behind ours; what enters as PMPI_X passes it by.
  for (const char* prefix : {"", "P"}) {
    std::string own = *prefix ? "plait_p_" : "plait_";
    own += name;
    std::printf("extern \"C\" PLAIT_ENTRY int %s(%s) __asm__(\"%sMPI_%s\");\n", own.c_str(),
                parameters.c_str(), prefix, name);
    std::printf("extern \"C\" %sint %s(%s) {\n",
                is_frequent(function.name) ? "PLAIT_FREQUENT " : "", own.c_str(),
                parameters.c_str());
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
    std::printf("  if (!call.enter(kFunction_%s, PLAIT_CALLER)) return %s(real(%s));\n", name,
                joins ? "stand_by" : "", arguments.c_str());
    if (preparation != preparations.end()) std::printf("  %s\n", preparation->second);
    std::printf("  if (watched()) {\n");
    emit_check(function);
    if (const auto before = traced_preparations.find(kind); before != traced_preparations.end())
      std::printf("    if (trace::active()) %s\n", before->second);
    std::printf("  }\n");
    std::printf("  call.begin();\n");
    if (kind == "finalize") std::printf("  trace::end_alignment();\n");
    std::printf("  const int code = real(%s);\n", arguments.c_str());
    std::printf("  call.end();\n");
    if (sees)
      std::printf("  if (call.is_to_see(code)) see_%s(call%s);\n", kind.c_str(), seen.c_str());
    std::printf("  if (watched()) {\n    if (checking) check_after(call, code);\n");
    std::printf("    if (trace::active()) %s;\n  }\n", report(function).c_str());
    std::printf("  call.keep();\n  return code;\n}\n");
  }
}

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(' ');
  return first == std::string::npos ? ""
                                    : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

void parse(const std::string& line, const std::string& where, char family,
           std::vector<Function>& functions) {
  Function function;
  std::string families;
  std::istringstream words(line);
  words >> function.kind >> families;
  const auto open = line.find('('), close = line.rfind(')');
  if (open == std::string::npos || close == std::string::npos) fail(where, "no prototype: " + line);
  const auto space = line.rfind(' ', open);
  function.name = line.substr(space + 1, open - space - 1);
  if (function.kind.back() == '*') {
    function.collective = true;
    function.kind.pop_back();
  }
  std::istringstream list(line.substr(open + 1, close - open - 1));
  for (std::string item; std::getline(list, item, ',');) {
    item = trimmed(item);
    const auto last = item.rfind(' ');
    if (last == std::string::npos) fail(where, "an argument without name: " + item);
    function.parameters.push_back({item.substr(0, last), item.substr(last + 1)});
  }
  const bool large_too = families.back() == '+' && family != 'o';
  if (families.find(family) != std::string::npos) functions.push_back(function);
  if (large_too && families.find(family) != std::string::npos) {
    function.name += "_c";
    function.large = true;
    functions.push_back(function);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) fail("usage", "generate_wrappers <family> <table>...");
  std::vector<Function> functions;
  for (int i = 2; i < argc; ++i) {
    std::ifstream table(argv[i]);
    if (!table) fail(argv[i], "cannot be read");
    std::string entry;
    for (std::string line; std::getline(table, line);) {
      if (line.empty() || line[0] == '#') continue;
      if (line[0] == ' ') {
        entry += ' ';
        entry += trimmed(line);
        continue;
      }
      if (!entry.empty()) parse(entry, argv[i], argv[1][0], functions);
      entry = line;
    }
    if (!entry.empty()) parse(entry, argv[i], argv[1][0], functions);
  }
  std::printf("// Written by generate_wrappers; do not edit.\n#ifdef PLAIT_FUNCTION_NAMES\n");
  for (const auto& function : functions)
    std::printf("PLAIT_FUNCTION(%s, %d)\n", function.name.c_str(), function.collective ? 1 : 0);
  std::printf("#else\n");
  for (const auto& function : functions) emit(function);
  std::printf("#endif\n");
}
