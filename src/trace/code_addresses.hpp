// SPDX-License-Identifier: BSD-3-Clause
// Resolves addresses in a process to files and the addresses in them that addr2line expects.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "trace/rank_record.hpp"

namespace plait::trace {

/// One executable mapping of the process.
struct Module {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t file_offset = 0;
  SharedText path;
};

/// The program headers of ELF files, each of which is read once, when it is needed. Several threads
/// may use it at the same time.
class ElfFiles {
public:
  struct Segment {  ///< PT_LOAD
    std::uint64_t file_offset, file_bytes, virtual_address;
  };

  /// Empty: not an ELF file.
  const std::vector<Segment>& segments(const std::string& path);

private:
  std::mutex lock_;
  std::map<std::string, std::vector<Segment>> segments_;  // by path
};

/// What the records of a run have in common, so that their readers need it once only.
struct CommonParts {
  TextPool texts;
  ElfFiles files;
};

/// Resolves the addresses of one process. If a file is missing or is not an ELF file, its addresses
/// are file offsets.
class CodeAddresses {
public:
  /// @param modules  in the order of mapping; the later of two that overlap is used (one library
  ///                 was unloaded and another mapped into its place)
  /// @param files    outlives this object; null: it reads the files for itself
  explicit CodeAddresses(std::vector<Module> modules, ElfFiles* files = nullptr);

  /// @param pc         address at run time
  /// @param is_return  pc is a return address; the result is then within the preceding call
  ///                   instruction and resolves to the line of the call
  /// @returns without a module when no module contains the address
  [[nodiscard]] CodeAddress resolve(std::uint64_t pc, bool is_return) const;

private:
  struct Part {  // of a module's mapping
    std::uint64_t end;
    std::size_t module;
  };
  void cover(std::uint64_t start, std::uint64_t end, std::size_t module);

  std::vector<Module> modules_;
  std::map<std::uint64_t, Part> parts_;  // by start; they do not overlap
  std::unique_ptr<ElfFiles> own_files_;
  ElfFiles* files_;
};

}  // namespace plait::trace
