// SPDX-License-Identifier: BSD-3-Clause
// Files of samples and samples.json, as the report reads them.
#include "readers.hpp"
#include "report/computation.hpp"
#include "samples/build_tree.hpp"
#include "samples/raw_samples.hpp"

namespace plait::fuzz {
namespace {

void use_tree(const samples::CallTree& tree) {
  report::Profile profile;
  profile.computation = report::computation_of(tree, 2);
  use(report::computation_lines(profile, {}));
}

}  // namespace

void read_samples(Bytes bytes) {
  const std::filesystem::path file = write("samples.smp", bytes);
  samples::read_raw_samples(file, "/nowhere/app");
  trace::RankRecord record;
  record.file = file;
  record.world_rank = 0;
  const samples::CallTree tree = samples::build_call_tree({&record});
  use_tree(tree);
  use(samples::to_json(tree).dump());
}

void read_call_tree(Bytes bytes) {
  use_tree(samples::read_call_tree(write("samples.json", bytes)));
}

}  // namespace plait::fuzz
