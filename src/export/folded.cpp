// SPDX-License-Identifier: BSD-3-Clause
// Folded stacks: a line for each stack, "rank 0;thread 0;main;solve 60".
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "export/output_file.hpp"
#include "export/samples.hpp"

namespace plait::exports {
namespace {

/// A name as a frame of a line: without separators and control characters.
std::string frame_of(std::string name) {
  if (name.empty()) return "[unknown]";
  std::ranges::replace(name, ';', ':');
  std::ranges::replace_if(
      name, [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; }, ' ');
  return name;
}

}  // namespace

Result write_folded(const SampleRequest& request) {
  const samples::CallTree& tree = request.tree;
  std::map<std::string, std::uint64_t> lines;  // frames that differ by their lines only are one
  for (const samples::NodeCount& count : tree.counts) {
    if (!is_exported(request, count.thread)) continue;
    const samples::SampledThread& thread = tree.threads[static_cast<std::size_t>(count.thread)];
    std::string line = fmt::format("rank {};thread {}", thread.rank, thread.thread);
    std::vector<int> stack = stack_of(tree, count.node);
    std::reverse(stack.begin(), stack.end());
    for (const int at : stack) {
      const samples::CallNode& node = tree.nodes[static_cast<std::size_t>(at)];
      line += ";" + frame_of(tree.functions[static_cast<std::size_t>(node.function)].name);
      // As flamegraph.pl marks inlined functions.
      if (node.inlined) line += "_[i]";
    }
    if (count.state == samples::State::waiting) line += std::string(";") + kWaitingFrame;
    lines[line] += count.samples;
  }
  OutputFile out(request.output, request.replace);
  for (const auto& [line, samples] : lines) out.print("{} {}\n", line, samples);
  Result result;
  result.bytes = out.close();
  result.next = "flamegraph.pl --countname samples FILE > flame.svg";
  return result;
}

}  // namespace plait::exports
