// SPDX-License-Identifier: BSD-3-Clause
// The settings of MPI-IO that can matter to a program.
#include "tune/file_candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "text/units.hpp"

namespace plait::tune {
namespace {

constexpr double kMiB = 1024.0 * 1024;

/// Of ROMIO 3.2 and newer: whether ranks collect data before they access a file, in buffers of
/// which size, and whether they access holes between data too (data sieving).
constexpr const char* kHints[] = {"romio_cb_write enable",  "romio_cb_write disable",
                                  "romio_cb_read disable",  "romio_ds_write disable",
                                  "cb_buffer_size 1048576", "cb_buffer_size 67108864"};

class Files {
public:
  Files(const MessageUse& use, const Registry& registry)
      : use_(use),
        registry_(registry),
        reason_(fmt::format("{} of the time is in calls of MPI for files",
                            format_percent(use.file_share))) {}

  std::vector<Candidate> find() {
    if (registry_.find("collective_io") != nullptr) {
      add_ompio();
    } else if (registry_.launcher.kind != launcher::LauncherKind::slurm) {
      for (const char* hint : kHints) add_hint(fmt::format("MPI-IO hint {}", hint), {}, hint);
    }
    return std::move(all_);
  }

private:
  /// Open MPI's own component (OMPIO), and ROMIO in its place.
  void add_ompio() {
    const Setting* const module = registry_.find("io_module");
    if (module != nullptr) add("ROMIO", romio(*module));
    const Setting& collective = *registry_.find("collective_io");
    for (const auto& [number, name] : collective.choices) {
      add("collective access by " + name, {{collective.variable, name}});
    }
    if (const Setting* const buffer = registry_.find("collective_buffer")) {
      for (const double bytes : {4 * kMiB, 128 * kMiB}) {
        add("buffers of collective access of " + format_bytes(bytes),
            {{buffer->variable, fmt::format("{:.0f}", bytes)}});
      }
    }
    if (module == nullptr) return;
    for (const char* hint : kHints) {
      add_hint(fmt::format("ROMIO, hint {}", hint), romio(*module), hint);
    }
  }

  static Settings romio(const Setting& module) {
    return {{module.variable, module.choices.front().first}};
  }

  Candidate& add(const std::string& name, const Settings& settings) {
    Candidate candidate{"MPI-IO", name, reason_, use_.file_share};
    candidate.settings = settings;
    return all_.emplace_back(std::move(candidate));
  }

  void add_hint(const std::string& name, const Settings& settings, const std::string& hint) {
    std::string file = "hints-" + hint;
    std::ranges::replace(file, ' ', '-');
    Candidate& candidate = add(name, settings);
    candidate.files[file] = hint + "\n";
    candidate.settings[kHintsVariable] = std::string(launcher::kFilesFolder) + "/" + file;
  }

  const MessageUse& use_;
  const Registry& registry_;
  std::string reason_;
  std::vector<Candidate> all_;
};

}  // namespace

std::vector<Candidate> file_candidates(const MessageUse& use, const Registry& registry) {
  return Files(use, registry).find();
}

}  // namespace plait::tune
