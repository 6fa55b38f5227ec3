// SPDX-License-Identifier: BSD-3-Clause
// Resolves addresses with mappings and ELF program headers.
#include "trace/code_addresses.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

namespace plait::trace {
namespace {

std::vector<ElfFiles::Segment> read_segments(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return {};  // a pipe would block
  std::ifstream in(path, std::ios::binary);
  Elf64_Ehdr header{};
  if (!in.read(reinterpret_cast<char*>(&header), sizeof header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_phentsize != sizeof(Elf64_Phdr)) {
    return {};
  }
  std::vector<Elf64_Phdr> program(header.e_phnum);
  in.seekg(static_cast<std::streamoff>(header.e_phoff));
  if (!in.read(reinterpret_cast<char*>(program.data()),
               static_cast<std::streamsize>(program.size() * sizeof(Elf64_Phdr)))) {
    return {};
  }
  std::vector<ElfFiles::Segment> segments;
  for (const Elf64_Phdr& at : program) {
    if (at.p_type == PT_LOAD) {
      segments.push_back({at.p_offset, at.p_filesz, at.p_vaddr});
    }
  }
  return segments;
}

}  // namespace

const std::vector<ElfFiles::Segment>& ElfFiles::segments(const std::string& path) {
  const std::lock_guard hold(lock_);
  const auto [at, added] = segments_.try_emplace(path);
  if (added && path.starts_with('/')) at->second = read_segments(path);
  return at->second;
}

CodeAddresses::CodeAddresses(std::vector<Module> modules, ElfFiles* files)
    : modules_(std::move(modules)),
      own_files_(files == nullptr ? std::make_unique<ElfFiles>() : nullptr),
      files_(files == nullptr ? own_files_.get() : files) {
  for (std::size_t number = 0; number < modules_.size(); ++number) {
    const Module& module = modules_[number];
    if (module.start < module.end) cover(module.start, module.end, number);
  }
}

/// Gives [start, end) to a module, in place of those that had it before.
void CodeAddresses::cover(std::uint64_t start, std::uint64_t end, std::size_t module) {
  auto at = parts_.lower_bound(start);
  if (at != parts_.begin()) {
    Part& before = std::prev(at)->second;
    if (before.end > end) parts_.emplace_hint(at, end, before);
    before.end = std::min(before.end, start);
    at = parts_.lower_bound(start);
  }
  while (at != parts_.end() && at->first < end) {
    if (at->second.end > end) parts_.emplace(end, at->second);
    at = parts_.erase(at);
  }
  parts_.emplace(start, Part{end, module});
}

CodeAddress CodeAddresses::resolve(std::uint64_t pc, bool is_return) const {
  CodeAddress address;
  address.pc = pc;
  const std::uint64_t target = is_return && pc > 0 ? pc - 1 : pc;
  address.offset = target;
  const auto behind = parts_.upper_bound(target);
  if (behind == parts_.begin() || target >= std::prev(behind)->second.end) {
    return address;
  }
  const Module* const module = &modules_[std::prev(behind)->second.module];
  address.module = module->path;
  const std::uint64_t file_offset = target - module->start + module->file_offset;
  address.offset = file_offset;
  for (const ElfFiles::Segment& segment : files_->segments(module->path)) {
    if (file_offset >= segment.file_offset &&
        file_offset - segment.file_offset < segment.file_bytes) {
      address.offset = file_offset - segment.file_offset + segment.virtual_address;
    }
  }
  return address;
}

}  // namespace plait::trace
