// SPDX-License-Identifier: BSD-3-Clause
// pprof's profile.proto (github.com/google/pprof, proto/profile.proto), gzip-compressed.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "export/gzip.hpp"
#include "export/output_file.hpp"
#include "export/protobuf.hpp"
#include "export/samples.hpp"

namespace plait::exports {
namespace {

/// The parts of the file that refer to each other by numbers.
class Writer {
public:
  explicit Writer(const SampleRequest& request) : request_(request), tree_(request.tree) {
    text("");  // the first string must be empty
  }

  std::string write() {
    type(1, "samples", "count");
    type(1, tree_.clock, "nanoseconds");
    for (const samples::NodeCount& count : tree_.counts) {
      if (is_exported(request_, count.thread)) sample(count);
    }
    write_mappings();
    for (const auto& [node, id] : locations_) location(node, id);
    write_functions();
    type(11, tree_.clock, "nanoseconds");
    profile_.varint(12, static_cast<std::uint64_t>(1e9 / tree_.rate_hz));
    for (const std::string& note : tree_.notes) profile_.varint(13, text(note));
    for (const std::string& string : strings_) profile_.text(6, string);
    return gzip(profile_.bytes());
  }

private:
  /// The number of a string.
  std::uint64_t text(const std::string& string) {
    const auto [known, is_new] = numbers_.try_emplace(string, strings_.size());
    if (is_new) strings_.push_back(string);
    return known->second;
  }

  void type(std::uint32_t field, const std::string& name, const std::string& unit) {
    Protobuf value;
    value.varint(1, text(name));
    value.varint(2, text(unit));
    profile_.message(field, value);
  }

  void label(Protobuf& to, const char* key, std::uint64_t number) {
    Protobuf value;
    value.varint(1, text(key));
    value.varint(3, number);
    to.message(3, value);
  }

  /// A location for each frame with the functions that were inlined into it, innermost first.
  void sample(const samples::NodeCount& count) {
    Protobuf value;
    for (int at = count.node; at >= 0;) {
      const auto [known, is_new] = locations_.try_emplace(at, locations_.size() + 1);
      value.varint(1, known->second);
      while (node(at).inlined && node(at).parent >= 0) at = node(at).parent;
      at = node(at).parent;
    }
    const double ns = static_cast<double>(count.samples) * 1e9 / tree_.rate_hz;
    value.varint(2, count.samples);
    value.varint(2, static_cast<std::uint64_t>(ns));
    const samples::SampledThread& thread = tree_.threads[static_cast<std::size_t>(count.thread)];
    if (thread.rank >= 0) label(value, "rank", static_cast<std::uint64_t>(thread.rank));
    label(value, "thread", static_cast<std::uint64_t>(thread.thread));
    Protobuf state;
    state.varint(1, text("state"));
    state.varint(2, text(samples::kStateNames[static_cast<std::size_t>(count.state)]));
    value.message(3, state);
    profile_.message(2, value);
  }

  void location(int first, std::uint64_t id) {
    Protobuf value;
    value.varint(1, id);
    int at = first;
    for (;; at = node(at).parent) {
      Protobuf line;
      line.varint(1, static_cast<std::uint64_t>(node(at).function) + 1);
      if (node(at).line > 0) line.varint(2, static_cast<std::uint64_t>(node(at).line));
      value.message(4, line);
      if (!node(at).inlined || node(at).parent < 0) break;
    }
    const std::string& module = tree_.functions[static_cast<std::size_t>(node(at).function)].module;
    if (!module.empty()) value.varint(2, mappings_.at(module));
    profile_.message(4, value);
  }

  void write_mappings() {
    for (const samples::Function& of : tree_.functions) {
      if (of.module.empty()) continue;
      const auto [known, is_new] = mappings_.try_emplace(of.module, mappings_.size() + 1);
      if (!is_new) continue;
      Protobuf value;
      value.varint(1, known->second);
      value.varint(5, text(of.module));
      // Names are resolved: pprof need not look for the file.
      for (const std::uint32_t has : {7U, 8U, 9U, 10U}) value.varint(has, 1);
      profile_.message(3, value);
    }
  }

  void write_functions() {
    for (std::size_t i = 0; i < tree_.functions.size(); ++i) {
      const samples::Function& of = tree_.functions[i];
      Protobuf value;
      value.varint(1, i + 1);
      value.varint(2, text(of.name));
      value.varint(3, text(of.name));
      value.varint(4, text(of.file));
      if (of.line > 0) value.varint(5, static_cast<std::uint64_t>(of.line));
      profile_.message(5, value);
    }
  }

  [[nodiscard]] const samples::CallNode& node(int at) const {
    return tree_.nodes[static_cast<std::size_t>(at)];
  }

  const SampleRequest& request_;
  const samples::CallTree& tree_;
  Protobuf profile_;
  std::vector<std::string> strings_;
  std::map<std::string, std::uint64_t> numbers_, mappings_;
  std::map<int, std::uint64_t> locations_;  // by innermost node
};

}  // namespace

Result write_pprof(const SampleRequest& request) {
  OutputFile out(request.output, request.replace);
  out.put(Writer(request).write());
  Result result;
  result.bytes = out.close();
  result.next = "pprof -http=: FILE; -tagfocus=rank=1 shows one rank";
  return result;
}

}  // namespace plait::exports
