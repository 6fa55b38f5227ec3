// SPDX-License-Identifier: BSD-3-Clause
// plait doctor: what Plait sees of this system.
#include "launch/doctor.hpp"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands.hpp"

namespace plait::cli {

void add_doctor(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "doctor", "Show MPIs, OpenMP runtimes, rights, and known hazards of this system");
  const auto json = std::make_shared<bool>(false);
  const auto forget = std::make_shared<std::string>();
  command->add_flag("--json", *json, "Print JSON");
  command->add_option("--forget", *forget, "Let a setting out of quarantine: its number, or all");
  command->callback([json, forget, &exit_code] {
    if (!forget->empty()) {
      const int gone = launch::forget_quarantined(*forget);
      fmt::print("{} {} out of quarantine\n", gone, gone == 1 ? "entry is" : "entries are");
      return;
    }
    const launch::Diagnosis diagnosis = launch::diagnose();
    if (*json) {
      fmt::print("{}\n", launch::diagnosis_to_json(diagnosis).dump(
                             1, ' ', false, nlohmann::json::error_handler_t::replace));
    } else {
      fmt::print("{}", launch::diagnosis_text(diagnosis));
    }
    exit_code = diagnosis.preload_objects.empty() ? 1 : 0;
  });
}

}  // namespace plait::cli
