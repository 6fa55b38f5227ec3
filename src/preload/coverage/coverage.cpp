// SPDX-License-Identifier: BSD-3-Clause
// Reports what Plait does not see: MPI entry points that the program imports and this object does
// not define, and other tools that intercept MPI calls before or after it.
#include <dlfcn.h>
#include <elf.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "preload/coverage/loaded.hpp"
#include "preload/hooks.hpp"
#include "preload/recorder.hpp"

namespace plait::preload {

namespace {

bool begins(const char* text, const char* with) {
  return !strncmp(text, with, strlen(with));
}

// Libraries of the MPI implementations: calls between them are not calls of the program.
constexpr const char* kMpiLibraries[] = {
    "libmpi.",   "libmpi_",   "libmpich", "libmpifort", "libmpicxx", "libmpl.",
    "libopen-",  "libopa.",   "libpmi",   "libromio",   "libmca_",   "mca_",
    "liboshmem", "libfabric", "libucp",   "libuct",     "libucs"};

bool is_mpi_library(const char* file) {
  for (const char* known : kMpiLibraries)
    if (begins(file, known)) return true;
  return false;
}

// The address in an entry of the dynamic section. Only some systems relocate these addresses.
template <class Type>
const Type* at(const dl_phdr_info& object, uintptr_t address) {
  return reinterpret_cast<const Type*>(address < object.dlpi_addr ? object.dlpi_addr + address
                                                                  : address);
}

struct Imports {
  const ElfW(Sym) * symbols;
  const char* names;
  uint32_t count;  // of the symbols that include all imports
};

Imports imports_of(const dl_phdr_info& object) {
  Imports imports{};
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    if (object.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const auto* entry =
        reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      const uintptr_t value = entry->d_un.d_ptr;
      if (entry->d_tag == DT_SYMTAB) imports.symbols = at<ElfW(Sym)>(object, value);
      if (entry->d_tag == DT_STRTAB) imports.names = at<char>(object, value);
      if (entry->d_tag == DT_HASH) imports.count = at<uint32_t>(object, value)[1];
      // The hash covers what is defined; imports are the symbols before the first it covers.
      if (entry->d_tag == DT_GNU_HASH) imports.count = at<uint32_t>(object, value)[1];
    }
  }
  return imports;
}

const void* own_base() {
  Dl_info self{};
  dladdr(reinterpret_cast<const void*>(&own_base), &self);
  return self.dli_fbase;
}

// The file whose definition of `name` is called; "" if there is none, or if it is data or ours.
const char* definer(const char* name) {
  const void* address = dlsym(RTLD_DEFAULT, name);
  Dl_info info{};
  void* extra = nullptr;
  if (!address || !dladdr1(address, &info, &extra, RTLD_DL_SYMENT) || !info.dli_fname) return "";
  if (info.dli_fbase == own_base()) return "";
  const auto* symbol = static_cast<const ElfW(Sym)*>(extra);
  if (symbol && ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT) return "";
  return base_name(info.dli_fname);
}

bool is_fortran_name(const char* name) {
  const bool lower = begins(name, "mpi_") || begins(name, "pmpi_");
  return (lower && name[strlen(name) - 1] == '_') || strstr(name, "_f08") != nullptr;
}

bool is_c_name(const char* name) {
  if (*name == 'P') ++name;
  return begins(name, "MPI_") || begins(name, "MPIX_");
}

// Fortran layers of the known MPIs call C entry points that this object defines.
bool is_unseen(const char* name) {
  if (is_fortran_name(name)) {
    const char* file = definer(name);
    return *file && !is_mpi_library(file);
  }
  if (!is_c_name(name) || is_wrapped(name)) return false;
  const char* file = definer(name);
  if (!*file) return false;
  bool fortran = true;  // MPI_SEND, as some Fortran compilers spell it
  for (const char* letter = name; *letter; ++letter) fortran &= *letter < 'a' || *letter > 'z';
  return !fortran || !is_mpi_library(file);
}

void keep(const char* name) {
  const uint32_t string = add_string(name);
  if (!string) return;
  for (uint32_t i = 0; i < record->sections[PLAIT_SECTION_UNSEEN].count; ++i)
    if (*entry_at<uint32_t>(PLAIT_SECTION_UNSEEN, i) == string) return;
  auto* entry = static_cast<uint32_t*>(append(PLAIT_SECTION_UNSEEN));
  if (!entry) return;
  *entry = string;
  publish(PLAIT_SECTION_UNSEEN);
}

// Another tool that also intercepts MPI calls.
void look_for_interposers() {
  const void* const ours = own_base();
  Dl_info first{}, next{};
  char text[512];
  const void* front = dlsym(RTLD_DEFAULT, "MPI_Send");
  if (front && dladdr(front, &first) && first.dli_fbase != ours &&
      !is_mpi_library(base_name(first.dli_fname))) {
    snprintf(
        text, sizeof text,
        "%s intercepts MPI calls before Plait: Plait does not see calls that it does not pass on",
        base_name(first.dli_fname));
    note(text);
  }
  const void* behind = dlsym(RTLD_NEXT, "MPI_Send");
  if (behind && dladdr(behind, &next) && next.dli_fbase != ours &&
      !is_mpi_library(base_name(next.dli_fname))) {
    snprintf(text, sizeof text,
             "%s intercepts MPI calls after Plait: its own time counts as MPI time",
             base_name(next.dli_fname));
    note(text);
  }
}

}  // namespace

void coverage_check() {
  if (!record) return;
  Dl_info self{};
  dladdr(reinterpret_cast<const void*>(&coverage_check), &self);
  any_loaded([&](const char* path, const dl_phdr_info& object) {
    const char* file = base_name(path);
    if (is_mpi_library(file) || begins(file, "linux-vdso") ||
        !strcmp(file, base_name(self.dli_fname))) {
      return false;
    }
    const Imports imports = imports_of(object);
    if (!imports.symbols || !imports.names) return false;
    for (uint32_t i = 1; i < imports.count; ++i) {
      const ElfW(Sym)& symbol = imports.symbols[i];
      if (symbol.st_shndx != SHN_UNDEF) continue;
      const char* name = imports.names + symbol.st_name;
      if ((begins(name, "MPI") || begins(name, "PMPI") || is_fortran_name(name)) &&
          is_unseen(name)) {
        keep(name);
      }
    }
    return false;
  });
  look_for_interposers();
}

}  // namespace plait::preload
