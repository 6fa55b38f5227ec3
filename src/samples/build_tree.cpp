// SPDX-License-Identifier: BSD-3-Clause
// Builds the call tree of a run from the files of samples of its ranks.
#include "samples/build_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "plait/error.hpp"
#include "samples/frame_kind.hpp"
#include "samples/raw_samples.hpp"
#include "trace/container.hpp"
#include "trace/frame_text.hpp"
#include "trace/function_names.hpp"
#include "trace/symbolize.hpp"

namespace plait::samples {
namespace {

constexpr const char* kRegion = "OpenMP region";  // trace::readable_function, of clang's bodies

/// A process with its file.
struct Process {
  const trace::RankRecord* record;
  RawSamples raw;
};

/// The functions and nodes of a tree, each kept once.
class TreeMaker {
public:
  explicit TreeMaker(CallTree& tree) : tree_(tree) {}

  int function(const Function& of) {
    const auto [at, is_new] =
        functions_.try_emplace({of.name, of.file, of.module}, int(tree_.functions.size()));
    if (is_new) tree_.functions.push_back(of);
    Function& known = tree_.functions[static_cast<std::size_t>(at->second)];
    if (of.line > 0 && (known.line == 0 || of.line < known.line)) known.line = of.line;
    return at->second;
  }

  int node(const CallNode& of) {
    const auto [at, is_new] =
        nodes_.try_emplace({of.parent, of.function, of.line, of.parallel}, int(tree_.nodes.size()));
    if (is_new) tree_.nodes.push_back(of);
    return at->second;
  }

  void count(int node, int thread, State state, int region, std::uint64_t samples) {
    counts_[{node, thread, static_cast<int>(state)}] += samples;
    if (region >= 0) region_counts_[{node, thread, region}] += samples;
  }

  void time(const SampleTime& of) { tree_.times.push_back(of); }

  int region(const std::string& name) {
    const auto [at, is_new] = regions_.try_emplace(name, int(tree_.region_names.size()));
    if (is_new) tree_.region_names.push_back(name);
    return at->second;
  }

  void finish() {
    for (const auto& [at, samples] : counts_) {
      const auto& [node, thread, state] = at;
      tree_.counts.push_back({node, thread, static_cast<State>(state), samples});
    }
    for (const auto& [at, samples] : region_counts_) {
      const auto& [node, thread, region] = at;
      tree_.region_counts.push_back({node, thread, region, samples});
    }
    drop_unused();
  }

  [[nodiscard]] const CallTree& tree() const { return tree_; }

private:
  /// Drops nodes without samples, which are of stacks that were only looked at.
  void drop_unused() {
    std::vector<int> node_numbers(tree_.nodes.size(), -1), functions(tree_.functions.size(), -1);
    for (const NodeCount& of : tree_.counts) node_numbers[static_cast<std::size_t>(of.node)] = 0;
    for (std::size_t i = tree_.nodes.size(); i > 0; --i) {
      const int parent = tree_.nodes[i - 1].parent;
      if (node_numbers[i - 1] == 0 && parent >= 0)
        node_numbers[static_cast<std::size_t>(parent)] = 0;
    }
    std::vector<CallNode> nodes;
    std::vector<Function> used;
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
      if (node_numbers[i] < 0) continue;
      CallNode node = tree_.nodes[i];
      int& function = functions[static_cast<std::size_t>(node.function)];
      if (function < 0) {
        function = static_cast<int>(used.size());
        used.push_back(tree_.functions[static_cast<std::size_t>(node.function)]);
      }
      node.function = function;
      if (node.parent >= 0) node.parent = node_numbers[static_cast<std::size_t>(node.parent)];
      node_numbers[i] = static_cast<int>(nodes.size());
      nodes.push_back(node);
    }
    tree_.nodes = std::move(nodes);
    tree_.functions = std::move(used);
    for (NodeCount& of : tree_.counts) of.node = node_numbers[static_cast<std::size_t>(of.node)];
    for (RegionCount& of : tree_.region_counts)
      of.node = node_numbers[static_cast<std::size_t>(of.node)];
    for (SampleTime& of : tree_.times) of.node = node_numbers[static_cast<std::size_t>(of.node)];
  }

  CallTree& tree_;
  std::map<std::tuple<std::string, std::string, std::string>, int> functions_;
  std::map<std::tuple<int, int, int, bool>, int> nodes_;
  std::map<std::tuple<int, int, int>, std::uint64_t> counts_, region_counts_;
  std::map<std::string, int> regions_;
};

std::string base_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

Function function_of(const trace::Frame& frame, FrameKind kind) {
  Function of;
  of.module = frame.module;
  of.file = frame.file;
  of.line = frame.line;
  of.kind = kind_name(kind);
  // Code without names would be a function per address.
  of.name = frame.function.empty() ? fmt::format("[{}]", base_name(frame.module)) : frame.function;
  if (frame.module.empty() && frame.function.empty()) of.name = "[unknown]";
  if (kind == FrameKind::python && of.name == "<module>") of.name = trace::frame_name(frame);
  of.short_name = trace::short_function(of.name);
  return of;
}

/// Where a stack of a table is in the tree.
struct Place {
  enum class Inside { nothing, mpi, openmp } inside = Inside::nothing;
  int node = -1;          ///< innermost one that is shown; -1: none yet
  std::string function;   ///< of MPI, if inside
  std::string module;     ///< of the runtime, if inside
  bool parallel = false;  ///< in the body of an OpenMP region
};

/// Adds the samples of one process.
class ProcessTree {
public:
  ProcessTree(TreeMaker& maker, const trace::Symbolizer& names, const Process& process)
      : maker_(maker), names_(names), process_(process) {}

  /// Learns which stacks start regions, of which other threads execute the bodies.
  void learn_regions() {
    for (const RawTable& table : process_.raw.tables) place_all(table);
    learning_ = false;
  }

  /// @param threads  of the tree, by table and thread of the file; -1: without samples
  void add(const std::vector<std::vector<int>>& threads) {
    std::vector<int> regions;
    for (const trace::UserRegion& region : process_.record->regions) {
      regions.push_back(maker_.region(region_name(region)));
    }
    for (std::size_t i = 0; i < process_.raw.tables.size(); ++i) {
      const RawTable& table = process_.raw.tables[i];
      const std::vector<Place> places = place_all(table);
      std::vector<SampleTime> of_counts;
      for (const RawCount& count : table.counts) {
        const int thread = threads[i][count.thread];
        SampleTime& one = of_counts.emplace_back();
        one.thread = thread;
        if (thread < 0) continue;
        const auto [node, state] = end_of(table, places[count.node], count);
        const int region =
            count.region > 0 && count.region <= regions.size() ? regions[count.region - 1] : -1;
        maker_.count(node, thread, state, region, count.samples);
        one.node = node;
        one.state = state;
        one.tid = table.threads[count.thread].tid;
      }
      for (const RawTime& time : table.times) {
        SampleTime one = of_counts[time.count];
        if (one.thread < 0) continue;
        one.ticks = time.ticks;
        one.samples = time.samples;
        maker_.time(one);
      }
    }
  }

private:
  /// A function that begins a region's body: file and name.
  using Body = std::pair<std::string, std::string>;

  std::string region_name(const trace::UserRegion& region) const {
    std::string name = region.name;
    const auto& all = process_.record->regions;
    int parent = region.parent;
    for (int depth = 0; parent >= 0 && parent < int(all.size()) && depth < 64; ++depth) {
      const trace::UserRegion& outer = all[static_cast<std::size_t>(parent)];
      name = fmt::format("{}/{}", outer.name, name);
      parent = outer.parent;
    }
    return name;
  }

  std::vector<Place> place_all(const RawTable& table) {
    std::vector<Place> places(table.nodes.size());
    for (std::size_t i = PLAIT_NODE_TRUNCATED + 1; i < table.nodes.size(); ++i) {
      places[i] = places[table.nodes[i].parent];
      add_frames(table, table.nodes[i], places[i]);
    }
    return places;
  }

  [[nodiscard]] std::vector<trace::Frame> frames_of(const RawTable& table,
                                                    const RawNode& node) const {
    return names_.frames(
        {node.module < 0 ? "" : table.modules[static_cast<std::size_t>(node.module)], node.offset,
         0});
  }

  /// Adds the frames of an address, of which all but the last are inlined.
  void add_frames(const RawTable& table, const RawNode& node, Place& place) {
    const std::vector<trace::Frame> frames = frames_of(table, node);
    for (std::size_t i = frames.size(); i > 0; --i) {
      const trace::Frame& frame = frames[i - 1];
      // clang's body of a region is inlined into another function without a name.
      if (i > 1 && frame.function == kRegion && frames[i - 2].function == kRegion) continue;
      add_frame(frame, kind_of(frame), i < frames.size(), place);
    }
  }

  void add_frame(const trace::Frame& frame, FrameKind kind, bool inlined, Place& place) {
    switch (kind) {
      case FrameKind::plait:
      case FrameKind::start:
        return;
      case FrameKind::mpi:
        place.inside = Place::Inside::mpi;
        if (place.function.empty()) place.function = mpi_function(frame.function);
        place.module = frame.module;
        return;
      case FrameKind::openmp:
        if (place.inside == Place::Inside::mpi) return;
        place.inside = Place::Inside::openmp;
        place.module = frame.module;
        return;
      case FrameKind::system:
        // Where the library calls the C library, it is still in its function.
        if (place.inside != Place::Inside::nothing) return;
        break;
      case FrameKind::code:
        // A library of the network is still in MPI; a function that MPI calls is not.
        if (place.inside == Place::Inside::mpi && is_installed(frame.module)) return;
        break;
      case FrameKind::python:
        break;
    }
    Function function = function_of(frame, kind);
    if (place.inside == Place::Inside::openmp) {
      enter_body(function, place);
      place.parallel = true;
    } else if (place.inside == Place::Inside::mpi) {
      place.node = mpi_node(place);  // a function that MPI calls
    }
    place.inside = Place::Inside::nothing;
    place.function.clear();
    place.node =
        maker_.node({place.node, maker_.function(function), frame.line, inlined, place.parallel});
  }

  /// The body of a region is shown as the function around it, and below what called that.
  void enter_body(Function& function, Place& place) {
    const CallTree& tree = maker_.tree();
    const auto key = Body{function.file, function.name};
    const bool is_unnamed = function.name == kRegion;
    if (learning_ && place.node >= 0) starts_.try_emplace(key, place.node);
    if (place.node < 0) {
      const auto start = starts_.find(key);
      if (start != starts_.end()) place.node = start->second;
    }
    if (place.node < 0) return;
    const CallNode& around = tree.nodes[static_cast<std::size_t>(place.node)];
    const Function& of = tree.functions[static_cast<std::size_t>(around.function)];
    if (is_unnamed) {
      function.name = of.name;
      function.short_name = of.short_name;
    }
    if (of.name == function.name && of.file == function.file) place.node = around.parent;
  }

  int mpi_node(const Place& place) {
    Function function;
    function.name = function.short_name =
        place.function.empty() ? fmt::format("[{}]", base_name(place.module)) : place.function;
    function.kind = "mpi";
    return maker_.node({place.node, maker_.function(function), 0, false, place.parallel});
  }

  int openmp_node(const Place& place) {
    Function function;
    function.name = function.short_name = "OpenMP runtime";
    function.module = place.module;
    function.kind = "openmp";
    return maker_.node({place.node, maker_.function(function), 0, false, place.parallel});
  }

  /// The node and the state of samples.
  std::pair<int, State> end_of(const RawTable& table, const Place& place, const RawCount& count) {
    const State state = static_cast<State>(count.state);
    const bool waits = state == State::waiting;
    switch (place.inside) {
      case Place::Inside::mpi:
        return {mpi_node(place), waits ? state : State::mpi};
      case Place::Inside::openmp:
        return {openmp_node(place), waits ? state : State::openmp};
      case Place::Inside::nothing:
        break;
    }
    if (place.node >= 0) return {place.node, state};
    // In what is before main, or in Plait: shown as it is.
    const std::vector<trace::Frame> frames = frames_of(table, table.nodes[count.node]);
    const Function function = function_of(frames.front(), FrameKind::system);
    return {maker_.node({-1, maker_.function(function), frames.front().line, false}), state};
  }

  TreeMaker& maker_;
  const trace::Symbolizer& names_;
  const Process& process_;
  std::map<Body, int> starts_;
  bool learning_ = true;
};

/// Numbers the threads of a rank: the main thread, those of OpenMP teams, others.
class ThreadNumbers {
public:
  ThreadNumbers(CallTree& tree, const Process& process) : tree_(tree), process_(process) {}

  std::vector<std::vector<int>> number() {
    int highest = 0;
    for (const RawTable& table : process_.raw.tables) {
      for (const RawThread& thread : table.threads) highest = std::max(highest, thread.omp_thread);
    }
    next_other_ = std::min(highest, kMostTeam) + 1;
    std::vector<std::vector<int>> numbers;
    for (const RawTable& table : process_.raw.tables) {
      std::vector<int>& of = numbers.emplace_back();
      for (const RawThread& thread : table.threads) {
        of.push_back(thread.samples + thread.lost > 0 ? number_of(thread) : -1);
      }
    }
    return numbers;
  }

private:
  static constexpr int kMostTeam = 1 << 20, kMostOthers = 256;

  int number_of(const RawThread& thread) {
    const bool is_main = thread.tid == process_.raw.pid;
    const bool is_openmp = !is_main && thread.omp_thread > 0 && thread.omp_thread <= kMostTeam;
    int number = is_main ? 0 : thread.omp_thread;
    if (!is_main && !is_openmp) {
      // Of very many short threads the last are counted as one.
      const auto [at, is_new] = others_.try_emplace(thread.tid, next_other_);
      number = at->second;
      if (is_new && others_.size() < kMostOthers) ++next_other_;
    }
    const auto [at, is_new] = known_.try_emplace(number, int(tree_.threads.size()));
    if (is_new) {
      tree_.threads.push_back({process_.record->world_rank, number,
                               is_main     ? "main"
                               : is_openmp ? "openmp"
                                           : "other",
                               0, 0, 0, 0});
    }
    SampledThread& to = tree_.threads[static_cast<std::size_t>(at->second)];
    to.samples += thread.samples;
    to.lost += thread.lost;
    to.truncated += thread.truncated;
    to.cpu_s += thread.cpu_s;
    return at->second;
  }

  CallTree& tree_;
  const Process& process_;
  std::map<int, int> known_, others_;
  int next_other_ = 1;
};

std::vector<Process> read_processes(const std::vector<const trace::RankRecord*>& ranks,
                                    CallTree& tree) {
  std::vector<Process> processes;
  for (const trace::RankRecord* record : ranks) {
    const std::filesystem::path file = raw_samples_file(record->file);
    if (!trace::record_file_exists(file)) continue;
    try {
      processes.push_back({record, read_raw_samples(file, record->program)});
    } catch (const Error& error) {
      tree.notes.emplace_back(error.what());
    }
  }
  return processes;
}

void want_all(const RawSamples& raw, trace::Symbolizer& names) {
  for (const RawTable& table : raw.tables) {
    for (const RawNode& node : table.nodes) {
      if (node.module < 0) continue;
      names.want({table.modules[static_cast<std::size_t>(node.module)], node.offset, 0});
    }
  }
}

/// Says how many samples have no time.
void note_untimed(const std::vector<Process>& processes, CallTree& tree) {
  std::uint64_t untimed = 0;
  for (const Process& process : processes) {
    for (const RawTable& table : process.raw.tables) untimed += table.untimed;
  }
  if (untimed == 0) return;
  tree.notes.push_back(fmt::format(
      "{} samples have no time, because there was no room for more times; they are not on the "
      "timeline and in no phase",
      untimed));
}

void fill_cost(const std::vector<Process>& processes, CallTree& tree) {
  double spent = 0, cpu = 0;
  std::uint64_t handled = 0, unsampled = 0;
  for (const Process& process : processes) {
    unsampled += process.raw.unsampled_threads;
    for (const RawTable& table : process.raw.tables) {
      for (const RawThread& thread : table.threads) {
        spent += thread.spent_s;
        cpu += thread.cpu_s;
        handled += thread.handled;
      }
    }
  }
  if (handled > 0) tree.sample_us = 1e6 * spent / static_cast<double>(handled);
  if (cpu > 0) tree.overhead_percent = 100 * spent / cpu;
  if (unsampled > 0) {
    tree.notes.push_back(
        fmt::format("{} threads were not sampled: too many ran at once, or the "
                    "system had no timer for them",
                    unsampled));
  }
}

}  // namespace

bool has_samples(const std::vector<const trace::RankRecord*>& ranks) {
  return std::ranges::any_of(ranks, [](const trace::RankRecord* record) {
    return trace::record_file_exists(raw_samples_file(record->file));
  });
}

CallTree build_call_tree(const std::vector<const trace::RankRecord*>& ranks) {
  CallTree tree;
  const std::vector<Process> processes = read_processes(ranks, tree);
  trace::Symbolizer names(trace::Symbolizer::Modules::all);
  for (const Process& process : processes) {
    tree.rate_hz = process.raw.rate_hz;
    tree.clock = process.raw.wall_clock ? "wall" : "cpu";
    want_all(process.raw, names);
  }
  names.resolve(tree.notes);
  TreeMaker maker(tree);
  for (const Process& process : processes) {
    ProcessTree of(maker, names, process);
    of.learn_regions();
    of.add(ThreadNumbers(tree, process).number());
  }
  maker.finish();
  fill_cost(processes, tree);
  note_untimed(processes, tree);
  return tree;
}

}  // namespace plait::samples
