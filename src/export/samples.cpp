// SPDX-License-Identifier: BSD-3-Clause
// Lists the formats of sampled call stacks, and what they share.
#include "export/samples.hpp"

#include <fmt/format.h>

namespace plait::exports {

const std::vector<SampleFormat>& sample_formats() {
  static const std::vector<SampleFormat> all = {
      {"folded", "samples: folded stacks for flamegraph.pl and similar tools",
       "export/samples.folded", write_folded},
      {"speedscope", "samples: JSON for speedscope.app", "export/samples.speedscope.json",
       write_speedscope},
      {"pprof", "samples: profile.proto for pprof", "export/samples.pb.gz", write_pprof},
  };
  return all;
}

std::vector<int> stack_of(const samples::CallTree& tree, int node) {
  std::vector<int> stack;
  for (int at = node; at >= 0; at = tree.nodes[static_cast<std::size_t>(at)].parent) {
    stack.push_back(at);
  }
  return stack;
}

std::string stack_text(const samples::CallTree& tree, int node) {
  std::string text;
  for (const int at : stack_of(tree, node)) {
    const samples::CallNode& one = tree.nodes[static_cast<std::size_t>(at)];
    const samples::Function& function = tree.functions[static_cast<std::size_t>(one.function)];
    if (!text.empty()) text += " < ";
    text += function.short_name;
    if (function.file.empty() || one.line == 0) continue;
    const std::string file = std::filesystem::path(function.file).filename().string();
    text += fmt::format(" ({}:{})", file, one.line);
  }
  return text;
}

bool is_exported(const Selection& selection, const samples::PlacedSample& of) {
  return of.at >= 0 && selection.has(of.at);
}

bool is_exported(const SampleRequest& request, int thread) {
  const int rank = request.tree.threads[static_cast<std::size_t>(thread)].rank;
  if (request.ranks.empty()) return true;
  const auto at = static_cast<std::size_t>(rank);
  return rank >= 0 && at < request.ranks.size() && request.ranks[at];
}

}  // namespace plait::exports
