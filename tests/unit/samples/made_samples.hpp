// SPDX-License-Identifier: BSD-3-Clause
// Makes a file of samples whose frames are lines of Python, which have names without any program.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "trace/sample_format.h"

namespace plait::samples::test {

class MadeSamples {
public:
  MadeSamples() {
    header_.magic = PLAIT_SAMPLES_MAGIC;
    header_.version = PLAIT_SAMPLES_VERSION;
    header_.header_bytes = sizeof header_;
    header_.rate_hz = 100;
    header_.ticks_per_s = 1e9;
    header_.clock = PLAIT_SAMPLE_CPU;
    header_.pid = 7;
    header_.tables = 1;
    header_.table_offsets[0] = sizeof header_;
    nodes_.resize(2);
    counts_.resize(1);
    lines_.resize(1);
    texts_.push_back('\0');
  }

  /// A thread of the process; its index.
  std::uint32_t thread(int tid, int omp_thread = -1) {
    plait_sampled_thread made{};
    made.tid = tid;
    made.omp_thread = omp_thread;
    made.cpu_ns = 2'000'000'000;
    made.handled = 1;
    made.spent_ticks = 5000;
    threads_.push_back(made);
    return static_cast<std::uint32_t>(threads_.size()) - 1;
  }

  /// A frame "LINE FUNCTION" of app.py; its node.
  std::uint32_t python(std::uint32_t parent, const std::string& line) {
    plait_python_line made{};
    made.text = text(line + "\n/home/user/app.py");
    lines_.push_back(made);
    return node(parent, PLAIT_PYTHON_FRAME | (lines_.size() - 1));
  }

  std::uint32_t node(std::uint32_t parent, std::uint64_t pc) {
    nodes_.push_back({pc, parent, 0});
    return static_cast<std::uint32_t>(nodes_.size()) - 1;
  }

  void module(std::uint64_t start, std::uint64_t end, std::uint64_t bias, const std::string& path) {
    modules_.push_back({start, end, bias, path.empty() ? 0 : text(path), 0});
  }

  /// Samples of a stack; the index of their count.
  std::uint32_t count(std::uint32_t node, std::uint32_t thread, std::uint64_t samples,
                      plait_sample_state state = PLAIT_SAMPLE_CODE, std::uint32_t region = 0) {
    plait_sample_count made{};
    made.samples = samples;
    made.node = node;
    made.thread = thread;
    made.region = region;
    made.state = state;
    counts_.push_back(made);
    threads_.at(thread).samples += samples;
    return static_cast<std::uint32_t>(counts_.size()) - 1;
  }

  /// The time of some samples of a count.
  void time(std::uint64_t ticks, std::uint32_t count, std::uint32_t samples = 1) {
    times_.push_back({ticks, count, samples});
  }

  /// Signals for whose time there was no room.
  void untimed(std::uint32_t signals) { untimed_ = signals; }

  /// Writes the format of version 1, which has no times.
  void before_times() { header_.version = 1; }

  [[nodiscard]] std::string bytes() const {
    plait_sample_table table{};
    std::string rest;
    const std::size_t sections = header_.version == 1 ? PLAIT_SAMPLE_TIMES : PLAIT_SAMPLE_SECTIONS;
    const std::size_t table_bytes = sections * sizeof(plait_section_header);
    const std::size_t begin = sizeof header_ + table_bytes;
    const auto place = [&](plait_sample_section section, const auto& entries) {
      using Entry = typename std::decay_t<decltype(entries)>::value_type;
      auto& head = table.sections[section];
      rest.resize((rest.size() + 63) / 64 * 64);
      head.entry_bytes = sizeof(Entry);
      head.capacity = static_cast<std::uint32_t>(entries.size()) + 8;
      head.count = static_cast<std::uint32_t>(entries.size());
      head.offset = begin + rest.size();
      rest.append(reinterpret_cast<const char*>(entries.data()), entries.size() * sizeof(Entry));
      rest.append(8 * sizeof(Entry), '\0');
    };
    place(PLAIT_SAMPLE_NODES, nodes_);
    place(PLAIT_SAMPLE_COUNTS, counts_);
    place(PLAIT_SAMPLE_LINES, lines_);
    place(PLAIT_SAMPLE_MODULES, modules_);
    place(PLAIT_SAMPLE_TEXT, texts_);
    place(PLAIT_SAMPLE_THREADS, threads_);
    place(PLAIT_SAMPLE_TIMES, times_);
    table.sections[PLAIT_SAMPLE_TIMES].lost = untimed_;
    std::string all(reinterpret_cast<const char*>(&header_), sizeof header_);
    all.append(reinterpret_cast<const char*>(&table), table_bytes);
    return all + rest;
  }

  void write(const std::filesystem::path& file) const {
    std::ofstream(file, std::ios::binary) << bytes();
  }

  plait_samples_header& header() { return header_; }
  std::vector<plait_sample_time>& times() { return times_; }
  std::vector<plait_stack_node>& nodes() { return nodes_; }

private:
  std::uint32_t text(const std::string& of) {
    const auto at = static_cast<std::uint32_t>(texts_.size());
    texts_.insert(texts_.end(), of.begin(), of.end());
    texts_.push_back('\0');
    return at;
  }

  plait_samples_header header_{};
  std::vector<plait_stack_node> nodes_;
  std::vector<plait_sample_count> counts_;
  std::vector<plait_python_line> lines_;
  std::vector<plait_sample_module> modules_;
  std::vector<char> texts_;
  std::vector<plait_sampled_thread> threads_;
  std::vector<plait_sample_time> times_;
  std::uint32_t untimed_ = 0;
};

}  // namespace plait::samples::test
