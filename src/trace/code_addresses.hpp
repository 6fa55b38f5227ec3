// SPDX-License-Identifier: BSD-3-Clause
// Resolves addresses in a process to files and the addresses in them that addr2line expects.
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

/// Resolves the addresses of one process. Reads the program headers of each file once. If a file is
/// missing or is not an ELF file, its addresses are file offsets.
class CodeAddresses {
public:
  /// @param modules  in the order of mapping; the later of two that overlap is used (one library
  ///                 was unloaded and another mapped into its place)
  explicit CodeAddresses(std::vector<Module> modules);

  /// @param pc         address at run time
  /// @param is_return  pc is a return address; the result is then within the preceding call
  ///                   instruction and resolves to the line of the call
  /// @returns without a module when no module contains the address
  [[nodiscard]] CodeAddress resolve(std::uint64_t pc, bool is_return) const;

private:
  struct Segment {  // PT_LOAD
    std::uint64_t file_offset, file_bytes, virtual_address;
  };
  struct Part {  // of a module's mapping
    std::uint64_t end;
    std::size_t module;
  };
  static std::vector<Segment> read_segments(const std::string& path);
  void cover(std::uint64_t start, std::uint64_t end, std::size_t module);

  std::vector<Module> modules_;
  std::map<std::uint64_t, Part> parts_;                   // by start; they do not overlap
  std::map<std::string, std::vector<Segment>> segments_;  // by path
};

}  // namespace plait::trace
