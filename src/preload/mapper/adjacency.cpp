// SPDX-License-Identifier: BSD-3-Clause
// The neighbours of a distributed graph's vertices: gathered on rank 0, then sent to the processes
// that become those vertices.
#include "preload/mapper/adjacency.hpp"

#include <climits>
#include <cstdint>
#include <exception>
#include <numeric>

namespace plait::preload::mapper {
namespace {

// MPI counts bytes in an int.
constexpr std::int64_t kMostWords = INT_MAX / static_cast<int>(sizeof(int));

bool in_range(const int* ranks, int count, int size) {
  if (count < 0 || (count > 0 && !ranks)) return false;
  for (int i = 0; i < count; ++i)
    if (ranks[i] < 0 || ranks[i] >= size) return false;
  return true;
}

void append(std::vector<int>& words, const int* from, int count) {
  if (count > 0) words.insert(words.end(), from, from + count);
}

/// Reads packed integers in order.
class Reader {
public:
  explicit Reader(const int* next) : next_(next) {}
  int take() { return *next_++; }
  std::vector<int> take(int count) {
    std::vector<int> taken(next_, next_ + count);
    next_ += count;
    return taken;
  }

private:
  const int* next_;
};

void read_adjacent(Reader words, bool weighted, Adjacency& into) {
  const int indegree = words.take(), outdegree = words.take();
  into.sources = words.take(indegree);
  if (weighted) into.source_weights = words.take(indegree);
  into.destinations = words.take(outdegree);
  if (weighted) into.destination_weights = words.take(outdegree);
}

void read_edges(Reader words, bool weighted, std::vector<Adjacency>& into) {
  const int n = words.take();
  for (int i = 0; i < n; ++i) {
    const int source = words.take(), degree = words.take();
    const std::vector<int> destinations = words.take(degree);
    const std::vector<int> weights = weighted ? words.take(degree) : std::vector<int>{};
    Adjacency& from = into[static_cast<std::size_t>(source)];
    for (std::size_t edge = 0; edge < destinations.size(); ++edge) {
      Adjacency& to = into[static_cast<std::size_t>(destinations[edge])];
      from.destinations.push_back(destinations[edge]);
      to.sources.push_back(source);
      if (!weighted) continue;
      from.destination_weights.push_back(weights[edge]);
      to.source_weights.push_back(weights[edge]);
    }
  }
}

std::vector<int> packed(const Adjacency& vertex) {
  std::vector<int> words{static_cast<int>(vertex.sources.size()),
                         static_cast<int>(vertex.destinations.size())};
  for (const auto* part :
       {&vertex.sources, &vertex.source_weights, &vertex.destinations, &vertex.destination_weights})
    words.insert(words.end(), part->begin(), part->end());
  return words;
}

/// Runs a function that may run out of memory.
template <class Work>
bool succeeds(const Work& work) noexcept {
  try {
    return work();
  } catch (const std::exception&) {
    return false;
  }
}

/// The size in bytes and the offset of each block.
struct Layout {
  std::vector<int> bytes, begin;
  bool fits = false;

  explicit Layout(const std::vector<std::int64_t>& words) {
    fits = std::accumulate(words.begin(), words.end(), std::int64_t{0}) <= kMostWords;
    if (!fits) return;
    int at = 0;
    for (const std::int64_t count : words) {
      bytes.push_back(static_cast<int>(count * static_cast<std::int64_t>(sizeof(int))));
      begin.push_back(at);
      at += bytes.back();
    }
  }
};

}  // namespace

Contribution contribution_of_adjacent(int size, int indegree, const int* sources,
                                      const int* source_weights, int outdegree,
                                      const int* destinations, const int* destination_weights) {
  Contribution own;
  own.weighted = !is_unweighted(source_weights);
  own.valid = succeeds([&] {
    if (own.weighted == is_unweighted(destination_weights) || !in_range(sources, indegree, size) ||
        !in_range(destinations, outdegree, size))
      return false;
    own.words = {indegree, outdegree};
    append(own.words, sources, indegree);
    if (own.weighted) append(own.words, source_weights, indegree);
    append(own.words, destinations, outdegree);
    if (own.weighted) append(own.words, destination_weights, outdegree);
    return true;
  });
  return own;
}

Contribution contribution_of_edges(int size, int n, const int* sources, const int* degrees,
                                   const int* destinations, const int* weights) {
  Contribution own;
  own.weighted = !is_unweighted(weights);
  own.valid = succeeds([&] {
    if (!in_range(sources, n, size) || (n > 0 && !degrees)) return false;
    own.words = {n};
    for (int i = 0, at = 0; i < n; at += degrees[i++]) {
      if (!in_range(destinations ? destinations + at : nullptr, degrees[i], size)) return false;
      own.words.insert(own.words.end(), {sources[i], degrees[i]});
      append(own.words, destinations + at, degrees[i]);
      if (own.weighted) append(own.words, weights + at, degrees[i]);
    }
    return true;
  });
  return own;
}

std::optional<GatheredGraph> gather(const Library& mpi, MPI_Comm comm, const Contribution& own,
                                    bool adjacent) {
  int rank = 0, size = 0;
  mpi.Comm_rank(comm, &rank);
  mpi.Comm_size(comm, &size);
  const bool usable = own.valid && static_cast<std::int64_t>(own.words.size()) <= kMostWords;
  std::vector<std::int64_t> counts;
  const bool ready = succeeds([&] {
    if (rank == 0) counts.resize(static_cast<std::size_t>(size));
    return usable;
  });
  const bool all_weighted = all_agree(mpi, comm, own.weighted);
  const bool none_weighted = all_agree(mpi, comm, !own.weighted);
  if (!all_agree(mpi, comm, ready) || all_weighted == none_weighted) return std::nullopt;

  const auto count = static_cast<std::int64_t>(own.words.size());
  int code = mpi.Gather(&count, sizeof count, byte_type(), counts.data(), sizeof count, byte_type(),
                        0, comm);
  std::vector<int> all;
  Layout layout({});
  const bool roomy = succeeds([&] {
    if (code != MPI_SUCCESS) return false;
    if (rank != 0) return true;
    layout = Layout(counts);
    if (!layout.fits) return false;
    all.resize(
        static_cast<std::size_t>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0})));
    return true;
  });
  if (!all_agree(mpi, comm, roomy)) return std::nullopt;
  code =
      mpi.Gatherv(own.words.data(), static_cast<int>(own.words.size() * sizeof(int)), byte_type(),
                  all.data(), layout.bytes.data(), layout.begin.data(), byte_type(), 0, comm);

  GatheredGraph graph;
  graph.weighted = all_weighted;
  const bool read = succeeds([&] {
    if (code != MPI_SUCCESS) return false;
    if (rank != 0) return true;
    graph.vertices.resize(static_cast<std::size_t>(size));
    for (std::size_t giver = 0; giver < graph.vertices.size(); ++giver) {
      const std::size_t first = static_cast<std::size_t>(layout.begin[giver]) / sizeof(int);
      const Reader words(all.data() + first);
      if (adjacent)
        read_adjacent(words, graph.weighted, graph.vertices[giver]);
      else
        read_edges(words, graph.weighted, graph.vertices);
    }
    return true;
  });
  if (!all_agree(mpi, comm, read)) return std::nullopt;
  return graph;
}

std::vector<Edge> edges_of(const GatheredGraph& graph) {
  std::vector<Edge> edges;
  for (std::size_t vertex = 0; vertex < graph.vertices.size(); ++vertex) {
    const Adjacency& from = graph.vertices[vertex];
    for (std::size_t i = 0; i < from.destinations.size(); ++i) {
      const double weight = graph.weighted ? from.destination_weights[i] : 1;
      edges.push_back({static_cast<int>(vertex), from.destinations[i], weight < 0 ? 0 : weight});
    }
  }
  return edges;
}

std::optional<Adjacency> hand_out(const Library& mpi, MPI_Comm comm, const GatheredGraph& graph,
                                  const std::vector<int>& new_ranks) {
  int rank = 0;
  mpi.Comm_rank(comm, &rank);
  std::vector<int> all;
  std::vector<std::int64_t> counts;
  Layout layout({});
  const bool ready = succeeds([&] {
    if (rank != 0) return true;
    for (const int vertex : new_ranks) {
      const std::vector<int> words = packed(graph.vertices[static_cast<std::size_t>(vertex)]);
      counts.push_back(static_cast<std::int64_t>(words.size()));
      all.insert(all.end(), words.begin(), words.end());
    }
    layout = Layout(counts);
    return layout.fits;
  });
  if (!all_agree(mpi, comm, ready)) return std::nullopt;
  std::int64_t count = 0;
  int code = mpi.Scatter(counts.data(), sizeof count, byte_type(), &count, sizeof count,
                         byte_type(), 0, comm);
  std::vector<int> words;
  const bool roomy = succeeds([&] {
    if (code != MPI_SUCCESS || count < 2) return false;
    words.resize(static_cast<std::size_t>(count));
    return true;
  });
  if (!all_agree(mpi, comm, roomy)) return std::nullopt;
  code =
      mpi.Scatterv(all.data(), layout.bytes.data(), layout.begin.data(), byte_type(), words.data(),
                   static_cast<int>(words.size() * sizeof(int)), byte_type(), 0, comm);
  Adjacency own;
  const bool read = succeeds([&] {
    if (code != MPI_SUCCESS) return false;
    read_adjacent(Reader(words.data()), graph.weighted, own);
    return true;
  });
  if (!all_agree(mpi, comm, read)) return std::nullopt;
  return own;
}

}  // namespace plait::preload::mapper
