// SPDX-License-Identifier: BSD-3-Clause
// Divides the parts of an analysis among processes, and gives all of them the results.
#pragma once

#include <functional>
#include <vector>

#include "analysis/causes.hpp"
#include "analysis/critical_path.hpp"
#include "analysis/imbalance.hpp"
#include "analysis/message_profile.hpp"
#include "analysis/patterns.hpp"
#include "analysis/phases.hpp"
#include "analysis/pop.hpp"
#include "base/plain_bytes.hpp"
#include "base/processes.hpp"

namespace plait::analysis {

// What exchanges need of the results that are not plain; see BytesWriter.

template <class Archive>
void fields(Archive& archive, RootCause& of) {
  archive(of.kind, of.rank, of.region, of.before_site, of.seconds, of.own_excess_s, of.delayed,
          of.chain);
}

template <class Archive>
void fields(Archive& archive, PathPart& of) {
  archive(of.rank, of.begin_s, of.end_s, of.kind, of.region, of.site);
}

template <class Archive>
void fields(Archive& archive, PathOwner& of) {
  archive(of.rank, of.region, of.site, of.kind, of.seconds, of.share);
}

template <class Archive>
void fields(Archive& archive, CriticalPath& of) {
  archive(of.seconds, of.parts, of.owners);
}

template <class Archive>
void fields(Archive& archive, MessageProfile& of) {
  archive(of.messages, of.bytes, of.classes, of.pairs, of.slow);
}

template <class Archive>
void fields(Archive& archive, PatternFinding& of) {
  archive(of.id, of.what, of.evidence, of.cost_s, of.remedy, of.ranks, of.sites);
}

template <class Archive>
void fields(Archive& archive, PopSet& of) {
  archive(of.definition, of.recommended, of.time_s, of.ideal_s, of.parallel, of.cpu,
          of.mpi_parallel, of.load_balance, of.communication, of.serialization, of.transfer,
          of.openmp_parallel, of.openmp_load_balance, of.openmp_communication, of.openmp_serial,
          of.openmp_region);
}

template <class Archive>
void fields(Archive& archive, Phase& of) {
  archive(of.name, of.begin_s, of.end_s, of.repetitions, of.mean_s, of.cv, of.median_s, of.low_s,
          of.high_s, of.ranks, of.signature, of.pattern, of.calls, of.efficiencies);
}

template <class Archive>
void fields(Archive& archive, Imbalance& of) {
  archive(of.network, of.ranks, of.class_limits, of.class_source, of.cells, of.itac_cells,
          of.costliest_site);
}

/// A piece of work whose results other processes can take over.
struct SharedPart {
  std::function<void()> work;
  std::function<void(BytesWriter&)> write;
  std::function<void(BytesReader&)> read;
};

/// @param work  sets the results, which must live as long as the part
template <class Work, class... Results>
SharedPart shared_part(Work work, Results&... results) {
  return {std::move(work), [&results...](BytesWriter& archive) { archive(results...); },
          [&results...](BytesReader& archive) { archive(results...); }};
}

/// Does all parts: each process some of them, with its threads; then they exchange the results.
/// @param parts  that need nothing of each other, those that take longest first
/// @param processes  null: this one alone
/// @param threads  of this process at most; 0: as many as there are usable CPUs
void do_parts(const std::vector<SharedPart>& parts, Processes* processes, unsigned threads);

}  // namespace plait::analysis
