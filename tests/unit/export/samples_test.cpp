// SPDX-License-Identifier: BSD-3-Clause
// Tests of exports of samples, which read the files back: folded stacks, speedscope, pprof.
#include "export/samples.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "export/gzip.hpp"
#include "export/output_file.hpp"
#include "plait/error.hpp"
#include "protobuf_message.hpp"
#include "temporary_folder.hpp"

namespace plait::exports {
namespace {

using nlohmann::json;

samples::CallTree two_ranks() {
  return samples::read_call_tree(std::filesystem::path(PLAIT_SAMPLES) / "two_ranks.json");
}

std::map<std::string, int> folded(const std::string& text) {
  std::map<std::string, int> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const std::size_t blank = line.rfind(' ');
    lines[line.substr(0, blank)] = std::stoi(line.substr(blank + 1));
  }
  return lines;
}

TEST(FoldedExport, HasALineForEachStackOfAThread) {
  const samples::CallTree tree = two_ranks();
  const TemporaryFolder folder;
  const Result result = write_folded({tree, {}, folder.path() / "out", false});
  const std::string text = text_of(folder.path() / "out");
  EXPECT_EQ(result.bytes, text.size());
  const std::map<std::string, int> lines = folded(text);
  EXPECT_EQ(lines.at("rank 1;thread 0;<module>;main;solve(Mesh&, int);assemble(Mesh&)"), 150);
  EXPECT_EQ(lines.at("rank 1;thread 0;<module>;main;solve(Mesh&, int);assemble(Mesh&);"
                     "element_matrix(double const*)_[i]"),
            180);
  EXPECT_EQ(lines.at("rank 1;thread 1;<module>;main;solve(Mesh&, int);sweep(Mesh&);"
                     "(waiting for a CPU)"),
            10);
  int all = 0;
  for (const auto& [line, samples] : lines) all += samples;
  EXPECT_EQ(all, 1600);
  // Names with separators would be several frames.
  samples::CallTree hostile = tree;
  hostile.functions[0].name = "a;b\nc 7";
  write_folded({hostile, {}, folder.path() / "hostile", false});
  EXPECT_TRUE(folded(text_of(folder.path() / "hostile"))
                  .contains("rank 1;thread 0;<module>;a:b c 7;solve(Mesh&, int);assemble(Mesh&)"));
  hostile.functions[0].name = "\r\x1b[2J";
  hostile.functions[1].name = "";
  write_folded({hostile, {}, folder.path() / "hostile", true});
  const std::string hostile_text = text_of(folder.path() / "hostile");
  EXPECT_EQ(std::ranges::count_if(hostile_text, [](char c) { return c >= 0 && c < ' '; }),
            std::ranges::count(hostile_text, '\n'));
  EXPECT_EQ(hostile_text.find(";;"), hostile_text.npos);
}

TEST(FoldedExport, HasTheSelectedRanksAndReplacesNothingUnasked) {
  const samples::CallTree tree = two_ranks();
  const TemporaryFolder folder;
  write_folded({tree, {false, true}, folder.path() / "out", false});
  for (const auto& [line, samples] : folded(text_of(folder.path() / "out"))) {
    EXPECT_TRUE(line.starts_with("rank 1;")) << line;
  }
  EXPECT_THROW(write_folded({tree, {}, folder.path() / "out", false}), Error);
  EXPECT_NO_THROW(write_folded({tree, {}, folder.path() / "out", true}));
}

TEST(SpeedscopeExport, HasAProfileForEachThreadWithItsTime) {
  const samples::CallTree tree = two_ranks();
  const TemporaryFolder folder;
  write_speedscope({tree, {}, folder.path() / "out", false});
  const json file = json::parse(text_of(folder.path() / "out"));
  EXPECT_EQ(file["$schema"], "https://www.speedscope.app/file-format-schema.json");
  ASSERT_EQ(file["profiles"].size(), 4U);
  const json& frames = file["shared"]["frames"];
  for (const json& profile : file["profiles"]) {
    EXPECT_EQ(profile["type"], "sampled");
    EXPECT_EQ(profile["unit"], "seconds");
    ASSERT_EQ(profile["samples"].size(), profile["weights"].size());
    double sum = 0;
    for (const json& weight : profile["weights"]) sum += weight.get<double>();
    EXPECT_NEAR(sum, 4.0, 1e-9);
    EXPECT_NEAR(profile["endValue"].get<double>(), sum, 1e-9);
    for (const json& stack : profile["samples"]) {
      for (const json& frame : stack) EXPECT_LT(frame.get<std::size_t>(), frames.size());
    }
  }
  const json& last = file["profiles"][3];
  EXPECT_EQ(last["name"], "rank 1, thread 1");
  // The outermost frame comes first.
  EXPECT_EQ(frames[last["samples"][0][0].get<std::size_t>()]["name"], "<module>");
  EXPECT_EQ(frames[last["samples"][2].back().get<std::size_t>()]["name"], kWaitingFrame);
  EXPECT_EQ(frames[last["samples"][0].back().get<std::size_t>()],
            json({{"name", "sweep(Mesh&)"}, {"file", "/src/fe/mesh.cpp"}, {"line", 82}}));
}

/// The file without its compression, by gzip(1).
std::string unzipped(const std::filesystem::path& file) {
  const std::string plain = file.string() + ".plain";
  const std::string command = "gzip -dc < '" + file.string() + "' > '" + plain + "'";
  EXPECT_EQ(std::system(command.c_str()), 0);  // NOLINT(cert-env33-c)
  return text_of(plain);
}

TEST(PprofExport, HasTheSamplesWithLinesInlinedFunctionsAndLabels) {
  const samples::CallTree tree = two_ranks();
  const TemporaryFolder folder;
  write_pprof({tree, {}, folder.path() / "out.pb.gz", false});
  const Message profile(unzipped(folder.path() / "out.pb.gz"));
  std::vector<std::string> strings;
  for (auto [at, end] = profile.texts.equal_range(6); at != end; ++at)
    strings.push_back(at->second);
  ASSERT_EQ(strings.at(0), "");
  std::map<std::uint64_t, std::string> functions;
  for (const Message& of : profile.messages(5)) functions[of.number(1)] = strings.at(of.number(2));
  std::map<std::uint64_t, std::vector<std::string>> lines;
  for (const Message& location : profile.messages(4)) {
    for (const Message& line : location.messages(4)) {
      lines[location.number(1)].push_back(
          functions.at(line.number(1)) +
          (line.numbers.contains(2) ? ":" + std::to_string(line.number(2)) : ""));
    }
  }
  std::uint64_t samples = 0, nanoseconds = 0;
  std::map<std::string, std::uint64_t> by_leaf;
  for (const Message& sample : profile.messages(2)) {
    auto value = sample.numbers.equal_range(2).first;
    by_leaf[lines.at(sample.number(1)).front()] += value->second;
    samples += value->second;
    nanoseconds += std::next(value)->second;
    std::map<std::string, std::uint64_t> labels;
    for (const Message& label : sample.messages(3)) {
      const bool is_text = label.numbers.contains(2);
      labels[strings.at(label.number(1))] = is_text ? label.number(2) : label.number(3);
    }
    EXPECT_TRUE(labels.contains("rank") && labels.contains("thread") && labels.contains("state"));
  }
  EXPECT_EQ(samples, 1600U);
  EXPECT_EQ(nanoseconds, 16'000'000'000U);
  EXPECT_EQ(by_leaf.at("assemble(Mesh&):64"), 210U);
  EXPECT_EQ(by_leaf.at("element_matrix(double const*):21"), 260U);
  EXPECT_EQ(profile.number(12), 10'000'000U);
  // An inlined function and the one around it share a location.
  const auto is_inlined = [](const auto& of) {
    return of.second ==
           std::vector<std::string>{"element_matrix(double const*):21", "assemble(Mesh&):62"};
  };
  EXPECT_EQ(std::ranges::count_if(lines, is_inlined), 1);
  for (const Message& type : profile.messages(1)) EXPECT_LT(type.number(1), strings.size());
}

TEST(Gzip, StoresInputsOfAnyLength) {
  const TemporaryFolder folder;
  for (const std::size_t length : {0U, 1U, 65535U, 65536U, 200000U}) {
    std::string bytes(length, 'x');
    for (std::size_t i = 0; i < length; i += 7) bytes[i] = static_cast<char>(i);
    OutputFile out(folder.path() / "z.gz", true);
    out.put(gzip(bytes));
    out.close();
    EXPECT_EQ(unzipped(folder.path() / "z.gz"), bytes);
  }
}

}  // namespace
}  // namespace plait::exports
