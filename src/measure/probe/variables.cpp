// SPDX-License-Identifier: BSD-3-Clause
// Reads variables of the MPI library inside a rank, by the MPI tool interface.
#include "variables.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace plait::measure {
namespace {

/// The functions of the tool interface. Its handles are pointers in all libraries.
struct ToolInterface {
  int (*init_thread)(int required, int* provided) = nullptr;
  int (*finalize)() = nullptr;
  int (*cvar_get_num)(int* count) = nullptr;
  int (*cvar_get_info)(int index, char* name, int* name_length, int* verbosity, MPI_Datatype* type,
                       void** choices, char* description, int* description_length, int* binding,
                       int* scope) = nullptr;
  int (*cvar_handle_alloc)(int index, void* object, void** handle, int* count) = nullptr;
  int (*cvar_read)(void* handle, void* value) = nullptr;
  int (*cvar_handle_free)(void** handle) = nullptr;
  int (*type_size)(MPI_Datatype type, int* bytes) = nullptr;

  /// False if the library does not have them.
  bool find() {
    const auto look = [](const char* name, auto& function) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
          ::dlsym(RTLD_DEFAULT, name));
      return function != nullptr;
    };
    return look("MPI_T_init_thread", init_thread) && look("MPI_T_finalize", finalize) &&
           look("MPI_T_cvar_get_num", cvar_get_num) && look("MPI_T_cvar_get_info", cvar_get_info) &&
           look("MPI_T_cvar_handle_alloc", cvar_handle_alloc) &&
           look("MPI_T_cvar_read", cvar_read) && look("MPI_T_cvar_handle_free", cvar_handle_free) &&
           look("MPI_Type_size", type_size);
  }
};

/// Values are an int, a long, a double or a text.
std::string value_of(const ToolInterface& tool, const MpiLibrary& mpi, int index,
                     MPI_Datatype type) {
  void* handle = nullptr;
  int count = 0, size = 0;
  if (tool.type_size(type, &size) != MPI_SUCCESS ||
      tool.cvar_handle_alloc(index, nullptr, &handle, &count) != MPI_SUCCESS) {
    return {};
  }
  std::vector<char> value(static_cast<std::size_t>(std::max(1, count)) *
                              static_cast<std::size_t>(std::max(8, size)) +
                          1);
  std::string text;
  if (tool.cvar_read(handle, value.data()) == MPI_SUCCESS) {
    if (size == 1 && count == 1) {
      text = fmt::format("{}", static_cast<int>(value.front()));  // a truth value
    } else if (size == 1) {
      text = value.data();
    } else if (type == mpi.real) {
      double number = 0;
      std::memcpy(&number, value.data(), sizeof number);
      text = fmt::format("{}", number);
    } else if (size == sizeof(std::int32_t)) {
      std::int32_t number = 0;
      std::memcpy(&number, value.data(), sizeof number);
      text = fmt::format("{}", number);
    } else {
      std::int64_t number = 0;
      std::memcpy(&number, value.data(), sizeof number);
      text = fmt::format("{}", number);
    }
  }
  tool.cvar_handle_free(&handle);
  return text;
}

}  // namespace

std::vector<std::string> variable_lines(const MpiLibrary& mpi,
                                        const std::vector<std::string>& names) {
  std::vector<std::string> lines;
  ToolInterface tool;
  int provided = 0, count = 0;
  if (names.empty() || !tool.find()) return lines;
  if (tool.init_thread(MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS) return lines;
  tool.cvar_get_num(&count);
  for (int index = 0; index < count; ++index) {
    std::array<char, 256> name{};
    int length = name.size(), verbosity = 0, no_description = 0, binding = 0, scope = 0;
    MPI_Datatype type{};
    void* choices = nullptr;
    if (tool.cvar_get_info(index, name.data(), &length, &verbosity, &type, &choices, nullptr,
                           &no_description, &binding, &scope) != MPI_SUCCESS) {
      continue;
    }
    if (std::find(names.begin(), names.end(), name.data()) == names.end()) continue;
    lines.push_back(fmt::format("variable {} {}", name.data(), value_of(tool, mpi, index, type)));
  }
  tool.finalize();
  return lines;
}

}  // namespace plait::measure
