// SPDX-License-Identifier: BSD-3-Clause
// plait advise: how a run could be started so that it takes less time, as plans to apply.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>
#include <string>

#include "base/json_file.hpp"
#include "base/long_work.hpp"
#include "cli/advise_plans.hpp"
#include "cli/commands.hpp"
#include "plait/error.hpp"
#include "report/finish.hpp"

namespace plait::cli {
namespace {

namespace fs = std::filesystem;

struct AdviseOptions {
  std::string run;
  std::string json;
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

/// Writes each plan into RUN/plans; those of an earlier advice go.
void write_plans(const fs::path& run, Advice& advice) {
  const fs::path folder = run / "plans";
  std::error_code none;
  for (const fs::directory_entry& old : fs::directory_iterator(folder, none)) {
    if (old.path().extension() == ".json") fs::remove(old.path(), none);
  }
  if (advice.plans.empty()) return;
  fs::create_directories(folder, none);
  for (std::size_t at = 0; at < advice.plans.size(); ++at) {
    const fs::path file = folder / file_name(at + 1, advice.plans[at].name);
    launch::save_plan(file, advice.plans[at]);
    advice.files.push_back(file.string());
  }
}

Advice advise_on(const fs::path& run) {
  const LongWork work("looking for what would make it faster");
  return advise(run);
}

int advise_run(const AdviseOptions& options) {
  const fs::path run =
      options.run.empty() ? report::newest_run("plait-runs") : fs::path(options.run);
  Advice advice = advise_on(run);
  write_plans(run, advice);
  const auto replace = nlohmann::json::error_handler_t::replace;
  if (options.json == "-") {
    fmt::print("{}\n", advice_to_json(advice).dump(1, ' ', false, replace));
    return 0;
  }
  if (!options.json.empty()) {
    write_json_file(options.json, advice_to_json(advice));
    advice.result = options.json;
  }
  for (const std::string& line : advice_lines(advice)) fmt::print("{}\n", line);
  return 0;
}

}  // namespace

void add_advise(CLI::App& app, int& exit_code) {
  CLI::App* const command =
      app.add_subcommand("advise", "Say how a run could be started so that it takes less time");
  const auto options = std::make_shared<AdviseOptions>();
  command->add_option("run", options->run, "run directory (the newest under plait-runs)");
  command->add_option("--json", options->json, "Write the advice here as JSON; - prints it");
  command->callback([options, &exit_code] { exit_code = advise_run(*options); });
}

}  // namespace plait::cli
