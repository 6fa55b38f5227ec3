// SPDX-License-Identifier: BSD-3-Clause
// Writes and reads samples.times: when the samples of samples.json were taken.
#include "samples/sample_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <system_error>

#include "base/json_file.hpp"
#include "plait/error.hpp"
#include "trace/mapped_file.hpp"

namespace plait::samples {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAgain = "write it again with plait report RUN, or run the program again";
constexpr unsigned kStateShift = 30;
constexpr std::uint32_t kMostSamples = (1U << kStateShift) - 1;

/// The header that the file of a tree has.
SampleTimesHeader header_of(const CallTree& tree) {
  SampleTimesHeader head;
  head.entry_bytes = sizeof(SampleTimesEntry);
  head.entries = tree.times.size();
  head.nodes = tree.nodes.size();
  head.threads = tree.threads.size();
  for (const NodeCount& count : tree.counts) head.samples += count.samples;
  return head;
}

template <class Value>
void append_bytes(std::string& to, const Value& value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void write_times(const CallTree& tree, const fs::path& file) {
  std::string bytes;
  bytes.reserve(sizeof(SampleTimesHeader) + tree.times.size() * sizeof(SampleTimesEntry));
  append_bytes(bytes, header_of(tree));
  for (const SampleTime& of : tree.times) {
    append_bytes(bytes, SampleTimesEntry{of.ticks, static_cast<std::uint32_t>(of.node),
                                         static_cast<std::uint32_t>(of.thread), of.tid,
                                         std::min(of.samples, kMostSamples) |
                                             static_cast<std::uint32_t>(of.state) << kStateShift});
  }
  write_text_file(file, bytes);
}

/// Adds the times in a file to the tree.
void read_times(const fs::path& file, CallTree& tree) {
  const trace::MappedFile mapped(file);
  const auto bytes = mapped.bytes();
  const auto damaged = [&](const std::string& how) {
    return Error(file.string(), "damaged: " + how, kAgain);
  };
  SampleTimesHeader head;
  if (bytes.size() < sizeof head) throw damaged(fmt::format("it has {} bytes", bytes.size()));
  std::memcpy(&head, bytes.data(), sizeof head);
  if (head.magic != kSampleTimesMagic) throw Error(file.string(), "not times of samples", kAgain);
  if (head.version != kSampleTimesVersion) {
    throw Error(file.string(),
                fmt::format("has version {}, but this Plait reads version {}", head.version,
                            kSampleTimesVersion),
                kAgain);
  }
  const SampleTimesHeader wanted = header_of(tree);
  if (head.nodes != wanted.nodes || head.threads != wanted.threads ||
      head.samples != wanted.samples) {
    throw Error(file.string(), "not of the samples.json beside it", kAgain);
  }
  const std::size_t room = (bytes.size() - sizeof head) / sizeof(SampleTimesEntry);
  if (head.entry_bytes != sizeof(SampleTimesEntry) || head.entries > room) {
    throw damaged(fmt::format("{} entries of {} bytes in {} bytes", head.entries, head.entry_bytes,
                              bytes.size()));
  }
  tree.times.reserve(head.entries);
  for (std::uint64_t i = 0; i < head.entries; ++i) {
    SampleTimesEntry at;
    std::memcpy(&at, bytes.data() + sizeof head + i * sizeof at, sizeof at);
    if (at.node >= tree.nodes.size() || at.thread >= tree.threads.size()) {
      throw damaged(fmt::format("entry {} is of node {} and thread {}", i, at.node, at.thread));
    }
    tree.times.push_back({at.ticks, static_cast<int>(at.node), static_cast<int>(at.thread), at.tid,
                          static_cast<State>(at.samples_and_state >> kStateShift),
                          at.samples_and_state & kMostSamples});
  }
}

}  // namespace

fs::path sample_times_file(const fs::path& run_dir) {
  return run_dir / "samples.times";
}

void write_samples(const CallTree& tree, const fs::path& run_dir) {
  write_json_file(call_tree_file(run_dir), to_json(tree));
  if (!tree.times.empty()) return write_times(tree, sample_times_file(run_dir));
  std::error_code absent;
  fs::remove(sample_times_file(run_dir), absent);
}

CallTree read_samples(const fs::path& run_dir) {
  CallTree tree = read_call_tree(call_tree_file(run_dir));
  if (fs::exists(sample_times_file(run_dir))) read_times(sample_times_file(run_dir), tree);
  return tree;
}

}  // namespace plait::samples
