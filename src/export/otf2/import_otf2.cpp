// SPDX-License-Identifier: BSD-3-Clause
// Reads an OTF2 archive and writes it as the packed trace of a run directory.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>
#include <system_error>

#include "base/child.hpp"
#include "base/failure.hpp"
#include "export/otf2/imported.hpp"
#include "export/otf2/imported_source.hpp"
#include "plait/error.hpp"
#include "trace/pack.hpp"

namespace plait::otf2 {

namespace fs = std::filesystem;

namespace {

struct Size {
  std::uint64_t bytes = 0, files = 0;
};

/// Of an archive: FOLDER/NAME.otf2, NAME.def, and the files in NAME.
Size size_of(const fs::path& anchor) {
  Size size;
  const auto add = [&](const fs::path& file) {
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(file, error);
    if (error) return;
    size.bytes += bytes;
    ++size.files;
  };
  add(anchor);
  fs::path rest = anchor;
  add(rest.replace_extension(".def"));
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(rest.replace_extension(), error)) {
    add(entry.path());
  }
  return size;
}

/// Far more than archives of that size take: libotf2 reads 50 MB/s, and has a buffer of up to 16
/// MiB for each file.
ChildLimits limits_for(const Size& size) {
  const std::uint64_t cpu_s = 4 + size.bytes / 1'000'000;
  return {.cpu_s = cpu_s,
          .wall_s = 30 + 10 * cpu_s,
          .memory_bytes = (1ULL << 30) + 64 * size.bytes + (size.files << 24)};
}

/// Notes in lines.
std::string import_here(const fs::path& file, const fs::path& run_dir) {
  const Reader reader(OTF2_Reader_Open(file.c_str()));
  if (!reader) {
    throw Error(file.string(), "not an OTF2 archive, or cannot be read",
                "pass the anchor file, usually traces.otf2");
  }
  check_read(OTF2_Reader_SetSerialCollectiveCallbacks(reader.get()), file, "cannot be read");
  Imported imported;
  read_definitions(reader.get(), file, imported);
  read_events(reader.get(), file, imported);
  // Renamed when it is complete.
  const fs::path part = run_dir / "trace.part", whole = run_dir / "trace";
  std::error_code error;
  fs::remove_all(part, error);  // of a command that was killed
  fs::create_directories(part, error);
  if (error) {
    throw Failure(run_dir.string(), "cannot be created (" + error.message() + ")",
                  "choose another path with -o");
  }
  for (std::uint32_t rank = 0; rank < imported.processes.size(); ++rank) {
    ImportedSource source(imported, rank, imported.processes[rank]);
    trace::pack_events(source, part / fmt::format("{}.ptrace", rank));
    imported.processes[rank] = {};
  }
  fs::remove_all(whole, error);
  fs::rename(part, whole, error);
  if (error) {
    throw Failure(run_dir.string(), "cannot be written (" + error.message() + ")",
                  "choose another path with -o");
  }
  imported.notes.emplace_back(
      "plait replay and plait export read it like a recorded trace. OTF2 has no call paths, no "
      "receives from any source and no idle OpenMP threads. plait report cannot read it, because "
      "it needs the other files of plait run");
  return fmt::format("{}", fmt::join(imported.notes, "\n"));
}

}  // namespace

std::vector<std::string> import_otf2(const fs::path& file, const fs::path& run_dir) {
  const ChildOutcome outcome =
      run_in_child([&] { return import_here(file, run_dir); }, limits_for(size_of(file)));
  if (!outcome.error.empty()) throw damaged_archive(file, "damaged: libotf2 " + outcome.error);
  std::vector<std::string> notes;
  std::istringstream lines(outcome.text);
  for (std::string line; std::getline(lines, line);) notes.push_back(line);
  return notes;
}

}  // namespace plait::otf2
