// SPDX-License-Identifier: BSD-3-Clause
// The data of the page of a tuning.
#include "tune/tune_page.hpp"

#include <nlohmann/json.hpp>

#include "advise/tuned_settings.hpp"
#include "tune/outcomes.hpp"
#include "tune/tune_file.hpp"

namespace plait::tune {
namespace {

using nlohmann::json;

json outcome_json(const Outcome& outcome) {
  json value = {{"name", outcome.name},
                {"reason", outcome.reason},
                {"pairs", outcome.pairs},
                {"outcome", outcome.text}};
  if (outcome.ratio) {
    value["ratio"] = {{"value", outcome.ratio->median},
                      {"low", outcome.ratio->low},
                      {"high", outcome.ratio->high}};
  }
  return value;
}

}  // namespace

json tune_page(const Tuning& tuning, const launcher::Plan* plan,
               const std::vector<std::string>& next_command) {
  json value = tune_to_json(tuning);
  value["mpi"]["title"] = launcher::mpi_title(tuning.launcher);
  value["outcomes"] = json::array();
  for (const Outcome& outcome : outcomes_of(tuning)) {
    value["outcomes"].push_back(outcome_json(outcome));
  }
  value["plan"] = nullptr;
  if (plan != nullptr) {
    value["plan"] = {{"name", plan->name}, {"settings", advise::settings_lines(*plan)}};
  }
  value["next"] = next_command;
  return value;
}

}  // namespace plait::tune
