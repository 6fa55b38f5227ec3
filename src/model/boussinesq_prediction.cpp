// SPDX-License-Identifier: BSD-3-Clause
// The time and memory of plait-boussinesq on ranks and threads: transforms, columns, transposes.
#include "model/boussinesq_prediction.hpp"

#include <algorithm>
#include <cmath>

#include "model/hybrid_prediction.hpp"
#include "plait/error.hpp"

namespace plait::model {
namespace {

constexpr double kComplexBytes = 16;
/// Complex numbers are transformed eight at a time (solvers/boussinesq/lanes.hpp).
constexpr double kGroupBytes = 8 * kComplexBytes;
/// u, v, w and b.
constexpr double kStateFields = 4;
/// Flops per mode of differences, projection and steps in time, without transforms along z: ten
/// systems of two sweeps and a stencil, and about seventy operations on complex numbers.
constexpr double kColumnFlops = 400;

int larger_share(int extent, int parts) {
  return (extent + parts - 1) / parts;
}

/// Of a complex line; half of it for a real one.
double transform_flops(int length) {
  return length > 1 ? 5.0 * length * std::log2(length) : 0;
}

/// Extents of the process that has most.
struct Shares {
  int y_parts = 1, z_parts = 1;  ///< of ranks
  double modes_x, modes_y;       ///< where z is whole
  double points_y, planes;       ///< where x is whole
};

Shares shares_of(const BoussinesqCase& of) {
  Shares shares{};
  shares.y_parts = of.pencils[0] > 0 ? of.pencils[0] : 1;
  shares.z_parts = of.pencils[0] > 0 ? of.pencils[1] : of.ranks;
  shares.modes_x = larger_share(of.modes_x(), shares.y_parts);
  shares.modes_y = larger_share(of.modes_y(), shares.z_parts);
  shares.points_y = larger_share(of.points[1], shares.y_parts);
  shares.planes = larger_share(of.points[2], shares.z_parts);
  return shares;
}

double own_modes(const BoussinesqCase& of, const Shares& shares) {
  return shares.modes_x * shares.modes_y * of.points[2];
}

/// A transpose there and its reverse.
struct Exchange {
  int there, back;  ///< fields
  double bytes;     ///< of one field that a process sends to all parts, itself included
  int parts;        ///< processes that exchange
  int in_node;      ///< of them, on the node of a process
  [[nodiscard]] double fields() const { return there + back; }
};

std::array<Exchange, 2> exchanges_of(const BoussinesqCase& of) {
  const Shares shares = shares_of(of);
  const int in_node = std::min(of.ranks_per_node, of.ranks);
  const int in_node_y = std::min(shares.y_parts, in_node);
  return {Exchange{of.fields_there(), of.fields_back(), kComplexBytes * own_modes(of, shares),
                   shares.z_parts, std::clamp(in_node / shares.y_parts, 1, shares.z_parts)},
          Exchange{of.lines_along_y(), of.fields_back(),
                   kComplexBytes * shares.modes_x * of.points[1] * shares.planes, shares.y_parts,
                   in_node_y}};
}

double seconds_of(double bytes, double messages, int channels, const Link& link, Bound end) {
  return bytes / bandwidth_of(link, channels, slowest_at(end)) +
         messages * value_at(link.latency_s, end);
}

/// What a node sends to others. All nodes send to all others at the same time, which is slower than
/// pairs of nodes where links or switches are shared; but the solver's transport may be faster than
/// the MPI_Alltoall that was measured, at best as fast as pairs.
double network_seconds(const BoussinesqCase& of, const BoussinesqInputs& inputs,
                       const BoussinesqMessages& sent, int processes, Bound end) {
  const auto size = static_cast<std::uint64_t>(std::max(1.0, sent.message_bytes));
  const std::optional<Link> link = inputs.network(size);
  if (inputs.all_to_all) {
    if (const auto speed = inputs.all_to_all(of.nodes(), processes, size)) {
      const double s = sent.network_bytes / value_at(*speed, slowest_at(end));
      if (!link || end != Bound::low) return s;
      return std::min(s,
                      seconds_of(sent.network_bytes, sent.network_messages, processes, *link, end));
    }
  }
  if (!link) {
    throw Error("network", "messages between nodes were not measured on this machine",
                "run plait measure there on two nodes, or give --latency and --bandwidth");
  }
  return seconds_of(sent.network_bytes, sent.network_messages, processes, *link, end);
}

double share_at(const ReachedShare& share, Bound bound) {
  if (bound == Bound::low) return share.low;
  return bound == Bound::high ? share.high : share.value;
}

/// All parts at one end of their intervals.
BoussinesqTime parts_at(const BoussinesqCase& of, const BoussinesqInputs& inputs, Bound end) {
  const BoussinesqWork work = boussinesq_work(of);
  const BoussinesqMessages sent = boussinesq_messages(of);
  const Bound speed_end = slowest_at(end);
  const int processes = std::min(of.ranks_per_node, of.ranks);
  const int cores = processes * of.threads;
  const double flops = inputs.gemm_flops.at(cores, speed_end) / processes;
  const double bytes = inputs.memory_bytes.at(cores, speed_end) / processes;
  const auto size = static_cast<std::uint64_t>(std::max(1.0, sent.message_bytes));
  BoussinesqTime time;
  const double transform_flops =
      work.transform_flops + work.subgrid_points * value_at(kSubgridFlops, end);
  time.transforms_s = std::max(transform_flops / (flops * share_at(kTransformsOfGemm, speed_end)),
                               work.transform_bytes / bytes);
  time.columns_s = std::max(work.column_flops / (flops * share_at(kColumnsOfGemm, speed_end)),
                            work.column_bytes / bytes);
  time.inside_s = work.copied_bytes / bytes;
  if (sent.inside_bytes > 0 && sent.network_bytes == 0) {
    // Nothing is packed: each element is read and written once.
    time.inside_s /= 2 * share_at(kTransposeOfMemory, speed_end);
  } else if (sent.inside_bytes > 0) {
    if (const auto link = inputs.inside(size)) {
      time.inside_s += seconds_of(sent.inside_bytes, sent.inside_messages, processes, *link, end);
    }
  }
  if (sent.network_bytes > 0) {
    time.network_s = network_seconds(of, inputs, sent, processes, end);
  }
  time.total.s = time.transforms_s + time.columns_s + time.inside_s + time.network_s;
  const double shorter = std::min(time.transforms_s, time.network_s);
  time.overlapped_s = time.total.s - shorter * (1 - 1.0 / std::max(1, of.chunks));
  return time;
}

}  // namespace

int most_slabs(const BoussinesqCase& of) {
  return std::min(of.points[2], of.modes_y());
}

bool fits(const BoussinesqCase& of) {
  if (of.pencils[0] == 0) return of.ranks <= most_slabs(of);
  return of.pencils[0] * of.pencils[1] == of.ranks &&
         of.pencils[0] <= std::min(of.modes_x(), of.points[1]) && of.pencils[1] <= most_slabs(of);
}

std::array<int, 2> fitting_pencils(const BoussinesqCase& of) {
  BoussinesqCase tried = of;
  for (int along_z = of.ranks; along_z >= 1; --along_z) {
    if (of.ranks % along_z != 0) continue;
    tried.pencils = {of.ranks / along_z, along_z};
    if (fits(tried)) return tried.pencils;
  }
  return {0, 0};
}

BoussinesqWork boussinesq_work(const BoussinesqCase& of) {
  const Shares shares = shares_of(of);
  const double modes = own_modes(of, shares);
  const double there = of.fields_there(), back = of.fields_back();
  const double plane =
      (of.lines_along_y() + back) * shares.modes_x * transform_flops(of.points[1]) +
      (of.lines_along_x() + back) * shares.points_y * transform_flops(of.points[0]) / 2;
  // Threads share whole planes.
  const double planes = std::ceil(shares.planes / of.threads) * of.threads;
  BoussinesqWork work;
  work.transform_flops = plane * planes;
  if (of.subgrid) work.subgrid_points = of.points[0] * shares.points_y * planes;
  // Two transforms along z of the column and its mirror image.
  const int mirrored = std::max(1, 2 * (of.points[2] - 1));
  work.column_flops = modes * (2 * transform_flops(mirrored) / of.points[2] + kColumnFlops);
  // Results are written after their lines were read.
  work.transform_bytes = kComplexBytes * of.modes_x() * of.modes_y() / shares.y_parts *
                         shares.planes * (there + 2 * back);
  const double read = 2 * kStateFields + back;
  const double written = 2 * kStateFields + there - kStateFields;
  work.column_bytes = kComplexBytes * modes * (read + 2 * written);
  for (const Exchange& exchange : exchanges_of(of)) {
    if (exchange.parts > 1) work.copied_bytes += 4 * exchange.fields() * exchange.bytes;
  }
  return work;
}

BoussinesqMessages boussinesq_messages(const BoussinesqCase& of) {
  const int processes = std::min(of.ranks_per_node, of.ranks);
  // A chunk of all fields of one direction is one message.
  constexpr double kDirections = 2;
  BoussinesqMessages sent;
  double all_bytes = 0, all_messages = 0;
  for (const Exchange& exchange : exchanges_of(of)) {
    const double to_one = exchange.fields() * exchange.bytes / exchange.parts;
    const double near = exchange.in_node - 1, far = exchange.parts - exchange.in_node;
    sent.inside_bytes += processes * to_one * near;
    sent.network_bytes += processes * to_one * far;
    sent.inside_messages += kDirections * of.chunks * near;
    sent.network_messages += kDirections * of.chunks * far;
    all_bytes += to_one * (near + far);
    all_messages += kDirections * of.chunks * (near + far);
  }
  if (all_messages > 0) sent.message_bytes = all_bytes / all_messages;
  return sent;
}

BoussinesqMemory boussinesq_memory(const BoussinesqCase& of) {
  const Shares shares = shares_of(of);
  const double there = of.fields_there(), back = of.fields_back(), most = std::max(there, back);
  const double in_rows = of.lines_along_y(), most_in_rows = std::max(in_rows, back);
  const bool slabs = of.pencils[0] == 0;
  BoussinesqMemory memory;
  // State, tendency, and derived fields, whose place products take.
  const double derived = there - kStateFields;
  memory.fields =
      kComplexBytes * own_modes(of, shares) * (2 * kStateFields + std::max(derived, back));
  const double rows = kComplexBytes * shares.modes_x * of.modes_y() * shares.planes;
  if (slabs) {
    memory.planes = most * rows;
  } else {
    const double points_y = kComplexBytes * shares.modes_x * of.points[1] * shares.planes;
    const double points_x = kComplexBytes * of.modes_x() * shares.points_y * shares.planes;
    memory.planes = most * rows + (in_rows + back) * points_y + most_in_rows * points_x;
  }
  // Sent and received, without what stays. Both ways use the same buffers.
  for (const Exchange& exchange : exchanges_of(of)) {
    memory.messages += 2.0 * std::max(exchange.there, exchange.back) * exchange.bytes *
                       (exchange.parts - 1) / exchange.parts;
  }
  const double plane = slabs ? most_in_rows * kComplexBytes * of.modes_x() * of.points[1] : 0;
  const double lines = kGroupBytes * 2 * of.points[1];
  const int half = of.points[0] / 2;
  const double kernel = kGroupBytes * (2 * (of.lines_along_x() + back) + 1) * half;
  const double columns =
      kGroupBytes * ((kStateFields + 1) * of.points[2] + 4.0 * (of.points[2] - 1));
  memory.threads = of.threads * (plane + lines + kernel + columns);
  return memory;
}

BoussinesqTime predict_boussinesq(const BoussinesqCase& of, const BoussinesqInputs& inputs) {
  // Chunks are smaller messages, so only what overlaps has them.
  BoussinesqCase whole = of;
  whole.chunks = 1;
  BoussinesqTime time = parts_at(whole, inputs, Bound::value);
  time.overlapped_s = std::min(time.total.s, parts_at(of, inputs, Bound::value).overlapped_s);
  time.total.low_s = parts_at(whole, inputs, Bound::low).total.s;
  if (of.nodes() > 1) {
    time.total.low_s = std::min(time.total.low_s, parts_at(of, inputs, Bound::low).overlapped_s);
  }
  time.total.high_s = parts_at(whole, inputs, Bound::high).total.s;
  return time;
}

}  // namespace plait::model
