// SPDX-License-Identifier: BSD-3-Clause
// The data that processes and nodes send in one step of a known communication pattern: the volumes
// of Viet et al. 2005, tables 2, 3 and 7.
#include "model/communication_volume.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "plait/error.hpp"

namespace plait::model {
namespace {

/// The data that a node sends to other nodes, and the number of its processes that do.
struct NodeTraffic {
  Rational sent;
  int channels = 0;
  Rational inside;  ///< between its processes
};

/// Largest number of messages of a process to other nodes, and to others of its node.
std::pair<int, int> most_messages(const Pattern& pattern, const NodeOfProcess& mapping) {
  std::vector<int> out(mapping.size(), 0), inside(mapping.size(), 0);
  for (const PatternMessage& message : pattern.messages) {
    if (message.from == message.to) continue;
    const auto from = static_cast<std::size_t>(message.from);
    const bool leaves = mapping[from] != mapping[static_cast<std::size_t>(message.to)];
    ++(leaves ? out : inside)[from];
  }
  return {std::ranges::max(out), std::ranges::max(inside)};
}

std::vector<NodeTraffic> node_traffic(const Pattern& pattern, const NodeOfProcess& mapping) {
  const auto node_of = [&](int process) {
    return static_cast<std::size_t>(mapping[static_cast<std::size_t>(process)]);
  };
  std::vector<NodeTraffic> nodes(
      static_cast<std::size_t>(*std::max_element(mapping.begin(), mapping.end())) + 1);
  std::vector<bool> sends(mapping.size(), false);
  for (const PatternMessage& message : pattern.messages) {
    if (node_of(message.from) == node_of(message.to)) {
      if (message.from != message.to) nodes[node_of(message.from)].inside += message.size;
      continue;
    }
    nodes[node_of(message.from)].sent += message.size;
    sends[static_cast<std::size_t>(message.from)] = true;
  }
  for (std::size_t process = 0; process < sends.size(); ++process) {
    if (sends[process]) ++nodes[node_of(static_cast<int>(process))].channels;
  }
  return nodes;
}

bool lighter(const NodeTraffic& a, const NodeTraffic& b) {
  return a.sent == b.sent ? a.channels < b.channels : a.sent < b.sent;
}

/// Sends `size` from a process to all others of its row (step 1) or column (step columns).
void broadcast(Pattern& pattern, int from, int first, int count, int step, const Rational& size) {
  for (int at = 0; at < count; ++at) {
    const int to = first + at * step;
    if (to != from) pattern.messages.push_back({from, to, size});
  }
}

}  // namespace

Volume volume(const Pattern& pattern, const NodeOfProcess& mapping) {
  const bool negative = std::any_of(mapping.begin(), mapping.end(), [](int n) { return n < 0; });
  if (static_cast<int>(mapping.size()) != pattern.processes() || mapping.empty() || negative) {
    throw Error("mapping", "the number of nodes differs from the number of processes",
                "give the node (from 0) of each process");
  }
  std::vector<Rational> sent(mapping.size());
  for (const PatternMessage& message : pattern.messages) {
    sent[static_cast<std::size_t>(message.from)] += message.size;
  }
  const std::vector<NodeTraffic> nodes = node_traffic(pattern, mapping);
  const auto [least, most] = std::minmax_element(nodes.begin(), nodes.end(), lighter);
  const auto busy = std::ranges::max_element(nodes, {}, &NodeTraffic::inside);
  const auto [messages, inside_messages] = most_messages(pattern, mapping);
  return {*std::max_element(sent.begin(), sent.end()),
          most->sent,
          most->channels,
          least->sent,
          busy->inside,
          messages,
          inside_messages};
}

NodeOfProcess block_mapping(int processes, int per_node) {
  if (processes < 1 || per_node < 1) {
    throw Error(std::to_string(processes) + " processes, " + std::to_string(per_node) + " per node",
                "both must be at least 1", "give positive numbers");
  }
  NodeOfProcess nodes(static_cast<std::size_t>(processes));
  for (int process = 0; process < processes; ++process) {
    nodes[static_cast<std::size_t>(process)] = process / per_node;
  }
  return nodes;
}

Pattern cg_pattern(int processes) {
  if (processes < 1 || !std::has_single_bit(static_cast<unsigned>(processes))) {
    throw Error(std::to_string(processes), "not a number of processes for CG",
                "give a power of two");
  }
  const int bits = std::bit_width(static_cast<unsigned>(processes)) - 1;
  Pattern pattern{1 << (bits / 2), 1 << (bits - bits / 2), {}};
  // NAS parallel benchmarks 3, CG, setup_submatrix_info: with twice as many columns as rows, pairs
  // of columns are transposed as one column.
  const int wide = pattern.columns / pattern.rows;
  const Rational size(1, pattern.columns);
  for (int process = 0; process < processes; ++process) {
    for (int distance = pattern.columns / 2; distance > 0; distance /= 2) {
      pattern.messages.push_back({process, process ^ distance, size});
    }
    const int pair = process / wide;
    const int transposed = pair % pattern.rows * pattern.rows + pair / pattern.rows;
    pattern.messages.push_back({process, wide * transposed + process % wide, size});
  }
  return pattern;
}

Pattern hpl_pattern(int rows, int columns, int step) {
  if (rows < 1 || columns < 1 || step < 0) {
    throw Error(std::to_string(rows) + "x" + std::to_string(columns), "not a grid of processes",
                "give at least 1 row and 1 column");
  }
  Pattern pattern{rows, columns, {}};
  const int row = step % rows;
  const int column = step % columns;
  for (int q = 0; q < columns; ++q) {
    broadcast(pattern, row * columns + q, q, rows, columns, Rational(1, columns));
  }
  for (int p = 0; p < rows; ++p) {
    broadcast(pattern, p * columns + column, p * columns, columns, 1, Rational(1, rows));
  }
  return pattern;
}

Pattern hpl_pattern(int processes) {
  if (processes < 1) {
    throw Error(std::to_string(processes), "not a number of processes", "give at least 1");
  }
  Pattern best = hpl_pattern(1, processes);
  const NodeOfProcess apart = block_mapping(processes, 1);
  for (int rows = 2; rows * rows <= processes; ++rows) {
    if (processes % rows != 0) continue;
    Pattern next = hpl_pattern(rows, processes / rows);
    if (volume(next, apart).process < volume(best, apart).process) best = std::move(next);
  }
  return best;
}

Volume hpl_volume(int rows, int columns, const NodeOfProcess& mapping) {
  Volume most = volume(hpl_pattern(rows, columns), mapping);
  const int period = std::lcm(rows, columns);
  for (int step = 1; step < period; ++step) {
    const Volume next = volume(hpl_pattern(rows, columns, step), mapping);
    most.process = std::max(most.process, next.process);
    most.lightest = std::min(most.lightest, next.lightest);
    most.inside = std::max(most.inside, next.inside);
    most.messages = std::max(most.messages, next.messages);
    most.inside_messages = std::max(most.inside_messages, next.inside_messages);
    if (most.node < next.node || (most.node == next.node && most.channels < next.channels)) {
      most.node = next.node;
      most.channels = next.channels;
    }
  }
  return most;
}

Grid best_hpl_grid(int nodes, int per_node) {
  const NodeOfProcess mapping = block_mapping(nodes * per_node, per_node);
  const int processes = nodes * per_node;
  constexpr int kMostCompared = 1024;
  if (processes > kMostCompared) {
    const Pattern pattern = hpl_pattern(processes);
    return {pattern.rows, pattern.columns};
  }
  Grid best;
  std::optional<Volume> least;
  for (int rows = 1; rows <= processes; ++rows) {
    if (processes % rows != 0) continue;
    const Volume next = hpl_volume(rows, processes / rows, mapping);
    const bool better = !least || next.node < least->node ||
                        (next.node == least->node && next.process < least->process);
    if (!better) continue;
    best = {rows, processes / rows};
    least = next;
  }
  return best;
}

bool is_bad_for_hpl(int nodes) {
  const auto moved = [](int count) {
    return volume(hpl_pattern(count), block_mapping(count, 1)).process;
  };
  return nodes > 2 && moved(nodes - 1) < moved(nodes) && moved(nodes + 1) < moved(nodes);
}

}  // namespace plait::model
