// SPDX-License-Identifier: BSD-3-Clause
// The data of the page of a tuning.
#include "tune/tune_page.hpp"

#include <nlohmann/json.hpp>

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

json plan_json(const launcher::Plan& plan) {
  json value = {{"name", plan.name}, {"settings", json::array()}};
  for (const auto& [variable, setting] : plan.environment) {
    value["settings"].push_back(variable + "=" + setting);
  }
  if (!plan.wait.empty()) value["settings"].push_back("plait run --wait " + plan.wait);
  if (!plan.transport.empty()) {
    value["settings"].push_back("plait run --transport " + plan.transport);
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
  value["plan"] = plan == nullptr ? json(nullptr) : plan_json(*plan);
  value["next"] = next_command;
  return value;
}

}  // namespace plait::tune
