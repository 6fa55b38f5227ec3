// SPDX-License-Identifier: BSD-3-Clause
// Reads the needed libraries and the MPI functions of an ELF file without running it.
#include "run/elf.hpp"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "plait/error.hpp"

namespace plait::run {
namespace {

/// A file mapped read-only; every access is checked against its end.
class MappedFile {
public:
  explicit MappedFile(const std::filesystem::path& path) : name_(path.string()) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat about {};
    if (fd < 0 || ::fstat(fd, &about) != 0) {
      const int why = errno;
      if (fd >= 0) ::close(fd);
      throw Error(name_, fmt::format("cannot be read ({})", std::strerror(why)),
                  "check the path and its permissions");
    }
    size_ = static_cast<std::size_t>(about.st_size);
    if (size_ > 0) data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
    ::close(fd);
    if (data_ == MAP_FAILED) {
      throw Error(name_, fmt::format("cannot be read ({})", std::strerror(errno)), "");
    }
  }
  ~MappedFile() {
    if (data_ != nullptr && data_ != MAP_FAILED) ::munmap(data_, size_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] std::string_view bytes() const { return {static_cast<const char*>(data_), size_}; }
  [[nodiscard]] bool holds(std::uint64_t offset, std::uint64_t count) const {
    return offset <= size_ && count <= size_ - offset;
  }
  template <class T>
  [[nodiscard]] T at(std::uint64_t offset) const {
    if (!holds(offset, sizeof(T))) throw damaged();
    T value;
    std::memcpy(&value, static_cast<const char*>(data_) + offset, sizeof value);
    return value;
  }
  [[nodiscard]] std::string text(std::uint64_t offset) const {
    if (!holds(offset, 1)) throw damaged();
    const std::string_view rest = bytes().substr(offset);
    const std::size_t end = rest.find('\0');
    if (end == rest.npos) throw damaged();
    return std::string(rest.substr(0, end));
  }
  [[nodiscard]] Error damaged() const {
    return {name_, "damaged ELF file", "build or install it again"};
  }

private:
  std::string name_;
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

struct Segment {
  std::uint64_t address = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

/// Functions that every MPI library defines, in C and in the usual Fortran spellings.
constexpr std::array<std::string_view, 4> kMpiNames{"MPI_Init", "PMPI_Init", "mpi_init_",
                                                    "MPI_Init_thread"};
/// Texts in the read-only data of MPICH (and MPIs derived from it) and of Open MPI.
constexpr std::array<std::string_view, 2> kMpiTexts{"MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM",
                                                    "ompi_mpi_init: "};

class Reader {
public:
  Reader(const MappedFile& file, ElfFile& result) : file_(file), result_(result) {
    header_ = file.at<Elf64_Ehdr>(0);
  }

  void read() {
    read_segments();
    if (result_.dynamic) read_dynamic();
    read_sections();
    if (result_.own_mpi.empty() && result_.is_static() && header_.e_type != ET_REL &&
        header_.e_entry != 0) {
      find_mpi_texts();
    }
  }

private:
  void read_segments() {
    for (unsigned i = 0; i < header_.e_phnum; ++i) {
      const auto segment =
          file_.at<Elf64_Phdr>(header_.e_phoff + std::uint64_t{i} * header_.e_phentsize);
      if (segment.p_type == PT_INTERP) result_.interpreter = file_.text(segment.p_offset);
      if (segment.p_type == PT_LOAD) {
        loads_.push_back({segment.p_vaddr, segment.p_offset, segment.p_filesz});
      }
      if (segment.p_type == PT_DYNAMIC) {
        result_.dynamic = true;
        dynamic_ = {segment.p_vaddr, segment.p_offset, segment.p_filesz};
      }
    }
  }

  [[nodiscard]] std::uint64_t offset_of(std::uint64_t address) const {
    for (const Segment& load : loads_) {
      if (address >= load.address && address - load.address < load.bytes) {
        return load.offset + (address - load.address);
      }
    }
    throw file_.damaged();
  }

  std::vector<std::string> folders(const std::string& list) const {
    std::vector<std::string> result;
    const std::string origin = std::filesystem::weakly_canonical(result_.path).parent_path();
    for (std::size_t begin = 0; begin <= list.size();) {
      const std::size_t end = std::min(list.find(':', begin), list.size());
      std::string folder = list.substr(begin, end - begin);
      for (const std::string name : {"$ORIGIN", "${ORIGIN}"}) {
        for (std::size_t at = folder.find(name); at != folder.npos; at = folder.find(name)) {
          folder.replace(at, name.size(), origin);
        }
      }
      if (!folder.empty()) result.push_back(folder);
      begin = end + 1;
    }
    return result;
  }

  void read_dynamic() {
    std::uint64_t strings = 0;
    std::vector<Elf64_Dyn> entries;
    for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic_.bytes; at += sizeof(Elf64_Dyn)) {
      const auto entry = file_.at<Elf64_Dyn>(dynamic_.offset + at);
      if (entry.d_tag == DT_NULL) break;
      if (entry.d_tag == DT_STRTAB) strings = offset_of(entry.d_un.d_ptr);
      entries.push_back(entry);
    }
    for (const Elf64_Dyn& entry : entries) {
      const auto value = [&] { return file_.text(strings + entry.d_un.d_val); };
      if (entry.d_tag == DT_NEEDED) result_.needed.push_back(value());
      if (entry.d_tag == DT_RPATH) result_.rpath = folders(value());
      if (entry.d_tag == DT_RUNPATH) result_.runpath = folders(value());
    }
  }

  void read_sections() {
    if (header_.e_shoff == 0) return;
    for (unsigned i = 0; i < header_.e_shnum; ++i) {
      const auto section = section_at(i);
      if (section.sh_type == SHT_DYNSYM || section.sh_type == SHT_SYMTAB) read_symbols(section);
    }
  }

  [[nodiscard]] Elf64_Shdr section_at(std::uint64_t index) const {
    return file_.at<Elf64_Shdr>(header_.e_shoff + index * header_.e_shentsize);
  }

  void read_symbols(const Elf64_Shdr& table) {
    if (table.sh_entsize != sizeof(Elf64_Sym)) return;
    if (!file_.holds(table.sh_offset, table.sh_size)) throw file_.damaged();
    const Elf64_Shdr strings = section_at(table.sh_link);
    for (std::uint64_t at = 0; at < table.sh_size; at += sizeof(Elf64_Sym)) {
      const auto symbol = file_.at<Elf64_Sym>(table.sh_offset + at);
      if (symbol.st_name == 0) continue;
      const bool defined = symbol.st_shndx != SHN_UNDEF;
      if (defined && (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || !result_.own_mpi.empty())) {
        continue;
      }
      const std::string name = file_.text(strings.sh_offset + symbol.st_name);
      if (!defined && table.sh_type == SHT_DYNSYM) result_.imports.push_back(name);
      if (defined) {
        for (const std::string_view known : kMpiNames) {
          if (name == known) result_.own_mpi = name;
        }
      }
    }
  }

  void find_mpi_texts() {
    for (const std::string_view text : kMpiTexts) {
      if (file_.bytes().find(text) != std::string_view::npos) result_.own_mpi = text;
    }
  }

  const MappedFile& file_;
  ElfFile& result_;
  Elf64_Ehdr header_{};
  std::vector<Segment> loads_;
  Segment dynamic_;
};

#if defined(__x86_64__)
constexpr std::uint16_t kOurMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr std::uint16_t kOurMachine = EM_AARCH64;
#elif defined(__powerpc64__)
constexpr std::uint16_t kOurMachine = EM_PPC64;
#else
constexpr std::uint16_t kOurMachine = EM_RISCV;
#endif

}  // namespace

std::optional<ElfFile> read_elf(const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path)) {
    throw Error(path.string(), "a folder, not a program", "pass a program in it");
  }
  const MappedFile file(path);
  if (!file.holds(0, EI_NIDENT) || file.bytes().substr(0, SELFMAG) != ELFMAG) return std::nullopt;
  if (file.bytes()[EI_CLASS] != ELFCLASS64 ||
      file.at<std::uint16_t>(offsetof(Elf64_Ehdr, e_machine)) != kOurMachine) {
    throw Error(path.string(), "built for another architecture", "build it for this one");
  }
  ElfFile result;
  result.path = path;
  Reader(file, result).read();
  return result;
}

}  // namespace plait::run
