// SPDX-License-Identifier: BSD-3-Clause
// Sentences and terminal lines of the analysis of synthetic traces.
#include "report/analysis_lines.hpp"

#include <gtest/gtest.h>

#include "analysis/analysis.hpp"
#include "analysis/analysis_json.hpp"
#include "golden.hpp"
#include "made_trace.hpp"
#include "report/analysis_sentences.hpp"
#include "text/terminal.hpp"

namespace plait::report {
namespace {

using nlohmann::json;

/// Rank 2 computes longer in "solve"; then the ranks exchange and reduce on a slow network.
json one_slow_rank(const std::string& exchange_place) {
  trace::MadeTrace made(4);
  for (int step = 0; step < 10; ++step) {
    double last = 0;
    for (int rank = 0; rank < 4; ++rank) {
      const double begin = made.now(rank);
      made.compute(rank, rank == 2 ? 0.15 : 0.1);
      made.region(rank, "solve", begin);
      made.from("exchange");
      made.send_receive(rank, rank ^ 1, 1 << 16, rank ^ 1, 1 << 16, rank == 3 ? 0.06 : 0.01);
      last = std::max(last, made.now(rank));
    }
    made.from("dot");
    for (int rank = 0; rank < 4; ++rank) {
      made.collective(rank, "MPI_Allreduce", 8, last - made.now(rank) + 0.002);
    }
  }
  trace::Trace trace = made.take();
  trace.clock_error_s = 2.5e-6;
  std::vector<std::string> places(trace.sites.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto& frames = trace.sites[i].frames;
    const bool dot = !frames.empty() && frames.front().module == "dot";
    places[i] = dot ? "dot (cg.c:41)" : exchange_place;
  }
  json value = analysis::to_json(analysis::analyze(trace, nullptr), trace, places);
  add_sentences(value);
  return value;
}

json cause(const std::string& kind) {
  return {{"kind", kind},        {"rank", 1},       {"region", nullptr},
          {"site", "f (a.c:3)"}, {"seconds", 2.0},  {"own_excess_s", 0.5},
          {"delayed", {3, 0}},   {"chain", {0, 1}}, {"sentence", ""}};
}

TEST(AnalysisSentences, EachCauseIsASentence) {
  EXPECT_EQ(cause_sentence(cause("computation")),
            "rank 1 computes 500 ms longer before f (a.c:3): ranks 0 and 3 wait 2.00 s for it");
  json dynamic = cause("computation");
  dynamic["own_excess_s"] = 0;
  dynamic["region"] = "solve";
  dynamic["delayed"] = {0};
  EXPECT_EQ(cause_sentence(dynamic),
            "rank 1 sometimes computes longer in region 'solve', before f (a.c:3): rank 0 waits "
            "2.00 s for it");
  EXPECT_EQ(cause_sentence(cause("serialization")),
            "ranks work one after another (0 -> 1) and wait 2.00 s, mostly in f (a.c:3)");
  EXPECT_EQ(cause_sentence(cause("late posted receive")),
            "rank 1 posts its receive in f (a.c:3) late: ranks 0 and 3 wait 2.00 s to send to it");
  EXPECT_EQ(cause_sentence(cause("lock contention")),
            "rank 1 holds the lock of a window until f (a.c:3): ranks 0 and 3 wait 2.00 s for it");
  EXPECT_EQ(cause_sentence(cause("wait for progress")),
            "rank 1 does not call MPI until f (a.c:3): ranks 0 and 3 wait 2.00 s for access to its "
            "window");
  EXPECT_EQ(cause_sentence(cause("late start")),
            "rank 1 left MPI_Init late: ranks 0 and 3 wait 2.00 s for it");
  EXPECT_EQ(cause_sentence(cause("transfer")),
            "data transfer: on an ideal network the ranks would save 2.00 s, mostly in f (a.c:3)");
  EXPECT_EQ(cause_sentence(cause("waiting for a CPU")),
            "the ranks wait 500 ms for a CPU, and 1.50 s for ranks that wait for one");
}

TEST(AnalysisSentences, TheVerdictIsTheLargestCauseOrThatThereIsNone) {
  json value = one_slow_rank("exchange (cg.c:30)");
  EXPECT_NE(value.at("verdict").get<std::string>().find("rank 2 computes 500 ms longer in region"),
            std::string::npos)
      << value.at("verdict");
  value["causes"] = json::array({cause("transfer")});
  value["causes"][0]["seconds"] = 1e-4;
  add_sentences(value);
  EXPECT_EQ(value.at("verdict").get<std::string>().rfind("Nothing stands out", 0), 0U);
  value["causes"] = json::array();
  add_sentences(value);
  EXPECT_EQ(value.at("verdict"), "No rank waits for another.");
  value["causes"] = json::array({cause("waiting for a CPU")});
  add_sentences(value);
  const auto verdict = value.at("verdict").get<std::string>();
  EXPECT_NE(verdict.find(" for one. Apart from that, no rank waits for another."), verdict.npos)
      << verdict;
}

TEST(AnalysisLines, AreAsRecorded) {
  expect_golden(joined(analysis_lines(one_slow_rank("exchange (cg.c:30)"), {})),
                "analysis_slow_rank.txt");
}

TEST(AnalysisLines, ShowOtherDefinitionsOnRequest) {
  json value = one_slow_rank("exchange (cg.c:30)");
  value["imbalance"]["itac_cells"] = value.at("imbalance").at("cells");
  value["imbalance"]["class_source"] = "measured protocol switches";
  TerminalOptions options;
  const std::string recommended = joined(analysis_lines(value, options));
  options.all_definitions = true;
  const std::string all = joined(analysis_lines(value, options));
  for (const char* other : {"additive, replay", "multiplicative, wait states",
                            "additive, wait states", "ITAC's classes"}) {
    EXPECT_EQ(recommended.find(other), std::string::npos) << other;
    EXPECT_NE(all.find(other), std::string::npos) << other;
  }
}

TEST(AnalysisLines, FitTheTerminalWhateverPlacesAreCalled) {
  const std::string place = "space::deeper::Class<int>::" + std::string(90, 'm') + " (\033[1mx)";
  for (const bool utf8 : {true, false}) {
    TerminalOptions options;
    options.utf8 = utf8;
    for (const std::string& line : analysis_lines(one_slow_rank(place), options)) {
      EXPECT_LE(display_width(line), kTerminalColumns) << line;
      EXPECT_EQ(line.find('\033'), std::string::npos) << line;
    }
  }
}

TEST(AnalysisLines, NameTheHottestFunctionOfTheLongestSampledPhase) {
  json value = one_slow_rank("exchange (cg.c:30)");
  json& phases = value.at("phases");
  const json phase = phases.at(0);
  const auto of = [&](const char* name, double begin_s, double end_s, const char* function) {
    json made = phase;
    made.update({{"name", name}, {"begin_s", begin_s}, {"end_s", end_s}, {"hottest", nullptr}});
    if (function != nullptr) {
      made["hottest"] = {{"function", function}, {"file", "/src/mesh.cpp"},
                         {"line", 62},           {"module", "/bin/app"},
                         {"share", 0.45},        {"low", 0.41},
                         {"high", 0.49},         {"time_s", 1.5}};
    }
    return made;
  };
  phases = json::array({of("before", 0, 1, "read"), of("iterations 1", 1, 4, "assemble"),
                        of("after", 4, 9, nullptr)});
  const std::string lines = joined(analysis_lines(value, {}));
  EXPECT_NE(lines.find("hottest in iterations 1: assemble (mesh.cpp:62), 45 % (41 to 49 %) of its"),
            std::string::npos)
      << lines;
  // The whole run is in the profile.
  phases = json::array({of("whole run", 0, 9, "assemble")});
  EXPECT_EQ(joined(analysis_lines(value, {})).find("hottest in"), std::string::npos);
}

TEST(AnalysisLines, AnEmptyAnalysisHasOnlyItsVerdict) {
  const trace::Trace trace;
  json value = analysis::to_json(analysis::analyze(trace, nullptr), trace, {});
  add_sentences(value);
  EXPECT_EQ(analysis_lines(value, {}).front(), "No rank waits for another.");
}

}  // namespace
}  // namespace plait::report
