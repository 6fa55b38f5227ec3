// SPDX-License-Identifier: BSD-3-Clause
// The machine file: the topology of a machine and the measurements on it, in JSON.
#include "machine/machine_file.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>

#include "base/json.hpp"
#include "base/json_file.hpp"
#include "plait/error.hpp"

namespace plait::machine {
namespace {

constexpr const char* kSchema = "plait-machine";

constexpr const char* kMeasureAgain = "write it again with plait measure";

}  // namespace

void to_json(nlohmann::json& json, const MachineFile& file) {
  json = {{"schema", kSchema},
          {"schema_version", kMachineSchemaVersion},
          {"plait_version", file.plait_version},
          {"created", file.created},
          {"host", file.host},
          {"origin", file.origin},
          {"cpu_model", file.cpu_model},
          {"os", file.os},
          {"notes", file.notes},
          {"topology", file.topology}};
  if (file.measured) json["measured"] = *file.measured;
}

void from_json(const nlohmann::json& json, MachineFile& file) {
  json.at("plait_version").get_to(file.plait_version);
  json.at("created").get_to(file.created);
  json.at("host").get_to(file.host);
  json.at("origin").get_to(file.origin);
  json.at("cpu_model").get_to(file.cpu_model);
  json.at("os").get_to(file.os);
  json.at("notes").get_to(file.notes);
  json.at("topology").get_to(file.topology);
  file.measured.reset();
  const auto measured = json.find("measured");
  if (measured != json.end() && !measured->is_null()) file.measured = measured->get<Measured>();
}

MachineFile load(const std::filesystem::path& path) {
  const nlohmann::json json = read_json_file(path, kSchema, kMachineSchemaVersion, kMeasureAgain);
  MachineFile file = convert_json(path, kMeasureAgain, [&] { return json.get<MachineFile>(); });
  file.topology.check(path.string());
  return file;
}

void save(const std::filesystem::path& path, const MachineFile& file) {
  write_json_file(path, file);
}

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace plait::machine
