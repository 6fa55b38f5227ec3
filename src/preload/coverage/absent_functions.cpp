// SPDX-License-Identifier: BSD-3-Clause
// Hides the MPI functions of this object that no MPI library has which the process may open.
//
// Python and others open their MPI library while they run, and look which functions it has (weak
// symbols of a module, dlsym). The dynamic linker would find the missing ones in this object, which
// defines all functions of MPI. So their entries in its symbol table become undefined. A program
// that is linked with the library needs nothing of this: what it uses is there.
#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "preload/hooks.hpp"
#include "preload/uncancelled.hpp"
#include "trace/record_format.h"

namespace plait::preload {
namespace {

bool is_mpi_name(const char* name) {
  return !strncmp(name, "MPI_", 4);
}

// The hashes of names.
class NameSet {
public:
  void add(const char* name) {
    if (2 * ++count_ > kRoom) return;  // more than any library has; then nothing is absent
    uint64_t* const slot = find(hash_of(name));
    if (slot) *slot = hash_of(name);
  }
  // Also true if the set is full or empty.
  [[nodiscard]] bool may_have(const char* name) {
    if (count_ == 0 || 2 * count_ > kRoom) return true;
    const uint64_t* const slot = find(hash_of(name));
    return !slot || *slot;
  }

private:
  static constexpr uint32_t kRoom = 1 << 13;

  static uint64_t hash_of(const char* name) { return plait_hash_text(name) | 1; }

  uint64_t* find(uint64_t hash) {
    for (uint32_t i = 0; i < kRoom; ++i) {
      uint64_t& slot = hashes_[(hash + i) % kRoom];
      if (!slot || slot == hash) return &slot;
    }
    return nullptr;
  }

  uint32_t count_;
  uint64_t hashes_[kRoom];
};

// An object file, mapped as it is.
class ObjectFile {
public:
  explicit ObjectFile(const char* path) {
    const int file = uncancelled::open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file >= 0 && !fstat(file, &status) && status.st_size > 0) {
      bytes_ = static_cast<size_t>(status.st_size);
      void* const mapped = mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file, 0);
      if (mapped != MAP_FAILED) begin_ = static_cast<const char*>(mapped);
    }
    if (file >= 0) uncancelled::close(file);
  }
  ~ObjectFile() {
    if (begin_) munmap(const_cast<char*>(begin_), bytes_);
  }
  ObjectFile(const ObjectFile&) = delete;
  ObjectFile& operator=(const ObjectFile&) = delete;

  // Adds the names of the MPI functions that it defines.
  void add_functions(NameSet& names) const {
    const auto* const header = part<ElfW(Ehdr)>(0, 1);
    if (!header || memcmp(static_cast<const unsigned char*>(header->e_ident), ELFMAG, SELFMAG) != 0)
      return;
    const auto* const sections = part<ElfW(Shdr)>(header->e_shoff, header->e_shnum);
    if (!sections) return;
    for (unsigned i = 0; i < header->e_shnum; ++i) {
      const ElfW(Shdr)& table = sections[i];
      if (table.sh_type != SHT_DYNSYM || table.sh_link >= header->e_shnum) continue;
      const ElfW(Shdr)& strings = sections[table.sh_link];
      const size_t count = table.sh_size / sizeof(ElfW(Sym));
      const auto* const symbols = part<ElfW(Sym)>(table.sh_offset, count);
      const auto* const text = part<char>(strings.sh_offset, strings.sh_size);
      if (!symbols || !text || strings.sh_size == 0 || text[strings.sh_size - 1]) continue;
      for (size_t s = 0; s < count; ++s) {
        if (symbols[s].st_shndx == SHN_UNDEF || symbols[s].st_name >= strings.sh_size) continue;
        const char* const name = text + symbols[s].st_name;
        if (is_mpi_name(name)) names.add(name);
      }
    }
  }

private:
  // `count` entries at an offset; null if the file does not have them.
  template <class Entry>
  [[nodiscard]] const Entry* part(uint64_t offset, uint64_t count) const {
    const bool inside = begin_ && offset <= bytes_ && offset % alignof(Entry) == 0 &&
                        count <= (bytes_ - offset) / sizeof(Entry);
    return inside ? reinterpret_cast<const Entry*>(begin_ + offset) : nullptr;
  }

  const char* begin_ = nullptr;
  size_t bytes_ = 0;
};

// The dynamic symbols of this object.
struct OwnSymbols {
  ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  uint32_t count = 0;
};

// The number of symbols, by their GNU hash table: the chains end with the last one.
uint32_t count_of(const uint32_t* hash_table) {
  const uint32_t buckets = hash_table[0], first = hash_table[1], filters = hash_table[2];
  constexpr uint32_t kPerFilter = sizeof(ElfW(Addr)) / sizeof(uint32_t);
  const uint32_t* const bucket = hash_table + 4 + filters * kPerFilter;
  const uint32_t* const chain = bucket + buckets;
  uint32_t last = 0;
  for (uint32_t i = 0; i < buckets; ++i)
    if (bucket[i] > last) last = bucket[i];
  if (last < first) return first;
  while (!(chain[last - first] & 1)) ++last;
  return last + 1;
}

OwnSymbols own_symbols(ElfW(Addr) base) {
  OwnSymbols own;
  for (const ElfW(Dyn)* entry = static_cast<const ElfW(Dyn)*>(_DYNAMIC); entry->d_tag; ++entry) {
    // Only some systems relocate these addresses.
    const ElfW(Addr) at = entry->d_un.d_ptr < base ? base + entry->d_un.d_ptr : entry->d_un.d_ptr;
    if (entry->d_tag == DT_SYMTAB) own.symbols = reinterpret_cast<ElfW(Sym)*>(at);
    if (entry->d_tag == DT_STRTAB) own.names = reinterpret_cast<const char*>(at);
    if (entry->d_tag == DT_GNU_HASH) own.count = count_of(reinterpret_cast<const uint32_t*>(at));
  }
  return own;
}

// The segment of this object in which its symbols are.
struct Segment {
  ElfW(Addr) base = 0;  // of the object
  int protection = -1;  // -1: not found
};

int find_segment(dl_phdr_info* object, size_t, void* data) {
  const auto address = reinterpret_cast<ElfW(Addr)>(&_DYNAMIC);
  bool is_own = false;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    const ElfW(Addr) begin = object->dlpi_addr + part.p_vaddr;
    is_own |= part.p_type == PT_LOAD && address >= begin && address - begin < part.p_memsz;
  }
  if (!is_own) return 0;
  auto* const found = static_cast<Segment*>(data);
  found->base = object->dlpi_addr;
  const auto symbols = reinterpret_cast<ElfW(Addr)>(own_symbols(object->dlpi_addr).symbols);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    const ElfW(Addr) begin = object->dlpi_addr + part.p_vaddr;
    if (part.p_type != PT_LOAD || symbols < begin || symbols - begin >= part.p_memsz) continue;
    found->protection = (part.p_flags & PF_R ? PROT_READ : 0) |
                        (part.p_flags & PF_W ? PROT_WRITE : 0) |
                        (part.p_flags & PF_X ? PROT_EXEC : 0);
  }
  return 1;
}

void hide_all_but(NameSet& names) {
  Segment segment;
  dl_iterate_phdr(find_segment, &segment);
  const OwnSymbols own = own_symbols(segment.base);
  if (segment.protection < 0 || !own.symbols || !own.names || !own.count) return;
  const auto page = static_cast<ElfW(Addr)>(sysconf(_SC_PAGESIZE));
  const ElfW(Addr) begin = reinterpret_cast<ElfW(Addr)>(own.symbols) & ~(page - 1);
  const size_t bytes = reinterpret_cast<ElfW(Addr)>(own.symbols + own.count) - begin;
  auto* const pages = reinterpret_cast<void*>(begin);
  if (mprotect(pages, bytes, segment.protection | PROT_WRITE) != 0) return;
  for (uint32_t i = 0; i < own.count; ++i) {
    ElfW(Sym)& symbol = own.symbols[i];
    if (symbol.st_shndx == SHN_UNDEF) continue;
    const char* const name = own.names + symbol.st_name;
    if (!is_mpi_name(name) || names.may_have(name)) continue;
    symbol.st_shndx = SHN_UNDEF;
    symbol.st_value = 0;
  }
  mprotect(pages, bytes, segment.protection);
}

}  // namespace

void hide_absent_functions() {
  const char* libraries = getenv("PLAIT_MPI_LIBRARIES");
  if (!libraries) return;
  void* const mapped =
      mmap(nullptr, sizeof(NameSet), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return;
  auto* const names = static_cast<NameSet*>(mapped);  // all zero: empty
  for (const char* next = libraries; next;) {
    char path[PATH_MAX];
    const char* const end = strchrnul(next, ':');
    const auto length = static_cast<size_t>(end - next);
    if (length < sizeof path) {
      memcpy(static_cast<char*>(path), next, length);
      path[length] = '\0';
      ObjectFile(static_cast<const char*>(path)).add_functions(*names);
    }
    next = *end ? end + 1 : nullptr;
  }
  hide_all_but(*names);
  munmap(mapped, sizeof(NameSet));
}

}  // namespace plait::preload
