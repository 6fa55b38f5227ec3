// SPDX-License-Identifier: BSD-3-Clause
// From an address in a process to a file and the address within it that addr2line understands.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "trace/rank_record.hpp"

namespace plait::trace {

/// One executable mapping of the process.
struct Module {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t file_offset = 0;
  std::string path;
};

/// Resolves the addresses of one process. Reads the program headers of each file once; a file that
/// is gone, or no ELF file, leaves the file offset in their place.
class CodeAddresses {
public:
  /// @param modules  in any order; those named later win where two overlap (a library that was
  ///                 unloaded, and another mapped into its place)
  explicit CodeAddresses(std::vector<Module> modules);

  /// @param pc        as seen at run time
  /// @param is_return pc is a return address: the offset then lies within the call before it, so
  ///                  that it names the line of the call
  [[nodiscard]] CodeAddress resolve(std::uint64_t pc, bool is_return) const;

private:
  struct Segment {  // PT_LOAD
    std::uint64_t file_offset, file_bytes, virtual_address;
  };
  static std::vector<Segment> read_segments(const std::string& path);

  std::vector<Module> modules_;
  std::map<std::string, std::vector<Segment>> segments_;  // by path
};

}  // namespace plait::trace
