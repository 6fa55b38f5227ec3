// SPDX-License-Identifier: BSD-3-Clause
// Reads the symbol tables of loaded ELF files.
#pragma once

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace plait::preload::functions {

/// Calls `visit(name, address)` for each function of an ELF file, from its symbol table, or, if it
/// was stripped, from its dynamic symbols; addresses are virtual. Nothing for a file that cannot be
/// read. Makes system calls.
template <class Visit>
void each_function(const char* path, Visit&& visit) {
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  struct stat status;
  const bool sized = fstat(file, &status) == 0 && status.st_size > 0;
  const uint64_t bytes = sized ? static_cast<uint64_t>(status.st_size) : 0;
  void* mapped = sized ? mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
  ::close(file);
  if (mapped == MAP_FAILED) return;
  const auto* begin = static_cast<const char*>(mapped);
  const auto within = [&](uint64_t offset, uint64_t size) {
    return offset <= bytes && size <= bytes - offset;
  };
  const auto* head = reinterpret_cast<const ElfW(Ehdr)*>(begin);
  const ElfW(Shdr)* sections = nullptr;
  if (within(0, sizeof *head) && !memcmp(head->e_ident, ELFMAG, SELFMAG) &&
      head->e_shentsize == sizeof *sections &&
      within(head->e_shoff, uint64_t{head->e_shnum} * sizeof *sections))
    sections = reinterpret_cast<const ElfW(Shdr)*>(begin + head->e_shoff);
  const ElfW(Shdr)* table = nullptr;
  for (uint32_t i = 0; sections && i < head->e_shnum; ++i) {
    if (sections[i].sh_type == SHT_SYMTAB) table = &sections[i];
    if (sections[i].sh_type == SHT_DYNSYM && !table) table = &sections[i];
  }
  if (table && table->sh_link < head->e_shnum && within(table->sh_offset, table->sh_size)) {
    const ElfW(Shdr)& text = sections[table->sh_link];
    const bool has_names = within(text.sh_offset, text.sh_size) && text.sh_size > 0 &&
                           begin[text.sh_offset + text.sh_size - 1] == '\0';
    const auto* symbol = reinterpret_cast<const ElfW(Sym)*>(begin + table->sh_offset);
    const uint64_t count = has_names ? table->sh_size / sizeof *symbol : 0;
    for (uint64_t i = 0; i < count; ++i, ++symbol)
      // The type has the same place in symbols of 32 and 64 bits.
      if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_value &&
          symbol->st_name < text.sh_size)
        visit(begin + text.sh_offset + symbol->st_name, uint64_t{symbol->st_value});
  }
  munmap(mapped, bytes);
}

}  // namespace plait::preload::functions
