// SPDX-License-Identifier: BSD-3-Clause
// plait machine: shows a machine, lists those that come with Plait.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "machine/open_machine.hpp"
#include "machine/show.hpp"

namespace plait::cli {
namespace {

struct ShowOptions {
  std::string machine;
  bool json = false;
};

void show_machine(const ShowOptions& options) {
  const machine::MachineFile file = machine::open_machine(options.machine);
  if (options.json) {
    fmt::print("{}\n", nlohmann::json(file).dump(1));
    return;
  }
  fmt::print("{}", machine::show(file));
  if (options.machine.empty()) {
    fmt::print("\nNext: {}\n",
               file.measured ? "plait run -- mpiexec -n 2 ./app" : "plait measure --quick");
  }
}

void list_machines(bool json) {
  const std::vector<machine::NamedMachine> machines = machine::list_machines();
  if (json) {
    nlohmann::json list = nlohmann::json::array();
    for (const machine::NamedMachine& known : machines) {
      list.push_back({{"name", known.name}, {"about", known.about}, {"source", known.source}});
    }
    fmt::print("{}\n", list.dump(1));
    return;
  }
  for (const machine::NamedMachine& known : machines) {
    fmt::print("{:<20}  {}\n", known.name, known.about);
  }
  if (!machines.empty()) fmt::print("\nNext: plait machine show --machine {}\n", machines[0].name);
}

}  // namespace

void add_machine(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("machine", "Show what a machine is made of");
  command->require_subcommand(1);

  const auto options = std::make_shared<ShowOptions>();
  CLI::App* show = command->add_subcommand(
      "show", "Print packages, cores, caches, paths and what was measured on them");
  show->add_option("-m,--machine", options->machine,
                   "Another machine: a .json or .xml file, synthetic:STRING, or a listed name");
  show->add_flag("--json", options->json, "Print the machine file");
  show->callback([options, &exit_code] {
    show_machine(*options);
    exit_code = 0;
  });

  const auto list_json = std::make_shared<bool>(false);
  CLI::App* list = command->add_subcommand("list", "List the machines that come with Plait");
  list->add_flag("--json", *list_json, "Print the list as JSON");
  list->callback([list_json, &exit_code] {
    list_machines(*list_json);
    exit_code = 0;
  });
}

}  // namespace plait::cli
