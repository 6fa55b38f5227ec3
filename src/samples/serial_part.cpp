// SPDX-License-Identifier: BSD-3-Clause
// The function whose serial part is longest: what one thread computes outside OpenMP regions.
#include "samples/serial_part.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace plait::samples {
namespace {

constexpr double kMostOfSerial = 2.0 / 3;  // that a called function must have to be followed
constexpr double kMostCutOff = 0.05;       // of the samples of main threads

/// Samples of main threads.
struct MainSamples {
  std::uint64_t serial = 0, parallel = 0;

  [[nodiscard]] std::uint64_t all() const { return serial + parallel; }
  MainSamples& operator+=(const MainSamples& more) {
    serial += more.serial;
    parallel += more.parallel;
    return *this;
  }
};

/// A function in some of the nodes, with what it calls.
struct Stage {
  int function = -1;
  int line = 0;
  MainSamples samples;
  std::set<int> nodes;
};

class SerialDescent {
public:
  explicit SerialDescent(const CallTree& tree) : tree_(tree), inclusive_(tree.nodes.size()) {
    for (const NodeCount& count : tree.counts) {
      const auto node = static_cast<std::size_t>(count.node);
      const bool is_main = tree.threads[static_cast<std::size_t>(count.thread)].kind == "main";
      // A main thread that is idle in the runtime has reached the end of a region.
      const bool in_region = tree.nodes[node].parallel || count.state == State::openmp;
      has_regions_ = has_regions_ || tree.nodes[node].parallel;
      if (!is_main || (count.state != State::code && count.state != State::openmp)) continue;
      (in_region ? inclusive_[node].parallel : inclusive_[node].serial) += count.samples;
    }
    for (std::size_t i = tree.nodes.size(); i > 0; --i) {
      const int parent = tree.nodes[i - 1].parent;
      MainSamples& to = parent < 0 ? all_ : inclusive_[static_cast<std::size_t>(parent)];
      to += inclusive_[i - 1];
    }
    std::uint64_t taken = 0, cut_off = 0;
    for (const SampledThread& thread : tree.threads) {
      if (thread.kind != "main") continue;
      taken += thread.samples;
      cut_off += thread.truncated;
    }
    // Of such a stack it is not known whether it is in a region.
    is_known_ = static_cast<double>(cut_off) <= kMostCutOff * static_cast<double>(taken);
  }

  std::optional<SerialPart> follow() const {
    if (!has_regions_ || !is_known_ || all_.serial == 0) return {};
    std::optional<SerialPart> found;
    std::set<int> callers{-1};
    for (;;) {
      const Stage next = stage(callers);
      const auto least = kMostOfSerial * static_cast<double>(all_.serial);
      if (next.function < 0 || static_cast<double>(next.samples.serial) < least) return found;
      const Function& function = tree_.functions[static_cast<std::size_t>(next.function)];
      if (function.kind == "code" || function.kind == "python") {
        const bool begins = !found || next.samples.parallel > 0;
        if (begins) {
          found = SerialPart{next.function, next.line,
                             share_of(next.samples.serial, next.samples.all()),
                             static_cast<double>(next.samples.serial) / tree_.rate_hz};
        }
        // Of the functions below it, the outermost has the cause: it calls the others.
        if (begins || found->inside == found->function) {
          found->inside = next.function;
          found->inside_line = next.line;
        }
      }
      callers = next.nodes;
    }
  }

private:
  /// Of the functions that the nodes call, the one with most serial samples.
  [[nodiscard]] Stage stage(const std::set<int>& callers) const {
    std::map<int, Stage> stages;
    std::map<int, std::uint64_t> most;  // of a line, by function
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
      const CallNode& node = tree_.nodes[i];
      if (!callers.contains(node.parent)) continue;
      Stage& to = stages[node.function];
      to.function = node.function;
      to.samples += inclusive_[i];
      to.nodes.insert(static_cast<int>(i));
      if (node.line > 0 && inclusive_[i].serial > most[node.function]) {
        most[node.function] = inclusive_[i].serial;
        to.line = node.line;
      }
    }
    Stage best;
    for (const auto& [function, one] : stages) {
      if (best.function < 0 || one.samples.serial > best.samples.serial) best = one;
    }
    return best;
  }

  const CallTree& tree_;
  std::vector<MainSamples> inclusive_;
  MainSamples all_;
  bool has_regions_ = false;
  bool is_known_ = false;
};

}  // namespace

std::optional<SerialPart> serial_part(const CallTree& tree) {
  return SerialDescent(tree).follow();
}

}  // namespace plait::samples
