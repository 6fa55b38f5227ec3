// SPDX-License-Identifier: BSD-3-Clause
// plait advise: finds faster ways to start a recorded program, and writes them as plans.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>
#include <string>

#include "cli/advise_output.hpp"
#include "cli/commands.hpp"
#include "cli/json_output.hpp"
#include "cli/large_blocks.hpp"
#include "cli/run_options.hpp"
#include "plait/error.hpp"
#include "text/progress.hpp"

namespace plait::cli {
namespace {

namespace fs = std::filesystem;

struct AdviseOptions {
  std::string run;
  std::string memory_limit;
  JsonOutput json;
};

/// "2-map-by-blocks.json".
std::string file_name(std::size_t number, const std::string& plan) {
  std::string name = fmt::format("{}-", number);
  for (const char letter : plan) {
    const bool plain = std::isalnum(static_cast<unsigned char>(letter)) != 0;
    if (plain) name += letter;
    if (!plain && name.back() != '-') name += '-';
  }
  name.resize(std::min<std::size_t>(name.find_last_not_of('-') + 1, 60));
  return name + ".json";
}

/// Writes each plan into RUN/plans, instead of the plans of earlier advice.
void write_plans(const fs::path& run, advise::Advice& advice) {
  const fs::path folder = run / "plans";
  std::error_code none;
  for (const fs::directory_entry& old : fs::directory_iterator(folder, none)) {
    if (old.path().extension() == ".json") fs::remove(old.path(), none);
  }
  if (advice.plans.empty()) return;
  fs::create_directories(folder, none);
  for (std::size_t at = 0; at < advice.plans.size(); ++at) {
    const fs::path file = folder / file_name(at + 1, advice.plans[at].name);
    launcher::save_plan(file, advice.plans[at]);
    advice.files.push_back(file.string());
  }
}

advise::Advice advise_on(const fs::path& run) {
  const Progress progress("looking for faster ways to run the program");
  return advise::advise(run);
}

int advise_run(const AdviseOptions& options) {
  limit_memory(parse_memory_limit(options.memory_limit));
  const fs::path run = run_or_newest(options.run);
  advise::Advice advice = advise_on(run);
  write_plans(run, advice);
  if (write_json(options.json, advice_to_json(advice))) return 0;
  advice.result = options.json.file;
  for (const std::string& line : advice_lines(advice)) fmt::print("{}\n", line);
  return 0;
}

}  // namespace

void add_advise(Command& plait) {
  const auto options = std::make_shared<AdviseOptions>();
  Command& command =
      plait.add_command("advise", "Find faster ways to start a recorded program", group::decide);
  command.describe(
      "Writes each way as a plan to RUN/plans. plait apply tests a plan and measures its gain.");
  add_run_argument(command, options->run);
  add_memory_limit(command, options->memory_limit);
  add_json_output(command, options->json, "the advice");
  command.action([options] { return advise_run(*options); });
}

}  // namespace plait::cli
