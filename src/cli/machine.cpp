// SPDX-License-Identifier: BSD-3-Clause
// plait machine: shows a machine, lists those that are installed with Plait.
#include <fmt/format.h>

#include <memory>

#include "base/json.hpp"
#include "cli/commands.hpp"
#include "cli/json_output.hpp"
#include "cli/run_options.hpp"
#include "machine/open_machine.hpp"
#include "machine/show.hpp"
#include "text/table.hpp"

namespace plait::cli {
namespace {

struct MachineOptions {
  std::string machine;
  JsonOutput json;
};

int show_machine(const MachineOptions& options) {
  const machine::MachineFile file = machine::open_machine(options.machine);
  if (write_json(options.json, file)) return 0;
  fmt::print("{}", machine::show(file));
  if (options.machine.empty()) {
    fmt::print("\nNext: {}\n",
               file.measured ? "plait run -- mpiexec -n 2 ./app" : "plait measure --quick");
  }
  return 0;
}

int list_machines(const MachineOptions& options) {
  const std::vector<machine::NamedMachine> machines = machine::list_machines();
  nlohmann::json list = nlohmann::json::array();
  for (const machine::NamedMachine& known : machines) {
    list.push_back({{"name", known.name}, {"about", known.about}, {"source", known.source}});
  }
  if (write_json(options.json, list)) return 0;
  Table table({text_column(""), wrapped_column("", 4)});
  for (const machine::NamedMachine& known : machines) table.add({known.name, known.about});
  fmt::print("{}", table.text());
  if (!machines.empty()) fmt::print("\nNext: plait machine show --machine {}\n", machines[0].name);
  return 0;
}

}  // namespace

void add_machine(Command& plait) {
  Command& command =
      plait.add_command("machine", "Show the structure of a machine", group::measure);
  const auto to_show = std::make_shared<MachineOptions>();
  Command& show = command.add_command(
      "show", "Show packages, cores, caches, paths and what was measured on them");
  add_machine_option(show, to_show->machine,
                     "Machine to show: a .json or .xml file, synthetic:STRING, or a name from "
                     "plait machine list")
      .defaults_to("this node");
  add_json_output(show, to_show->json, "the machine file");
  show.action([to_show] { return show_machine(*to_show); });

  const auto to_list = std::make_shared<MachineOptions>();
  Command& list = command.add_command("list", "List the machines that are installed with Plait");
  add_json_output(list, to_list->json, "the list");
  list.action([to_list] { return list_machines(*to_list); });
}

}  // namespace plait::cli
