// SPDX-License-Identifier: BSD-3-Clause
// Helper program of plait export --to otf2 and plait import: export|import FROM TO [--force].
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "base/failure.hpp"
#include "base/shell_word.hpp"
#include "export/otf2/imported.hpp"
#include "export/otf2/write_otf2.hpp"
#include "export/outcome.hpp"
#include "export/output_file.hpp"
#include "plait/error.hpp"

namespace {

namespace fs = std::filesystem;
using namespace plait;

void export_run(const fs::path& run_dir, const fs::path& folder, bool replace) {
  const trace::Trace trace = trace::read_trace(run_dir);
  exports::require_folder(folder, replace);
  std::vector<std::string> notes;
  const trace::PlaceNames names = trace::name_places(trace, notes);
  const std::uint64_t bytes = otf2::write_otf2(trace, names, folder);
  exports::print_outcome("Exported", exports::counts_of(trace, {}), trace.problems,
                         folder / "traces.otf2", bytes, notes,
                         command_text({"otf2-print", (folder / "traces.otf2").string()}));
  trace::require_whole(trace, run_dir.string(), "what is left was written");
}

void import_file(const fs::path& file, const fs::path& run_dir, bool replace) {
  std::error_code none;
  const bool was_there = fs::exists(run_dir, none);
  exports::require_folder(run_dir, replace);
  trace::Trace trace;
  try {
    const std::vector<std::string> notes = otf2::import_otf2(file, run_dir);
    trace = trace::read_trace(run_dir);
    exports::print_outcome("Imported", exports::counts_of(trace, {}), trace.problems, run_dir, 0,
                           notes, command_text({"plait", "replay", run_dir.string()}));
  } catch (...) {
    if (!was_there) fs::remove_all(run_dir, none);
    throw;
  }
  trace::require_whole(trace, run_dir.string(), "what is left was imported");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 3 ? argv[1] : "";
  const bool replace = argc > 4 && std::string_view(argv[4]) == "--force";
  try {
    otf2::silence_libotf2();
    if (what == "export") {
      export_run(argv[2], argv[3], replace);
    } else if (what == "import") {
      import_file(argv[2], argv[3], replace);
    } else {
      throw Error(argv[0], "for internal use by plait",
                  "see plait export --help and plait import --help");
    }
  } catch (const Error& error) {
    fmt::print(stderr, "plait: error: {}\n", error.what());
    return exit_code_of(error);
  } catch (const std::exception& error) {
    fmt::print(stderr, "plait: error: {}\n", error.what());
    return 1;
  }
  return 0;
}
