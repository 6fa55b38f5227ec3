// SPDX-License-Identifier: BSD-3-Clause
// Reads an OTF2 archive and writes it as the packed trace of a run directory.
#include <fmt/format.h>

#include <system_error>

#include "export/otf2/imported.hpp"
#include "export/otf2/imported_source.hpp"
#include "plait/error.hpp"
#include "trace/pack.hpp"

namespace plait::otf2 {

namespace fs = std::filesystem;

std::vector<std::string> import_otf2(const fs::path& file, const fs::path& run_dir) {
  const Reader reader(OTF2_Reader_Open(file.c_str()));
  if (!reader) {
    throw Error(file.string(), "is no OTF2 archive, or cannot be read",
                "name the anchor file, which is mostly called traces.otf2");
  }
  check_read(OTF2_Reader_SetSerialCollectiveCallbacks(reader.get()), file, "cannot be read");
  Imported imported;
  read_definitions(reader.get(), file, imported);
  read_events(reader.get(), file, imported);
  // Under its own name only when it is whole.
  const fs::path part = run_dir / "trace.part", whole = run_dir / "trace";
  std::error_code error;
  fs::create_directories(part, error);
  if (error) {
    throw Error(run_dir.string(), "cannot be made (" + error.message() + ")",
                "name another folder by -o", 1);
  }
  for (std::uint32_t rank = 0; rank < imported.processes.size(); ++rank) {
    ImportedSource source(imported, rank, imported.processes[rank]);
    trace::pack_events(source, part / fmt::format("{}.ptrace", rank));
    imported.processes[rank] = {};
  }
  fs::remove_all(whole, error);
  fs::rename(part, whole, error);
  if (error) {
    throw Error(run_dir.string(), "cannot be written (" + error.message() + ")",
                "name another folder by -o", 1);
  }
  imported.notes.emplace_back(
      "plait replay and plait export take it as a recorded trace. OTF2 does not tell call paths, "
      "which receives asked for any source, or idle threads of OpenMP regions; plait report also "
      "needs what plait run writes beside a trace");
  return imported.notes;
}

}  // namespace plait::otf2
