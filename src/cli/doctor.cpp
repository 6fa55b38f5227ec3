// SPDX-License-Identifier: BSD-3-Clause
// plait doctor: shows what Plait finds on this system.
#include "doctor/doctor.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "base/json.hpp"
#include "cli/commands.hpp"
#include "cli/json_output.hpp"
#include "text/counted.hpp"

namespace plait::cli {
namespace {

struct DoctorOptions {
  JsonOutput json;
  std::string forget;
};

int diagnose(const DoctorOptions& options) {
  if (!options.forget.empty()) {
    const int removed = run::forget_quarantined(options.forget);
    fmt::print("Removed {} from quarantine\n", counted(removed, "setting"));
    return 0;
  }
  const doctor::Diagnosis diagnosis = doctor::diagnose();
  if (!write_json(options.json, doctor::diagnosis_to_json(diagnosis))) {
    fmt::print("{}", doctor::diagnosis_text(diagnosis));
  }
  return diagnosis.preload_objects.empty() ? 1 : 0;
}

}  // namespace

void add_doctor(Command& plait) {
  const auto options = std::make_shared<DoctorOptions>();
  Command& command = plait.add_command(
      "doctor", "Show MPI libraries, OpenMP runtimes, permissions and hazards", group::tools);
  add_json_output(command, options->json, "the diagnosis");
  command.option("--forget", "ID", options->forget,
                 "Remove the setting with this ID from quarantine; all: every setting");
  command.action([options] { return diagnose(*options); });
}

}  // namespace plait::cli
