// SPDX-License-Identifier: BSD-3-Clause
// Calls every MPI function once for each argument, with that argument wrong, and prints what came
// of it: the class of the error, and how often an error handler of the program was called.
//
//   wrong_calls SECONDS FIRST [SKIPPED...]  the cases from number FIRST on, without some; a call
//   that
//                                           takes longer hangs
//   wrong_calls fatal NUMBER                one case under MPI_ERRORS_ARE_FATAL
//   wrong_calls abort                       MPI_Abort of a communicator that is not valid
//
// A call that crashes is left by a jump. Output: "@NUMBER FUNCTION PARAMETER VARIANT" before a
// call,
// "=RESULT" after it.
#include <dlfcn.h>
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#if MPI_VERSION < 4
typedef void* MPI_Session;
#endif

namespace {

constexpr std::size_t kScratchBytes = 16384;

sigjmp_buf before_call;
volatile sig_atomic_t is_calling;
int handled;  // calls of the error handlers
MPI_Comm grid;
MPI_Win window;
MPI_File file;
bool needs_grid;  // the function is about neighbours

/// A parameter as the tables of src/abi have it.
struct Parameter {
  std::string type, name;
};

struct Function {
  const char* name;
  std::vector<Parameter> parameters;
  int (*call)(void* entry, const Function& function, std::size_t wrong, int variant);
};

bool is_one_of(const std::string& name, const std::set<std::string>& names) {
  return names.count(name) > 0;
}

bool is_handle(const std::string& type) {
  return type.rfind("MPI_", 0) == 0 && type.back() != '*' &&
         !is_one_of(type, {"MPI_Count", "MPI_Aint", "MPI_Offset"});
}

template <class Handle>
std::uint64_t bits_of(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<std::uintptr_t>(handle);
  } else {
    return static_cast<std::uint64_t>(handle);
  }
}

template <class Type>
Type from_bits(std::uint64_t bits) {
  if constexpr (std::is_pointer_v<Type>) {
    return reinterpret_cast<Type>(bits);
  } else {
    return static_cast<Type>(bits);
  }
}

std::uint64_t null_handle(const std::string& type) {
  if (type == "MPI_Comm") return bits_of(MPI_COMM_NULL);
  if (type == "MPI_Datatype") return bits_of(MPI_DATATYPE_NULL);
  if (type == "MPI_Errhandler") return bits_of(MPI_ERRHANDLER_NULL);
  if (type == "MPI_File") return bits_of(MPI_FILE_NULL);
  if (type == "MPI_Group") return bits_of(MPI_GROUP_NULL);
  if (type == "MPI_Info") return bits_of(MPI_INFO_NULL);
  if (type == "MPI_Message") return bits_of(MPI_MESSAGE_NULL);
  if (type == "MPI_Op") return bits_of(MPI_OP_NULL);
  if (type == "MPI_Request") return bits_of(MPI_REQUEST_NULL);
  if (type == "MPI_Win") return bits_of(MPI_WIN_NULL);
  return 0;
}

std::uint64_t good_handle(const std::string& type) {
  if (type == "MPI_Comm") return bits_of(needs_grid ? grid : MPI_COMM_WORLD);
  if (type == "MPI_Datatype") return bits_of(MPI_INT);
  if (type == "MPI_Errhandler") return bits_of(MPI_ERRORS_RETURN);
  if (type == "MPI_File") return bits_of(file);
  if (type == "MPI_Group") return bits_of(MPI_GROUP_EMPTY);
  if (type == "MPI_Message") return bits_of(MPI_MESSAGE_NO_PROC);
  if (type == "MPI_Op") return bits_of(MPI_SUM);
  if (type == "MPI_Win") return bits_of(window);
  return null_handle(type);
}

/// Wrong handles: the null handle, a zero, and, where handles are numbers, a number that is none.
std::uint64_t wrong_handle(const std::string& type, int variant) {
  return variant == 0 ? null_handle(type) : variant == 1 ? 0 : 0x7f123456;
}

constexpr int kWrongHandles = std::is_pointer_v<MPI_Comm> ? 2 : 3;

bool is_rank(const std::string& name) {
  return is_one_of(
      name, {"dest", "source", "root", "rank", "target_rank", "local_leader", "remote_leader"});
}

bool is_tag(const std::string& name) {
  return is_one_of(name, {"tag", "sendtag", "recvtag"});
}

long long good_number(const std::string& name) {
  if (is_one_of(name, {"dest", "source", "target_rank"})) return MPI_PROC_NULL;
  if (is_one_of(name, {"count", "sendcount", "recvcount", "incount", "ndims", "maxdims", "nnodes",
                       "origin_count", "target_count", "result_count", "partitions", "disp_unit",
                       "insize", "outsize", "size", "blocklength", "stride", "n"}))
    return 1;
  if (is_tag(name)) return 5;
  if (name == "comm_keyval" || name == "keyval") return MPI_TAG_UB;
  if (name == "win_keyval") return MPI_WIN_BASE;
  if (name == "amode") return MPI_MODE_RDWR | MPI_MODE_CREATE;
  if (name == "lock_type") return MPI_LOCK_SHARED;
  if (name == "split_type") return MPI_COMM_TYPE_SHARED;
  if (name == "order") return MPI_ORDER_C;
  return 0;
}

long long wrong_number(const std::string& name, int variant) {
  if (is_rank(name)) return variant == 0 ? -77 : 1000000;
  if (is_tag(name)) return variant == 0 ? -77 : INT_MAX;
  return name.find("count") != std::string::npos || name == "n" ? -1 : -77;
}

int refuse(...) {
  return MPI_SUCCESS;
}

/// Memory for a pointer's target, different for each parameter.
char* scratch(std::size_t parameter) {
  alignas(64) static char memory[16][kScratchBytes];
  return memory[parameter % 16];
}

template <class Handle>
void fill(char* memory, Handle handle) {
  for (int i = 0; i < 8; ++i) std::memcpy(memory + i * sizeof handle, &handle, sizeof handle);
}

void* good_pointer(const Parameter& parameter, std::size_t position) {
  const std::string& type = parameter.type;
  const std::string& name = parameter.name;
  if (type == "void*" && (name.find("_fn") != std::string::npos ||
                          name.find("function") != std::string::npos || name == "copy_fn"))
    return reinterpret_cast<void*>(&refuse);
  char* memory = scratch(position);
  std::memset(memory, 0, kScratchBytes);
  const std::string target = type.substr(type.rfind("const ", 0) == 0 ? 6 : 0);
  const std::string base = target.substr(0, target.size() - 1);
  if (is_handle(base)) {
    const bool is_input = type != target || name.rfind("array", 0) == 0;
    const std::uint64_t bits = is_input && base != "MPI_Request" ? good_handle(base)
                               : base == "MPI_Message"           ? good_handle(base)
                                                                 : null_handle(base);
    if (sizeof(MPI_Comm) == 4 && base != "MPI_File") {
      fill(memory, static_cast<int>(bits));
    } else {
      fill(memory, bits);
    }
  }
  if (target == "char*") std::strcpy(memory, name == "datarep" ? "native" : "x");
  if (target == "int*" &&
      (name.find("dims") != std::string::npos || name.find("sizes") != std::string::npos))
    fill(memory, 1);
  return memory;
}

/// How many wrong values a parameter has.
int variants_of(const Parameter& parameter) {
  if (is_handle(parameter.type)) return kWrongHandles;
  if (parameter.type.back() == '*')
    return is_handle(parameter.type.substr(0, parameter.type.size() - 1)) ? 2 : 1;
  return is_rank(parameter.name) || is_tag(parameter.name) ? 2 : 1;
}

template <class Type>
Type value_of(const Parameter& parameter, std::size_t position, int variant) {
  if (is_handle(parameter.type))
    return from_bits<Type>(variant < 0 ? good_handle(parameter.type)
                                       : wrong_handle(parameter.type, variant));
  if constexpr (std::is_pointer_v<Type>) {
    if (variant == 0) return nullptr;
    void* pointer = good_pointer(parameter, position);
    if (variant == 1) std::memset(pointer, 0, kScratchBytes);  // a handle that is none
    return reinterpret_cast<Type>(pointer);
  } else {
    return static_cast<Type>(variant < 0 ? good_number(parameter.name)
                                         : wrong_number(parameter.name, variant));
  }
}

template <class Signature>
struct Caller;

template <class... Types>
struct Caller<int(Types...)> {
  static int call(void* entry, const Function& function, std::size_t wrong, int variant) {
    return call_with(entry, function, wrong, variant, std::index_sequence_for<Types...>{});
  }

private:
  template <std::size_t... positions>
  static int call_with(void* entry, [[maybe_unused]] const Function& function,
                       [[maybe_unused]] std::size_t wrong, [[maybe_unused]] int variant,
                       std::index_sequence<positions...>) {
    return reinterpret_cast<int (*)(Types...)>(entry)(value_of<Types>(
        function.parameters[positions], positions, positions == wrong ? variant : -1)...);
  }
};

/// "int(const void* buf, int count)" as a list.
std::vector<Parameter> parameters_in(const std::string& signature) {
  std::vector<Parameter> parameters;
  std::size_t at = signature.find('(') + 1;
  while (signature[at] != ')') {
    const std::size_t end = signature.find_first_of(",)", at);
    const std::string one = signature.substr(at, end - at);
    const std::size_t space = one.rfind(' ');
    parameters.push_back({one.substr(0, space), one.substr(space + 1)});
    at = signature[end] == ',' ? end + 2 : end;
  }
  return parameters;
}

/// Functions that are not tried: they start or end MPI, wait for another process or for their other
/// half, or need one.
bool is_left_out(const std::string& name) {
  const bool is_half = name.rfind("File_", 0) == 0 && name.find("_all_") != std::string::npos;
  return is_half || name.rfind("Session_", 0) == 0 || name.find("_ordered_") != std::string::npos ||
         is_one_of(name, {"Init", "Init_thread", "Finalize", "Abort", "Comm_spawn",
                          "Comm_spawn_multiple", "Comm_accept", "Comm_connect", "Comm_join",
                          "Open_port", "Close_port", "Lookup_name", "Publish_name",
                          "Unpublish_name", "Intercomm_create", "Intercomm_create_from_groups",
                          "Comm_create_from_group", "Group_from_session_pset"});
}

std::vector<Function> all_functions() {
  std::vector<Function> functions;
#define PLAIT_MPI_FUNCTION(name, ...) \
  functions.push_back({#name, parameters_in(#__VA_ARGS__), &Caller<__VA_ARGS__>::call});
#include "mpi_functions.inc"
#undef PLAIT_MPI_FUNCTION
  return functions;
}

/// Does the MPI library have the function? A preload object has all.
bool exists(const char* name) {
  static void* const library = [] {
    Dl_info info;
    void* known = dlsym(RTLD_DEFAULT, "MPI_Get_library_version");
    return known && dladdr(known, &info) ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
                                         : nullptr;
  }();
  return library && dlsym(library, (std::string("PMPI_") + name).c_str());
}

void on_signal(int number) {
  if (is_calling) siglongjmp(before_call, number);
  signal(number, SIG_DFL);
  raise(number);
}

void count_comm_error(MPI_Comm*, int*, ...) {
  ++handled;
}
void count_file_error(MPI_File*, int*, ...) {
  ++handled;
}
void count_win_error(MPI_Win*, int*, ...) {
  ++handled;
}

void set_handlers() {
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(&count_comm_error, &handler);
  for (MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF, grid})
    MPI_Comm_set_errhandler(comm, handler);
  MPI_File_create_errhandler(&count_file_error, &handler);
  MPI_File_set_errhandler(MPI_FILE_NULL, handler);
  MPI_File_set_errhandler(file, handler);
  MPI_Win_create_errhandler(&count_win_error, &handler);
  MPI_Win_set_errhandler(window, handler);
}

void catch_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_NODEFER;
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGALRM})
    sigaction(number, &action, nullptr);
}

void try_case(const Function& function, std::size_t wrong, int variant, unsigned patience_s) {
  const std::string name = std::string("MPI_") + function.name;
  void* entry = dlsym(RTLD_DEFAULT, name.c_str());
  needs_grid = name.find("eighbor") != std::string::npos;
  handled = 0;
  const int number = sigsetjmp(before_call, 1);
  if (number != 0) {
    is_calling = 0;
    alarm(0);
    std::printf("=%s\n", number == SIGALRM ? "hangs" : "crashes");
    return;
  }
  alarm(patience_s);
  is_calling = 1;
  const int code = function.call(entry, function, wrong, variant);
  is_calling = 0;
  alarm(0);
  const int errors = handled;
  int kind = code;
  MPI_Error_class(code, &kind);
  std::printf("=%d handled %d\n", kind, errors);
}

/// @param patience_s  0: the errors are fatal, there is one case
int run(long first, const std::set<long>& skipped, unsigned patience_s) {
  long number = 0;
  for (const Function& function : all_functions()) {
    if (is_left_out(function.name) || !exists(function.name)) continue;
    for (std::size_t wrong = 0; wrong < function.parameters.size(); ++wrong) {
      const Parameter& parameter = function.parameters[wrong];
      for (int variant = 0; variant < variants_of(parameter); ++variant, ++number) {
        if (number < first || skipped.count(number)) continue;
        std::printf("@%ld MPI_%s %s %d\n", number, function.name, parameter.name.c_str(), variant);
        std::fflush(stdout);
        if (patience_s > 0) {
          try_case(function, wrong, variant, patience_s);
          std::fflush(stdout);
          continue;
        }
        const std::string name = std::string("MPI_") + function.name;
        function.call(dlsym(RTLD_DEFAULT, name.c_str()), function, wrong, variant);
        return 0;
      }
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "60";
  MPI_Init(&argc, &argv);
  if (mode == "abort") MPI_Abort(MPI_COMM_NULL, 7);
  void* memory = nullptr;
  const int dims[] = {1}, periods[] = {1};
  MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &grid);
  MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  const std::string path = "wrong_calls-" + std::to_string(getpid()) + ".data";
  MPI_File_open(MPI_COMM_WORLD, path.c_str(),
                MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  unlink(path.c_str());
  if (mode == "fatal") {
    run(std::atol(argv[2]), {}, 0);
    MPI_Finalize();
    return 0;
  }
  set_handlers();
  catch_signals();
  std::set<long> skipped;
  for (int i = 3; i < argc; ++i) skipped.insert(std::atol(argv[i]));
  run(argc > 2 ? std::atol(argv[2]) : 0, skipped, static_cast<unsigned>(std::atol(mode.c_str())));
  std::printf("@end\n");
  std::fflush(stdout);
  // What the calls have left behind may not be fit for MPI_Finalize.
  std::_Exit(0);
}
