// SPDX-License-Identifier: BSD-3-Clause
// The studies of Viet, Yoshinaga, Abderazek and Sowa 2005: what they vary, and their results.
#include "report/viet_studies.hpp"

#include <array>

#include "plait/error.hpp"

namespace plait::report {
namespace {

/// Sections 6.5 and table 4: CG class B.
std::vector<StudyPart> cg_parts() {
  return {{"Sun cluster, 2 nodes: cores per node",
           {{2, 2, 1, {693, 636, 0, 0}},
            {2, 4, 1, {452, 367, 1 / 1.05, 0}},
            {2, 8, 1, {359, 258, 1.09, 1.40}}}},
          {"Intel cluster, 2 cores per node: nodes",
           {{2, 2, 1, {91.6, 84.2, 1.0, 0}},
            {4, 2, 1, {68.6, 51.0, 1 / 1.22, 0}},
            {8, 2, 1, {41.1, 31.8, 1.03, 1.31}}}}};
}

StudyPart sizes(const std::string& title, int nodes, int cores, double first, double last) {
  return {title,
          {{nodes, cores, 0.25, {0, 0, 0, first}},
           {nodes, cores, 0.5},
           {nodes, cores, 0.75},
           {nodes, cores, 1, {0, 0, 0, last}}}};
}

/// Section 7.5: sizes, cores and nodes.
std::vector<StudyPart> hpl_parts() {
  StudyPart cores{"Sun cluster, 2 nodes, fixed size: cores per node", {}};
  for (const int of : {2, 4, 8}) cores.points.push_back({2, of, 0.5});
  StudyPart nodes{"Intel cluster, 2 cores per node, fixed size: nodes", {}};
  for (int of = 2; of <= 8; ++of) nodes.points.push_back({of, 2, 0.5, {}, 2});
  return {sizes("Sun cluster, 2 nodes of 8 cores: size", 2, 8, 1.57, 1.30),
          sizes("Intel cluster, 8 nodes of 2 cores: size", 8, 2, 1.26, 1.06), cores, nodes};
}

}  // namespace

std::span<const Study> viet_studies() {
  static const std::array studies{
      Study{"cg", "figure 4", "CG class B by cores per node and by nodes", cg_parts(), false},
      Study{"cg", "table 4", "CG class B: gain of TC over PC", cg_parts(), true},
      Study{"hpl", "figure 8", "HPL by size, cores per node and nodes", hpl_parts(), false},
      Study{"hpl",
            "figure 9",
            "HPL by size: differences of the models' times",
            {sizes("Intel cluster, 8 nodes of 2 cores: size", 8, 2, 0, 0)},
            true}};
  return studies;
}

const Study& viet_study(std::string_view program, const std::string& name) {
  std::string known;
  for (const Study& study : viet_studies()) {
    if (study.program != program) continue;
    if (study.name == name) return study;
    known += (known.empty() ? "" : " or ") + study.name;
  }
  throw Error(name, "not a study of " + std::string(program) + " in the paper", "use " + known);
}

}  // namespace plait::report
