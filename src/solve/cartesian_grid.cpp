// SPDX-License-Identifier: BSD-3-Clause
// A global grid cut into boxes: agreement of the ranks, nodes, choice of the rank map, neighbours.
#include "plait/cartesian_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "mapping/decomposition.hpp"
#include "mapping/rank_map.hpp"
#include "mapping/search/portfolio_map.hpp"
#include "plait/environment.hpp"
#include "solve/node_window.hpp"
#include "text/counted.hpp"
#include "text/extents.hpp"

namespace plait {
namespace {

// Time limit of the portfolio search if the map is chosen automatically.
constexpr double automatic_search_s = 0.25;

/// @throws CollectiveError if the ranks request different grids
void require_agreement(MPI_Comm comm, const Int3& cells, const CartesianGrid::Options& options) {
  std::vector<int> values;
  for (std::size_t d = 0; d < 3; ++d) {
    values.insert(values.end(), {cells[d], options.ranks[d], options.periodic[d] ? 1 : 0});
  }
  values.push_back(static_cast<int>(options.map));
  values.push_back(static_cast<int>(options.coordinates.size()));
  // A checksum that depends on the order represents the coordinates.
  unsigned sum = 0;
  for (const Int3& c : options.coordinates) {
    for (const int n : c) sum = 31 * sum + static_cast<unsigned>(n);
  }
  values.push_back(static_cast<int>(sum));
  // The minimum of -1-x, which cannot overflow, gives the maximum of x.
  const std::size_t count = values.size();
  for (std::size_t i = 0; i < count; ++i) values.push_back(-1 - values[i]);
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_INT, MPI_MIN,
                comm);
  for (std::size_t i = 0; i < count; ++i) {
    if (values[i] != -1 - values[count + i]) {
      throw CollectiveError("grid of " + format_extents(cells) + " cells",
                            "the ranks request different grids",
                            "give the same cells, ranks, periodic axes and map on all ranks");
    }
  }
}

/// The communicator that MPI_Cart_create returns with reorder = 1, and the coordinates of its
/// ranks.
std::pair<MPI_Comm, mapping::RankCoordinates> reordered_by_mpi(
    MPI_Comm comm, const Int3& dims, const std::array<bool, 3>& periodic) {
  const Int3 wraps{periodic[0] ? 1 : 0, periodic[1] ? 1 : 0, periodic[2] ? 1 : 0};
  MPI_Comm cart = MPI_COMM_NULL;
  MPI_Cart_create(comm, 3, dims.data(), wraps.data(), 1, &cart);
  mapping::RankCoordinates result;
  int size = 1;
  MPI_Comm_size(cart, &size);
  result.of_rank.resize(static_cast<std::size_t>(size));
  result.rank_at.resize(result.of_rank.size());
  for (int rank = 0; rank < size; ++rank) {
    Int3& c = result.of_rank[static_cast<std::size_t>(rank)];
    MPI_Cart_coords(cart, rank, 3, c.data());
    result.rank_at[mapping::linear_index(c, dims)] = rank;
  }
  return {cart, std::move(result)};
}

/// One way to assign boxes to ranks, for comparison in the constructor. Owns `comm`.
struct Arrangement {
  MPI_Comm comm = MPI_COMM_NULL;  ///< null: duplicate the given one if this is chosen
  RankMap map = RankMap::row_major;
  mapping::RankCoordinates ranks;
  std::vector<int> node_of_rank;
  mapping::CrossNode traffic;

  /// Order of preference: cells sent between nodes, then those of the busiest node.
  [[nodiscard]] auto key() const { return std::tie(traffic.cells, traffic.busiest_node); }

  Arrangement() = default;
  Arrangement(const Arrangement&) = delete;
  Arrangement& operator=(const Arrangement&) = delete;
  Arrangement(Arrangement&& other) noexcept { *this = std::move(other); }
  Arrangement& operator=(Arrangement&& other) noexcept {
    std::swap(comm, other.comm);
    map = other.map;
    std::swap(ranks, other.ranks);
    std::swap(node_of_rank, other.node_of_rank);
    traffic = other.traffic;
    return *this;
  }
  ~Arrangement() {
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  }
};

/// The result of portfolio_map() on rank 0, so that the search uses one core only. Collective.
mapping::RankCoordinates portfolio_of_rank_0(MPI_Comm comm, const Int3& dims, const Int3& cells,
                                             const CartesianGrid::Options& options,
                                             std::span<const int> nodes) {
  mapping::RankCoordinates result = mapping::row_major_map(dims);
  if (std::all_of(nodes.begin(), nodes.end(), [](int node) { return node == 0; })) return result;
  std::optional<Error> problem;
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0) {
    std::optional<double> limit_s;
    if (options.map == RankMap::automatic) limit_s = automatic_search_s;
    try {
      result = mapping::portfolio_map(dims, cells, options.periodic, nodes, limit_s);
    } catch (const Error& error) {
      problem = error;
    }
  }
  agree_on_error(comm, problem ? &*problem : nullptr);
  std::vector<Int3>& of_rank = result.of_rank;
  MPI_Bcast(of_rank.data(), static_cast<int>(3 * of_rank.size()), MPI_INT, 0, comm);
  return mapping::given_map(of_rank, dims);
}

/// The map of a kind on a grid that is already cut. Collective.
Arrangement arranged(MPI_Comm comm, RankMap kind, const Int3& cells,
                     const CartesianGrid::Options& options, const mapping::Decomposition& cut,
                     const std::vector<int>& nodes) {
  Arrangement result;
  result.map = kind;
  result.node_of_rank = nodes;
  if (kind == RankMap::mpi) {
    std::tie(result.comm, result.ranks) = reordered_by_mpi(comm, cut.dims, options.periodic);
    result.node_of_rank = solve::nodes_of_ranks(result.comm);
  } else if (kind == RankMap::node_blocked) {
    result.ranks = mapping::node_blocked_map(cut.dims, cut.node_dims, nodes);
  } else if (kind == RankMap::portfolio) {
    result.ranks = portfolio_of_rank_0(comm, cut.dims, cells, options, nodes);
  } else if (kind == RankMap::given) {
    result.ranks = mapping::given_map(options.coordinates, cut.dims);
  } else {
    result.ranks = mapping::row_major_map(cut.dims);
  }
  result.traffic =
      mapping::cross_node(result.ranks, cut.dims, cells, options.periodic, result.node_of_rank);
  return result;
}

/// The kind of maps for which the cut of the grid is optimized.
mapping::Blocks blocks_of(RankMap map) {
  const bool in_rank_order = map == RankMap::row_major || map == RankMap::mpi;
  return in_rank_order ? mapping::Blocks::row_major : mapping::Blocks::of_nodes;
}

}  // namespace

CartesianGrid::CartesianGrid(MPI_Comm comm, const Int3& cells, const Options& options)
    : cells_(cells), periodic_(options.periodic) {
  require_agreement(comm, cells, options);
  if (std::min({cells[0], cells[1], cells[2]}) < 1) {
    throw CollectiveError("grid of " + format_extents(cells) + " cells", "an axis has no cells",
                          "give at least one cell along x, y and z");
  }
  const std::vector<int> nodes = solve::nodes_of_ranks(comm);
  mapping::Decomposition cut;
  try {
    cut = mapping::choose_decomposition(cells, periodic_, options.ranks, nodes,
                                        blocks_of(options.map));
    if (options.map == RankMap::given) mapping::given_map(options.coordinates, cut.dims);
  } catch (const Error& error) {
    throw CollectiveError(error);  // the same on every rank
  }
  ranks_ = cut.dims;

  // Candidates from the simplest on: a later one is chosen only if it sends less between nodes.
  std::optional<Arrangement> best;
  for (const RankMap kind : {RankMap::row_major, RankMap::node_blocked, RankMap::mpi,
                             RankMap::portfolio, RankMap::given}) {
    if (options.map != kind && (options.map != RankMap::automatic || kind == RankMap::given)) {
      continue;
    }
    if (best && best->traffic.cells == 0) break;
    Arrangement candidate = arranged(comm, kind, cells, options, cut, nodes);
    if (!best || candidate.key() < best->key()) best = std::move(candidate);
  }
  map_ = best.value().map;
  coordinates_ = std::move(best->ranks.of_rank);
  rank_at_ = std::move(best->ranks.rank_at);
  node_of_rank_ = std::move(best->node_of_rank);
  cross_node_cells_ = best->traffic.cells;
  busiest_node_cells_ = best->traffic.busiest_node;
  if (best->comm == MPI_COMM_NULL) {
    MPI_Comm_dup(comm, &comm_);
  } else {
    comm_ = std::exchange(best->comm, MPI_COMM_NULL);
  }
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &size_);
}

CartesianGrid::~CartesianGrid() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0) MPI_Comm_free(&comm_);
}

int CartesianGrid::rank_at(const Int3& coordinates) const {
  Int3 c = coordinates;
  if (!mapping::wrap(c, ranks_, periodic_)) return MPI_PROC_NULL;
  return rank_at_[mapping::linear_index(c, ranks_)];
}

int CartesianGrid::neighbour(const Int3& offset) const {
  const Int3& c = coordinates();
  return rank_at({c[0] + offset[0], c[1] + offset[1], c[2] + offset[2]});
}

Box CartesianGrid::own_of(int rank) const {
  const Int3& c = coordinates_of(rank);
  Box box;
  for (std::size_t d = 0; d < 3; ++d) {
    const mapping::Range part = mapping::part_of(cells_[d], ranks_[d], c[d]);
    box.first[d] = part.first;
    box.last[d] = part.first + part.count;
  }
  return box;
}

Int3 CartesianGrid::own_cells() const {
  const Box box = own();
  return {box.extent(0), box.extent(1), box.extent(2)};
}

std::string CartesianGrid::report() const {
  const int nodes = 1 + *std::max_element(node_of_rank_.begin(), node_of_rank_.end());
  // Each inner cut between boxes is a whole cross-section of the grid and is crossed in both
  // directions. A periodic axis with one box wraps around within its rank.
  std::int64_t between_ranks = 0;
  Int3 largest{};
  for (std::size_t d = 0; d < 3; ++d) {
    const std::size_t e = (d + 1) % 3;
    const std::size_t f = (d + 2) % 3;
    const int cuts = ranks_[d] == 1 ? 0 : ranks_[d] - (periodic_[d] ? 0 : 1);
    between_ranks += 2 * std::int64_t{cuts} * cells_[e] * cells_[f];
    largest[d] = mapping::part_of(cells_[d], ranks_[d], 0).count;
  }
  std::string result = fmt::format(
      "{} cells on {} as {} ({}) of {}, at most {} cells per rank. An exchange of width 1 sends {} "
      "between ranks",
      format_extents(cells_), counted(size_, "rank", "ranks"), format_extents(ranks_),
      to_string(map_), counted(nodes, "node", "nodes"), format_extents(largest),
      counted(between_ranks, "cell", "cells"));
  if (nodes > 1) {
    result += fmt::format(", {} of them between nodes, {} in and out of the busiest",
                          cross_node_cells_, busiest_node_cells_);
  }
  return result + ".";
}

}  // namespace plait
