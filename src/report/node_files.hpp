// SPDX-License-Identifier: BSD-3-Clause
// Files that the ranks of a node have shared, in the records of a run, and the lines about them.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "plait/error.hpp"
#include "text/terminal.hpp"
#include "text/wrap.hpp"
#include "trace/container.hpp"

namespace plait::report {

/// What `parse(content, path)` makes of the files with this suffix. Those for which it throws Error
/// are left out: a process may have been killed before it was ready.
template <class Parse>
auto read_node_files(const std::filesystem::path& run_dir, const char* suffix, Parse parse) {
  std::vector<std::invoke_result_t<Parse, std::string, std::string>> nodes;
  for (const std::filesystem::path& file :
       trace::list_record_files(run_dir / "records", suffix, nullptr)) {
    try {
      nodes.push_back(parse(trace::record_file_text(file), file.string()));
    } catch (const Error&) {
      continue;
    }
  }
  return nodes;
}

/// "Label: sentence" for one node, "Label on HOST: sentence" for several, of at most 80 columns.
template <class Node, class Sentence>
std::vector<std::string> node_lines(std::string_view label, const std::vector<Node>& nodes,
                                    Sentence sentence) {
  std::vector<std::string> lines;
  for (const Node& node : nodes) {
    const std::string of =
        fmt::format("{}{}: ", label, nodes.size() > 1 ? " on " + printable(node.host, true) : "");
    for (std::string& line : wrap_beside(of, sentence(node))) lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace plait::report
