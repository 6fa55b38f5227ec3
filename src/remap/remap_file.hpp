// SPDX-License-Identifier: BSD-3-Clause
// remap.json of a run directory: the decisions of plait run --remap and what came of them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "remap/decider.hpp"

namespace plait::remap {

/// A rank that was moved, with lists of core ids: "0-1".
struct MovedRank {
  int rank = 0;  ///< world rank
  std::string from, to;
  bool operator==(const MovedRank&) const = default;
};

/// A move of some ranks.
struct Decision {
  double at_s = 0;     ///< since the first interval began
  bool asked = false;  ///< the program asked for it; otherwise an interval had passed
  Move move;           ///< `from` and `to` are not in the file
  std::vector<MovedRank> ranks;
  bool operator==(const Decision&) const = default;
};

/// What remap.json says.
struct RemapFile {
  std::string host;
  double interval_s = 0;
  int ranks = 0;        ///< that can be moved
  int elsewhere = 0;    ///< ranks on other nodes, or in other containers
  int intervals = 0;    ///< after each of which the mapper decided
  std::string stopped;  ///< why it does not decide, or no longer; empty: it did until the end
  std::vector<Decision> decisions;
  bool operator==(const RemapFile&) const = default;
};

/// What remap.json has besides its schema, version and date.
nlohmann::json remap_to_json(const RemapFile& file);

/// Reads it, to be called in convert_json(). @throws JsonError and others of the JSON library when
/// a field is missing or impossible.
RemapFile remap_from_json(const nlohmann::json& json);

/// Writes it. @throws Error when it cannot be written.
void write_remap_file(const std::filesystem::path& run_dir, const RemapFile& file);

/// Reads it; empty if the run had no --remap. @throws Error when it is damaged.
std::optional<RemapFile> read_remap_file(const std::filesystem::path& run_dir);

/// Sentences of at most 80 columns: what was decided, predicted and brought.
/// @param all  has the decisions that are not shown
std::vector<std::string> remap_lines(const RemapFile& file, const std::string& all = "remap.json");

}  // namespace plait::remap
