// SPDX-License-Identifier: BSD-3-Clause
// Reads the list of known hazards of MPI libraries: what fails in which versions, and the remedy.
#include "doctor/hazards.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "base/failure.hpp"
#include "base/json.hpp"
#include "base/json_file.hpp"
#include "plait/error.hpp"

namespace plait::doctor {
namespace {

/// -1, 0 or 1 if a is less than, equal to or greater than b.
int compare_versions(const std::string& a, const std::string& b) {
  const auto next = [](std::istringstream& parts) {
    std::string part;
    return std::getline(parts, part, '.') ? std::atol(part.c_str()) : 0L;
  };
  std::istringstream left(a);
  std::istringstream right(b);
  constexpr int kParts = 6;
  for (int i = 0; i < kParts; ++i) {
    const long x = next(left);
    const long y = next(right);
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

bool fulfils(const std::string& version, const std::string& condition) {
  const std::size_t digits = condition.find_first_of("0123456789");
  const std::string sign = condition.substr(0, digits);
  if (digits == condition.npos) {
    throw Error(condition, "not a condition on a version", "write it like >=5.0");
  }
  const int order = compare_versions(version, condition.substr(digits));
  if (sign == ">=") return order >= 0;
  if (sign == ">") return order > 0;
  if (sign == "<=") return order <= 0;
  if (sign == "<") return order < 0;
  if (sign == "=") return order == 0;
  throw Error(condition, "not a condition on a version", "write it like >=5.0");
}

}  // namespace

std::vector<Hazard> load_hazards(const std::filesystem::path& path) {
  const nlohmann::json file = read_json_file(path, "plait-hazards", 1);
  std::vector<Hazard> hazards;
  try {
    for (const nlohmann::json& entry : file.at("hazards")) {
      hazards.push_back({entry.at("id"), entry.at("mpi"), entry.at("versions"), entry.at("what"),
                         entry.at("evidence"), entry.at("remedy"), entry.at("reproducer"),
                         entry.value("settings", std::vector<std::string>{})});
    }
  } catch (const nlohmann::json::exception&) {
    throw Failure(path.string(), "damaged", "install Plait again");
  }
  return hazards;
}

bool version_matches(const std::string& version, const std::string& conditions) {
  std::istringstream in(conditions);
  for (std::string condition; in >> condition;) {
    if (!fulfils(version, condition)) return false;
  }
  return true;
}

std::vector<Hazard> hazards_of(const std::vector<Hazard>& all, const launcher::Launcher& launcher) {
  const std::string kind = launcher::kind_name(launcher.kind);
  std::vector<Hazard> found;
  if (kind.empty() || launcher.version.empty()) return found;
  std::copy_if(all.begin(), all.end(), std::back_inserter(found), [&](const Hazard& hazard) {
    return std::find(hazard.mpi.begin(), hazard.mpi.end(), kind) != hazard.mpi.end() &&
           version_matches(launcher.version, hazard.versions);
  });
  return found;
}

const Hazard* hazard_of_setting(const std::vector<Hazard>& hazards, const std::string& name,
                                const std::string& value) {
  for (const Hazard& hazard : hazards) {
    for (const std::string& setting : hazard.settings) {
      if (setting == name + "=" + value || setting == name + "=*") return &hazard;
    }
  }
  return nullptr;
}

}  // namespace plait::doctor
