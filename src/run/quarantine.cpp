// SPDX-License-Identifier: BSD-3-Clause
// Keeps a list of settings of MPI libraries with which a job hung, crashed or did not start.
#include "run/quarantine.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <sstream>

#include "base/environment.hpp"
#include "base/json.hpp"
#include "base/json_file.hpp"
#include "base/user_data.hpp"
#include "plait/error.hpp"
#include "run/run_directory.hpp"

namespace plait::run {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kSchema = "plait-quarantine";
constexpr int kVersion = 1;

fs::path folder_or_default(const fs::path& folder) {
  return folder.empty() ? user_state_folder() / "quarantine" : folder;
}

/// Identifies the settings, the MPI and the host (FNV-1a, 64 bits).
std::string id_of(const Quarantined& entry) {
  std::string text = entry.mpi + '\n' + entry.version + '\n' + entry.host;
  for (const std::string& setting : entry.settings) text += '\n' + setting;
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char byte : text) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 1099511628211ULL;
  }
  return fmt::format("{:08x}", hash & 0xffffffffU);
}

json json_of(const Quarantined& entry) {
  json value = {{"schema", kSchema},
                {"schema_version", kVersion},
                {"mpi", entry.mpi},
                {"version", entry.version},
                {"host", entry.host},
                {"settings", entry.settings},
                {"ending", outcome_name(entry.what.kind)},
                {"exit_code", entry.what.exit_code},
                {"words", entry.what.message},
                {"when", entry.when},
                {"command", entry.command}};
  value["signal"] = entry.what.signal ? json(*entry.what.signal) : json(nullptr);
  value["limit_s"] = entry.what.limit_s ? json(*entry.what.limit_s) : json(nullptr);
  return value;
}

Quarantined entry_of(const json& value, const std::string& id) {
  Quarantined entry;
  entry.id = id;
  entry.mpi = value.at("mpi");
  entry.version = value.at("version");
  entry.host = value.at("host");
  entry.settings = value.at("settings").get<std::vector<std::string>>();
  entry.what.kind = outcome_named(value.at("ending")).value_or(Outcome::failed);
  entry.what.exit_code = value.at("exit_code");
  entry.what.message = value.at("words");
  if (!value.at("signal").is_null()) entry.what.signal = value.at("signal").get<int>();
  if (!value.at("limit_s").is_null()) entry.what.limit_s = value.at("limit_s").get<double>();
  entry.when = value.at("when");
  entry.command = value.at("command").get<std::vector<std::string>>();
  return entry;
}

/// One form for all ways to give a setting: "--mca btl self" of Open MPI's launcher becomes
/// OMPI_MCA_btl=self, "-genv A 1" of hydra becomes A=1.
std::string one_form(const std::string& setting) {
  std::istringstream text(setting);
  std::string option, name, value;
  if (!(text >> option >> name) || !std::getline(text >> std::ws, value)) return setting;
  const std::string bare = option.substr(std::min(option.find_first_not_of('-'), option.size()));
  if (bare == option) return setting;
  if (bare == "mca") return "OMPI_MCA_" + name + "=" + value;
  return bare == "genv" || bare == "env" ? name + "=" + value : setting;
}

/// Launcher options, each joined with its values.
void add_options(const launcher::Plan& plan, std::vector<std::string>& settings) {
  for (const std::string& argument : plan.launcher_options) {
    if (argument.starts_with('-') || settings.empty() || !settings.back().starts_with('-')) {
      settings.push_back(argument);
    } else {
      settings.back() += " " + argument;
    }
  }
}

}  // namespace

std::vector<std::string> settings_of(const launcher::Plan& plan) {
  std::vector<std::string> settings;
  add_options(plan, settings);
  for (const auto& [name, value] : plan.environment) {
    if (!name.starts_with("OMP_")) settings.push_back(name + "=" + value);
  }
  if (!plan.wait.empty()) settings.push_back("PLAIT_WAIT=" + plan.wait);
  if (!plan.transport.empty()) settings.push_back("PLAIT_TRANSPORT=" + plan.transport);
  std::sort(settings.begin(), settings.end());
  return settings;
}

std::vector<Quarantined> quarantined(const fs::path& folder) {
  std::vector<Quarantined> all;
  std::error_code none;
  for (const fs::directory_entry& file : fs::directory_iterator(folder_or_default(folder), none)) {
    if (file.path().extension() != ".json") continue;
    try {
      all.push_back(
          entry_of(read_json_file(file.path(), kSchema, kVersion), file.path().stem().string()));
    } catch (const std::exception&) {
      continue;  // incomplete, or of a newer Plait
    }
  }
  std::sort(all.begin(), all.end(), [](const Quarantined& a, const Quarantined& b) {
    return std::tie(a.when, a.id) < std::tie(b.when, b.id);
  });
  return all;
}

std::vector<Quarantined> quarantined_in(const std::vector<Quarantined>& all,
                                        const launcher::Launcher& launcher,
                                        const std::vector<std::string>& settings) {
  std::vector<Quarantined> found;
  const std::string host = host_name();
  std::set<std::string> given;
  for (const std::string& setting : settings) given.insert(one_form(setting));
  for (const Quarantined& entry : all) {
    const bool same_mpi = entry.mpi == launcher::kind_name(launcher.kind) &&
                          entry.version == launcher.version && entry.host == host;
    const bool has_all =
        std::all_of(entry.settings.begin(), entry.settings.end(),
                    [&](const std::string& setting) { return given.count(one_form(setting)) > 0; });
    if (same_mpi && has_all && !entry.settings.empty()) found.push_back(entry);
  }
  return found;
}

Quarantined put_into_quarantine(Quarantined entry, const fs::path& folder) {
  std::sort(entry.settings.begin(), entry.settings.end());
  entry.id = id_of(entry);
  entry.when = iso_now();
  const fs::path at = folder_or_default(folder);
  std::error_code none;
  fs::create_directories(at, none);
  write_json_file(at / (entry.id + ".json"), json_of(entry));
  return entry;
}

int forget_quarantined(const std::string& id, const fs::path& folder) {
  int gone = 0;
  for (const Quarantined& entry : quarantined(folder)) {
    if (id != "all" && id != entry.id) continue;
    std::error_code none;
    if (fs::remove(folder_or_default(folder) / (entry.id + ".json"), none)) ++gone;
  }
  if (gone == 0) {
    throw Error(id, "not in quarantine", "plait doctor lists the IDs");
  }
  return gone;
}

std::string quarantine_sentence(const Quarantined& entry) {
  launcher::Launcher launcher;
  launcher.kind = launcher::kind_of(entry.mpi, entry.version);
  launcher.version = entry.version;
  return fmt::format("{} under {} {} ({})", fmt::join(entry.settings, " "),
                     launcher::mpi_title(launcher), outcome_sentence(entry.what), entry.when);
}

}  // namespace plait::run
