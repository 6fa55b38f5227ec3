// SPDX-License-Identifier: BSD-3-Clause
// Starts the probe in place of a program: with its launcher, its ranks and their places.
#include "tune/prober.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "advise/trial_command.hpp"
#include "base/json_file.hpp"
#include "base/layout.hpp"
#include "measure/mpi_choice.hpp"
#include "measure/probe_output.hpp"
#include "plait/error.hpp"

namespace plait::tune {
namespace {

namespace fs = std::filesystem;

/// Seconds of all messages of a run. Starting a job takes about as long.
constexpr double kProbe_s = 0.4;
/// Rounds end earlier if the median is known well enough.
constexpr double kRelativeWidth = 0.03;
constexpr double kLongestRead_s = 60;

}  // namespace

std::vector<std::string> ignored_inside(const Registry& registry, const Settings& settings,
                                        const std::string& output) {
  measure::ProbeOutput read;
  measure::add_probe_output(output, read);
  std::vector<std::string> ignored;
  compare_values(registry, settings, read.variables, kInside, ignored);
  const std::string used = provider_used(output);
  const Setting* const provider = registry.find("provider");
  if (used.empty() || provider == nullptr || !settings.contains(provider->variable)) return ignored;
  const std::string meant = first_provider(settings.at(provider->variable));
  if (used != meant) ignored.push_back(fmt::format("{} (it uses {})", meant, used));
  return ignored;
}

std::string printed_in(const fs::path& file) {
  return read_text_file(file) + "\n" + read_text_file(fs::path(file).replace_extension(".err"));
}

std::vector<std::string> variables_of(const launcher::Plan& plan) {
  std::vector<std::string> names;
  for (const auto& [variable, value] : plan.environment) names.push_back(library_name(variable));
  return names;
}

Prober::Prober(const launcher::LaunchCommand& command, int ranks)
    : program_(command), ranks_(ranks) {
  if (command.applications.size() != 1) {
    throw Error("the command", "has several parts, which no probe can replace", "");
  }
  const launcher::Launcher& launcher = command.launcher;
  const measure::MpiChoice mpi = measure::choose_mpi(
      launcher.path.empty() ? launcher.name : launcher.path, install_layout().libexec);
  probe_ = mpi.probe;
  libraries_ = mpi.libraries;
}

launcher::LaunchCommand Prober::command(const std::vector<ProbeMessage>& messages,
                                        const std::vector<std::string>& variables,
                                        const fs::path& folder) const {
  measure::ProbePlan plan = probe_plan(messages, ranks_, libraries_, kProbe_s);
  plan.relative_width = kRelativeWidth;
  plan.variables = variables;
  const fs::path file = folder / "probe.plan";
  write_text_file(file, measure::format_plan(plan));
  const launcher::Application& program = program_.applications.front();
  std::vector<std::string> argv(program_.argv.begin(),
                                program_.argv.begin() + static_cast<std::ptrdiff_t>(program.index));
  const std::string report = provider_report(program_.launcher.kind);
  const bool has_provider = std::ranges::any_of(variables, [](const std::string& name) {
    return name == kProviderVariable || name == kOpenProvider;
  });
  if (has_provider) argv.insert(argv.end(), {"env", report});
  argv.insert(argv.end(), {probe_.string(), file.string(), "-"});
  return launcher::parse_command(program_.launcher, argv, program_.launcher_index);
}

std::optional<double> Prober::time_s(const std::vector<ProbeMessage>& messages,
                                     const std::string& output) const {
  return probe_time_s(messages, ranks_, output);
}

std::optional<double> Prober::time_of_message_s(const ProbeMessage& message, std::size_t index,
                                                const std::string& output) const {
  ProbeMessage once = message;
  once.calls = 1;
  return probe_time_s(once, ranks_, index, output);
}

std::map<std::string, std::string> Prober::values(const launcher::Plan& plan,
                                                  const std::vector<std::string>& variables,
                                                  const fs::path& folder) const {
  fs::create_directories(folder);
  launcher::Plan settings = plan;
  settings.wait.clear();
  settings.transport.clear();
  const advise::TrialCommand command = advise::trial_command(
      settings, this->command({}, variables, folder), "values", folder, {}, nullptr);
  const advise::TrialRun run = advise::run_once(command, folder, "1", kLongestRead_s);
  measure::ProbeOutput read;
  const std::string printed = printed_in(run.output);
  measure::add_probe_output(printed, read);
  const std::string used = provider_used(printed);
  if (!used.empty()) read.variables[kProviderUsed] = used;
  return read.variables;
}

}  // namespace plait::tune
