// SPDX-License-Identifier: BSD-3-Clause
// Finds the function, file and line of code addresses with addr2line.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "trace/rank_record.hpp"

namespace plait::trace {

/// A stack frame by name.
struct Frame {
  std::string function;  ///< see readable_function; empty: unknown
  std::string file;      ///< empty: no debug information
  int line = 0;
  std::string module;  ///< empty: unknown, or Python
  std::string offset;  ///< "0x1234", within the module; empty: Python
  bool operator==(const Frame&) const = default;
};

/// True for files of an MPI library or of Plait, whose frames are not the user's.
bool is_mpi_module(const std::string& path);

/// True for runtimes of OpenMP, whose frames are between a region and what is around it.
bool is_openmp_runtime(const std::string& path);

/// True for the functions that call main.
bool starts_program(const std::string& function);

/// Collects addresses, resolves all of them at once, then looks them up.
class Symbolizer {
public:
  enum class Modules { users, all };  ///< users: those of MPI libraries are not named

  explicit Symbolizer(Modules modules = Modules::users) : modules_(modules) {}

  /// Adds an address to those that resolve() looks up.
  void want(const CodeAddress& address);

  /// Runs `addr2line` once per module (for at most 20 s each), and `nm` where lines are not known.
  /// Addresses that neither can name keep module and offset.
  /// @param notes  receives a sentence about each module that could not be resolved
  void resolve(std::vector<std::string>& notes);

  /// The frames of an address, innermost inlined function first; never empty.
  [[nodiscard]] std::vector<Frame> frames(const CodeAddress& address) const;

  /// The user's frames of a call site: without those inside MPI libraries and mpi4py, and those
  /// that call main, unless there are no others.
  [[nodiscard]] std::vector<Frame> user_frames(const Site& site) const;

private:
  Modules modules_;
  std::map<std::string, std::set<std::uint64_t>> wanted_;
  std::map<std::pair<std::string, std::uint64_t>, std::vector<Frame>> named_;
};

/// Functions by their first address, each with the address after its last byte.
using FunctionExtents = std::map<std::uint64_t, std::uint64_t>;

/// Reads the output of `nm -S`.
FunctionExtents parse_nm(const std::string& text);

/// Clears the names of frames that have no line and whose address is in no function: addr2line
/// names the last exported function before such an address, however far away it is.
void clear_wrong_names(const FunctionExtents& functions,
                       std::map<std::uint64_t, std::vector<Frame>>& frames_by_address);

/// Reads the output of `addr2line -a -f -C -i`: frames by address.
std::map<std::uint64_t, std::vector<Frame>> parse_addr2line(const std::string& text,
                                                            const std::string& module);

}  // namespace plait::trace
