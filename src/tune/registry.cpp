// SPDX-License-Identifier: BSD-3-Clause
// The settings that may be tried on one MPI library: the table joined with what the library lists.
#include "tune/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

#include "advise/number_lists.hpp"
#include "base/environment.hpp"
#include "base/layout.hpp"
#include "base/split.hpp"
#include "plait/error.hpp"
#include "run/message_ways.hpp"
#include "run/mpi_libraries.hpp"
#include "text/units.hpp"
#include "tune/mpich_selection.hpp"

namespace plait::tune {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOpenPrefix = "OMPI_MCA_";

std::optional<double> number_in(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// True if a description of MPICH explains a choice: "binomial   - Force Binomial Tree". MPICH 4.0
/// joins its lines: "... algorithmbinomial - Force Binomial Treenb - Force ...".
bool is_described(const std::string& help, const std::string& name) {
  for (std::size_t at = help.find(name); at != help.npos; at = help.find(name, at + 1)) {
    const bool is_end_of_other = at > 0 && help[at - 1] == '_';
    const std::size_t end = at + name.size(), next = help.find_first_not_of(' ', end);
    if (!is_end_of_other && next != help.npos && next > end && help.compare(next, 2, "- ") == 0) {
      return true;
    }
  }
  return false;
}

/// The library's own list of choices, those of the table only; without such a list, those of the
/// table that its description names or that are in its range.
std::vector<std::pair<std::string, std::string>> choices_of(const SettingRule& rule,
                                                            const LibraryParameter& listed) {
  std::vector<std::pair<std::string, std::string>> choices;
  for (const std::string& name : split_at_blanks(std::string(rule.choices))) {
    if (!listed.choices.empty()) {
      for (const auto& [number, title] : listed.choices) {
        if (title == name) choices.emplace_back(number, name);
      }
    } else if (listed.range) {
      const std::optional<double> number = number_in(name);
      if (number && *number >= listed.range->first && *number <= listed.range->second) {
        choices.emplace_back(name, name);
      }
    } else if (rule.kind == ValueKind::choice || is_described(listed.help, name)) {
      choices.emplace_back(name, name);
    }
  }
  return choices;
}

bool has_choices(const SettingRule& rule) {
  return rule.kind == ValueKind::choice || rule.kind == ValueKind::algorithm ||
         rule.kind == ValueKind::provider;
}

/// The presets in "3:0-4096;0:4097-8192" of Intel MPI, or the value itself. 0 beside others is the
/// library's own choice.
std::vector<std::string> presets_of(const std::string& value) {
  std::vector<std::string> presets;
  for (std::size_t begin = 0; begin < value.size();) {
    const std::size_t end = std::min(value.find(';', begin), value.size());
    presets.push_back(value.substr(begin, std::min(value.find_first_of(":@", begin), end) - begin));
    begin = end + 1;
  }
  if (presets.size() > 1) std::erase(presets, "0");
  return presets;
}

/// The choices in a value.
std::vector<std::string> choices_in(const SettingRule& rule, const std::string& value) {
  return rule.kind == ValueKind::provider ? advise::split(value, ',') : presets_of(value);
}

std::string value_problem(const Setting& setting, const std::string& value) {
  const SettingRule& rule = *setting.rule;
  if (has_choices(rule)) {
    for (const std::string& preset : choices_in(rule, value)) {
      const bool known = std::any_of(
          setting.choices.begin(), setting.choices.end(),
          [&](const auto& choice) { return choice.first == preset || choice.second == preset; });
      if (!known) return fmt::format("{} does not know \"{}\"", rule.name, preset);
    }
    return "";
  }
  const std::optional<double> number = number_in(value);
  if (number && *number >= rule.least && *number <= rule.most) return "";
  return fmt::format("{}={} is not between {:.0f} and {:.0f}", rule.name, value, rule.least,
                     rule.most);
}

/// The value that a setting has with these settings.
std::optional<double> value_with(const Registry& registry, const Settings& settings,
                                 std::string_view purpose) {
  const Setting* const setting = registry.find(purpose);
  if (setting == nullptr) return std::nullopt;
  const auto given = settings.find(setting->variable);
  return number_in(given != settings.end() ? given->second : setting->value);
}

/// True if a library that shows `read` has understood a value of a setting.
bool is_read_as(const Registry& registry, const std::string& variable, const std::string& value,
                const std::string& read) {
  if (read == value || (value == "1" && read == "true") || (value == "0" && read == "false")) {
    return true;
  }
  const auto setting = std::find_if(registry.settings.begin(), registry.settings.end(),
                                    [&](const Setting& one) { return one.variable == variable; });
  if (setting == registry.settings.end() || !has_choices(*setting->rule)) return false;
  const bool same_choice =
      std::any_of(setting->choices.begin(), setting->choices.end(), [&](const auto& choice) {
        const auto is = [&](const std::string& text) {
          return text == choice.first || text == choice.second;
        };
        return is(value) && is(read);
      });
  // MPICH shows the number of a choice.
  return same_choice || (read != setting->value && number_in(read).has_value());
}

/// Conditions between two settings that a library requires, and of the system.
std::string condition_problem(const Registry& registry, const Settings& settings) {
  const auto value = [&](std::string_view purpose) {
    return value_with(registry, settings, purpose);
  };
  const auto eager = value("eager_limit"), fragment = value("fragment");
  if (eager && fragment && *eager > *fragment) {
    return "the eager limit exceeds the size of a fragment";
  }
  const auto network = value("network_eager_limit"), part = value("network_fragment");
  if (network && part && *network > *part) {
    return "the eager limit between nodes exceeds the size of a fragment";
  }
  for (const char* window : {"send_window", "receive_window"}) {
    const auto bytes = value(window);
    if (bytes && registry.most_socket_bytes > 0 && *bytes > registry.most_socket_bytes) {
      return fmt::format("the system grants a socket at most {} (net.core.wmem_max, rmem_max)",
                         format_bytes(registry.most_socket_bytes));
    }
  }
  const auto cell = value("cell"), pack = value("pack_buffer");
  if (cell && pack && *cell > *pack) {
    // MPICH 5.0 fails an assertion in MPI_Init.
    return "a cell is larger than a pack buffer";
  }
  return "";
}

/// True for variables that name files.
bool is_file_of_rules(const std::string& variable) {
  return variable == kRulesFileVariable || variable == kMpichTreeVariable ||
         variable == kMpichCompositionVariable || variable == kHintsVariable;
}

/// False for variables of libfabric and ROMIO, which no MPI library lists.
bool is_of_library(const std::string& variable) {
  return variable != kProviderVariable && variable != kHintsVariable;
}

/// The smaller one of the system's limits of send and receive buffers; 0: unknown.
double most_socket_bytes() {
  double most = 0;
  for (const char* name : {"wmem_max", "rmem_max"}) {
    std::ifstream in(fs::path("/proc/sys/net/core") / name);
    double limit = 0;
    if (!(in >> limit)) return 0;
    most = most == 0 ? limit : std::min(most, limit);
  }
  return most;
}

}  // namespace

const Setting* Registry::find(std::string_view purpose) const {
  const auto found = std::find_if(settings.begin(), settings.end(), [&](const Setting& setting) {
    return setting.rule->purpose == purpose;
  });
  return found == settings.end() ? nullptr : &*found;
}

std::optional<double> Registry::number(std::string_view purpose) const {
  return value_with(*this, {}, purpose);
}

Registry make_registry(const launcher::Launcher& launcher,
                       const std::optional<LibraryParameters>& listed, const std::string& tool,
                       const std::vector<doctor::Hazard>& hazards) {
  Registry registry;
  registry.launcher = launcher;
  registry.tool = tool;
  registry.hazards = doctor::hazards_of(hazards, launcher);
  const std::string kind = launcher::kind_name(launcher.kind);
  std::string unknown;
  for (const SettingRule& rule : setting_rules()) {
    if (rule.mpi != kind || launcher.version.empty() ||
        !doctor::version_matches(launcher.version, std::string(rule.versions))) {
      continue;
    }
    Setting setting;
    setting.rule = &rule;
    setting.variable = (kind == "openmpi" ? std::string(kOpenPrefix) : "") + std::string(rule.name);
    if (rule.name != kProviderVariable) {
      const auto found =
          listed ? listed->find(std::string(rule.name)) : LibraryParameters::const_iterator{};
      if (!listed || found == listed->end() || found->second.constant) {
        unknown += (unknown.empty() ? "" : ", ") + std::string(rule.name);
        continue;
      }
      setting.value = found->second.value;
      if (has_choices(rule)) setting.choices = choices_of(rule, found->second);
    } else if (!listed) {
      continue;
    }
    registry.settings.push_back(std::move(setting));
  }
  if (!listed) {
    registry.left_out.push_back(fmt::format(
        "no tool of {} that lists its parameters was found, so no setting is known to be legal",
        launcher::mpi_title(launcher)));
  } else if (!unknown.empty()) {
    registry.left_out.push_back(
        fmt::format("{} does not list {}", fs::path(tool).filename().string(), unknown));
  }
  return registry;
}

void keep_network_modules(const std::vector<std::string>& modules, Registry& registry) {
  for (Setting& setting : registry.settings) {
    if (setting.rule->purpose != "network_module") continue;
    std::erase_if(setting.choices, [&](const auto& choice) {
      return std::ranges::find(modules, choice.first) == modules.end();
    });
    if (setting.value.empty() && !modules.empty()) setting.value = modules.front();
  }
}

void add_providers(const std::optional<std::vector<Provider>>& providers, Registry& registry) {
  if (!providers) {
    registry.no_providers = "no fi_info that lists the providers of libfabric was found";
    return;
  }
  for (Setting& setting : registry.settings) {
    if (setting.rule->kind != ValueKind::provider) continue;
    for (const Provider& provider : *providers) {
      if (provider.reaches_others) setting.choices.emplace_back(provider.name, provider.name);
    }
    if (setting.choices.empty()) {
      registry.no_providers = "fi_info lists no provider that reaches other nodes";
    }
  }
}

Registry read_registry(const launcher::Launcher& launcher) {
  const auto listed = ask_library(launcher);
  const std::string tool = fs::path(parameter_tool(launcher)).filename().string();
  Registry registry = make_registry(launcher, listed, tool,
                                    doctor::load_hazards(install_layout().share / "hazards.json"));
  if (launcher.kind == launcher::LauncherKind::mpich) {
    for (const std::string& library : run::library_candidates(launcher.path, run::MpiAbi::mpich)) {
      registry.mpich_trees = built_in_trees(library);
      if (!registry.mpich_trees.algorithms.empty()) break;
    }
    keep_network_modules(ask_network_modules(launcher), registry);
  }
  if (registry.find("provider") != nullptr) add_providers(ask_providers(launcher), registry);
  registry.most_socket_bytes = most_socket_bytes();
  return registry;
}

OwnWays own_ways(const launcher::LaunchCommand& command) {
  OwnWays own;
  try {
    run::choose_preload(command, install_layout().preload);
    own.waiting = true;
    run::check_message_ways({"", "auto"}, environment_value);
    own.transport = true;
  } catch (const Error& error) {
    own.problem = error.what();
  }
  return own;
}

std::string problem_of(const Registry& registry, const Settings& settings) {
  for (const auto& [variable, value] : settings) {
    if (is_file_of_rules(variable)) continue;  // checked where it is written
    const auto setting =
        std::find_if(registry.settings.begin(), registry.settings.end(),
                     [&name = variable](const Setting& one) { return one.variable == name; });
    if (setting == registry.settings.end()) return variable + " is not a known setting";
    std::string problem = value_problem(*setting, value);
    if (!problem.empty()) return problem;
    const doctor::Hazard* hazard = doctor::hazard_of_setting(registry.hazards, variable, value);
    if (hazard != nullptr) return fmt::format("{}={}: {}", variable, value, hazard->what);
  }
  return condition_problem(registry, settings);
}

std::string library_name(const std::string& variable) {
  return variable.starts_with(kOpenPrefix) ? variable.substr(kOpenPrefix.size()) : variable;
}

std::vector<std::string> read_back(const Registry& registry, const Settings& settings,
                                   std::vector<std::string>& ignored) {
  // impi_info prints defaults, whatever the environment says.
  if (registry.launcher.kind == launcher::LauncherKind::intel) return {};
  const auto listed = ask_library(registry.launcher, {settings.begin(), settings.end()});
  if (!listed) return {};
  std::map<std::string, std::string> values;
  for (const auto& [variable, value] : settings) {
    const auto found = listed->find(library_name(variable));
    if (!is_of_library(variable)) continue;
    if (found == listed->end()) {
      ignored.push_back(library_name(variable));
    } else {
      values[found->first] = found->second.value;
    }
  }
  return compare_values(registry, settings, values, registry.tool, ignored);
}

std::vector<std::string> compare_values(const Registry& registry, const Settings& settings,
                                        const std::map<std::string, std::string>& values,
                                        const std::string& reader,
                                        std::vector<std::string>& ignored) {
  std::vector<std::string> lines;
  const bool is_mpich = registry.launcher.kind == launcher::LauncherKind::mpich;
  for (const auto& [variable, value] : settings) {
    const std::string name = library_name(variable);
    const auto found = values.find(name);
    // mpivars of MPICH prints no text of variables, whatever the environment says.
    if (found == values.end() || (found->second.empty() && is_mpich)) continue;
    if (!is_read_as(registry, variable, value, found->second)) {
      ignored.push_back(name);
    } else if (!is_file_of_rules(variable)) {
      lines.push_back(fmt::format("{} is {} ({})", name, found->second, reader));
    }
  }
  return lines;
}

}  // namespace plait::tune
