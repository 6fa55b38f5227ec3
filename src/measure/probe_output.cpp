// SPDX-License-Identifier: BSD-3-Clause
// Reads the results of the ranks of the MPI probe.
#include "measure/probe_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>

#include "base/json_file.hpp"
#include "measure/sizes.hpp"
#include "text/counted.hpp"

namespace plait::measure {
namespace {

/// True for a possible time or bandwidth.
bool plausible(double value) {
  return std::isfinite(value) && value >= 0 && value < 1e12;
}

bool read_cell(std::istringstream& fields, ProbeOutput& output) {
  ProbeCell cell;
  std::string colon;
  if (!(fields >> cell.step >> cell.bytes >> cell.variant >> cell.disturbed >> colon)) return false;
  if (colon != ":" || cell.disturbed < 0) return false;
  if (cell.bytes > kLargestTransfer) return false;
  for (double sample = 0; fields >> sample;) cell.samples.push_back(sample);
  if (!fields.eof() || cell.samples.empty()) return false;
  if (!std::all_of(cell.samples.begin(), cell.samples.end(), plausible)) return false;
  output.cells.push_back(std::move(cell));
  return true;
}

bool read_sentinel(std::istringstream& fields, ProbeOutput& output) {
  ProbeOutput::Sentinel sentinel;
  if (!(fields >> sentinel.step >> sentinel.ns) || !plausible(sentinel.ns)) return false;
  output.sentinels.push_back(sentinel);
  return true;
}

bool read_delay(std::istringstream& fields, ProbeOutput& output) {
  double delay = 0;
  double thread = 0;
  if (!(fields >> delay >> thread) || !plausible(delay) || !plausible(thread)) return false;
  output.delay_s += delay;
  output.thread_s += thread;
  return true;
}

bool read_init(std::istringstream& fields, ProbeOutput& output) {
  double seconds = 0;
  if (!(fields >> seconds) || !plausible(seconds)) return false;
  output.init_s = std::max(output.init_s, seconds);
  return true;
}

bool read_skipped(std::istringstream& fields, ProbeOutput& output) {
  int skipped = 0;
  if (!(fields >> skipped) || skipped < 0) return false;
  output.skipped += skipped;
  return true;
}

bool read_place(std::istringstream& fields, ProbeOutput& output) {
  ProbeOutput::Place place;
  if (!(fields >> place.host)) return false;
  for (std::string word; fields >> word;) {
    std::array<int, 3> pu{};
    if (std::sscanf(word.c_str(), "%d:%d:%d", &pu[0], &pu[1], &pu[2]) != 3) return false;
    place.pus.push_back(pu);
  }
  output.places.push_back(std::move(place));
  return true;
}

bool read_line(const std::string& line, ProbeOutput& output) {
  std::istringstream fields(line);
  std::string item;
  fields >> item;
  if (item == "cell") return read_cell(fields, output);
  if (item == "sentinel") return read_sentinel(fields, output);
  if (item == "delay") return read_delay(fields, output);
  if (item == "init") return read_init(fields, output);
  if (item == "skipped") return read_skipped(fields, output);
  if (item == "place") return read_place(fields, output);
  if (item == "end") {
    ++output.complete_ranks;
    return true;
  }
  if (line.size() <= item.size() + 1) return false;
  if (item == "variable") {
    std::string name;
    if (!(fields >> name)) return false;
    std::getline(fields >> std::ws, output.variables[name]);
    return true;
  }
  if (item == "library") {
    // The versions of some libraries contain tabs.
    output.library.clear();
    for (std::string word; fields >> word;)
      output.library += (output.library.empty() ? "" : " ") + word;
    return true;
  }
  if (item != "error") return false;
  output.errors.push_back(line.substr(item.size() + 1));
  return true;
}

}  // namespace

std::string skipped_warning(const ProbeOutput& output) {
  if (output.skipped == 0) return {};
  return fmt::format(
      "{} left out, because messages took far longer than expected; measure again on an idle node",
      counted(static_cast<std::size_t>(output.skipped), "figure was", "figures were"));
}

void add_probe_output(const std::string& text, ProbeOutput& output) {
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    if (!read_line(line, output)) {
      output.problems.push_back(fmt::format("unreadable line \"{:.60}\"", line));
    }
  }
  if (begin < text.size()) output.problems.emplace_back("the last line is cut off");
}

ProbeOutput read_probe_output(const std::filesystem::path& prefix, std::size_t ranks) {
  ProbeOutput output;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const std::filesystem::path file = fmt::format("{}.{}", prefix.string(), rank);
    if (std::filesystem::exists(file)) add_probe_output(read_text_file(file), output);
  }
  return output;
}

}  // namespace plait::measure
