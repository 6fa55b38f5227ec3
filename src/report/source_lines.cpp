// SPDX-License-Identifier: BSD-3-Clause
// The source text around the lines of a program with most samples, for the page.
#include "report/source_lines.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace plait::report {
namespace {

using nlohmann::json;

constexpr int kAround = 4;  // lines before and after
constexpr double kLeastShare = 0.001;
constexpr std::size_t kMostFiles = 20, kMostLines = 2000, kMostBytes = 200;
constexpr std::uintmax_t kMostFileBytes = 4 << 20;

struct HotFile {
  std::uint64_t samples = 0;
  std::map<int, std::uint64_t> lines;
};

/// Samples by file and line; `all` gets their number, with those without a line.
std::map<std::string, HotFile> hot_files(const samples::CallTree& tree, std::uint64_t& all) {
  std::map<std::string, HotFile> files;
  for (const samples::NodeCount& count : tree.counts) {
    all += count.samples;
    const samples::CallNode& node = tree.nodes[static_cast<std::size_t>(count.node)];
    const std::string& file = tree.functions[static_cast<std::size_t>(node.function)].file;
    if (file.empty() || node.line <= 0) continue;
    files[file].samples += count.samples;
    files[file].lines[node.line] += count.samples;
  }
  return files;
}

/// The lines of a text file; nothing if it cannot be read, is large, or is not text.
std::optional<std::vector<std::string>> text_lines(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return {};
  if (std::filesystem::file_size(path, error) > kMostFileBytes || error) return {};
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    if (line.find('\0') != std::string::npos) return {};
    if (!line.empty() && line.back() == '\r') line.pop_back();
    lines.push_back(line.substr(0, kMostBytes));
  }
  if (lines.empty()) return {};
  return lines;
}

/// Adds the runs of wanted lines that the file has.
void add_parts(const std::string& file, const std::set<int>& wanted,
               const std::vector<std::string>& text, json& parts, std::size_t& room) {
  int previous = -1;
  for (const int line : wanted) {
    if (line > static_cast<int>(text.size()) || room == 0) return;
    if (previous < 0 || line != previous + 1) {
      parts.push_back({{"file", file}, {"first_line", line}, {"lines", json::array()}});
    }
    parts.back()["lines"].push_back(text[static_cast<std::size_t>(line - 1)]);
    previous = line;
    --room;
  }
}

}  // namespace

json source_lines(const samples::CallTree& tree) {
  std::uint64_t all = 0;
  const std::map<std::string, HotFile> files = hot_files(tree, all);
  std::vector<std::pair<std::uint64_t, std::string>> by_samples;
  for (const auto& [path, of] : files) by_samples.emplace_back(of.samples, path);
  std::ranges::sort(by_samples, std::ranges::greater{});
  json parts = json::array();
  std::size_t room = kMostLines;
  std::size_t read = 0;
  for (const auto& [samples, path] : by_samples) {
    if (read == kMostFiles || room == 0) break;
    const auto text = text_lines(path);
    if (!text) continue;
    ++read;
    std::set<int> wanted;
    for (const auto& [line, taken] : files.at(path).lines) {
      if (static_cast<double>(taken) < kLeastShare * static_cast<double>(all)) continue;
      for (int at = std::max(1, line - kAround); at <= line + kAround; ++at) wanted.insert(at);
    }
    add_parts(path, wanted, *text, parts, room);
  }
  return parts;
}

}  // namespace plait::report
