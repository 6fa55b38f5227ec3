// SPDX-License-Identifier: BSD-3-Clause
// Reads what the ranks of the MPI probe found.
#include "measure/probe_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>

#include "base/json_file.hpp"
#include "measure/sizes.hpp"

namespace plait::measure {
namespace {

/// A time or a bandwidth that can be true.
bool plausible(double value) {
  return std::isfinite(value) && value >= 0 && value < 1e12;
}

bool read_cell(std::istringstream& words, ProbeOutput& output) {
  ProbeCell cell;
  std::string colon;
  if (!(words >> cell.step >> cell.bytes >> cell.variant >> colon) || colon != ":") return false;
  if (cell.bytes > kLargestMessage) return false;
  for (double sample = 0; words >> sample;) cell.samples.push_back(sample);
  if (!words.eof() || cell.samples.empty()) return false;
  if (!std::all_of(cell.samples.begin(), cell.samples.end(), plausible)) return false;
  output.cells.push_back(std::move(cell));
  return true;
}

bool read_sentinel(std::istringstream& words, ProbeOutput& output) {
  ProbeOutput::Sentinel sentinel;
  if (!(words >> sentinel.step >> sentinel.ns) || !plausible(sentinel.ns)) return false;
  output.sentinels.push_back(sentinel);
  return true;
}

bool read_delay(std::istringstream& words, ProbeOutput& output) {
  double delay = 0;
  double thread = 0;
  if (!(words >> delay >> thread) || !plausible(delay) || !plausible(thread)) return false;
  output.delay_s += delay;
  output.thread_s += thread;
  return true;
}

bool read_place(std::istringstream& words, ProbeOutput& output) {
  ProbeOutput::Place place;
  if (!(words >> place.host)) return false;
  for (std::string word; words >> word;) {
    std::array<int, 3> pu{};
    if (std::sscanf(word.c_str(), "%d:%d:%d", &pu[0], &pu[1], &pu[2]) != 3) return false;
    place.pus.push_back(pu);
  }
  output.places.push_back(std::move(place));
  return true;
}

bool read_line(const std::string& line, ProbeOutput& output) {
  std::istringstream words(line);
  std::string item;
  words >> item;
  if (item == "cell") return read_cell(words, output);
  if (item == "sentinel") return read_sentinel(words, output);
  if (item == "delay") return read_delay(words, output);
  if (item == "place") return read_place(words, output);
  if (item == "end") {
    ++output.complete_ranks;
    return true;
  }
  if (line.size() <= item.size() + 1) return false;
  if (item == "library") {
    // Some libraries put tabs into their version.
    output.library.clear();
    for (std::string word; words >> word;)
      output.library += (output.library.empty() ? "" : " ") + word;
    return true;
  }
  if (item != "error") return false;
  output.errors.push_back(line.substr(item.size() + 1));
  return true;
}

}  // namespace

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
