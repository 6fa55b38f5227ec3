// SPDX-License-Identifier: BSD-3-Clause
// Transposes by every transport, in chunks and as a whole, of every kind of shape: each element is
// where it belongs.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

#include "../checks.hpp"
#include "plait/environment.hpp"
#include "transpose_case.hpp"

namespace {

using namespace plait;
using test::TransposeCase;

/// Ranks per emulated node; 0: the real nodes.
int ranks_per_node = 0;

/// Transposes in chunks, of which two are under way at a time, as a whole, and in chunks again.
int wrong_elements(Transpose& plan, bool in_source_memory) {
  int wrong = 0;
  TransposeCase arrays(plan, in_source_memory);
  for (const bool in_chunks : {true, false, true}) {
    arrays.reset();
    if (in_chunks) {
      plan.begin(arrays.from(), arrays.to());
      for (int chunk = 0; chunk < plan.chunks(); ++chunk) {
        plan.start(chunk);
        plan.test(chunk);
        if (chunk > 0) plan.finish(chunk - 1);
      }
      plan.finish(plan.chunks() - 1);
    } else {
      plan.transpose(arrays.from(), arrays.to());
    }
    wrong += arrays.wrong();
  }
  if (!in_source_memory) return wrong;
  // The comparison of verify mode finds nothing, and then one wrong element.
  if (plan.unlike_blocking(arrays.from(), {arrays.to().data(), arrays.to().size()}) != 0) ++wrong;
  if (plan.destination().elements > 0) arrays.some_byte() = std::byte{255};
  const auto unlike = plan.unlike_blocking(arrays.from(), {arrays.to().data(), arrays.to().size()});
  if (unlike != (plan.destination().elements > 0 ? 1 : 0)) ++wrong;
  return wrong;
}

/// Shapes that differ in axes, order, elements, kept indices and blocks.
std::vector<TransposeShape> shapes(int ranks) {
  std::vector<TransposeShape> all;
  TransposeShape slabs{{6, 2 * std::int64_t{ranks} + 1, 3 * std::int64_t{ranks} - 1}};
  slabs.element_bytes = 16;
  slabs.fields = 2;
  all.push_back(slabs);
  TransposeShape truncated = slabs;  // as the 2/3 rule does
  truncated.extents = {7, 9, 8};
  truncated.kept = {{{{0, 4}}, {{0, 3}, {6, 9}}, {}}};
  all.push_back(truncated);
  all.push_back(reversed(truncated));
  TransposeShape reordered{{5, 4, 2 * std::int64_t{ranks}}, {0}, {2}};
  reordered.to.order = {2, 1, 0};
  reordered.element_bytes = 8;
  all.push_back(reordered);
  TransposeShape padded{{9, 5, 7}, {1}, {0}};
  padded.from.strides = {1, 70, 10};
  padded.to.order = {1, 2, 0};
  padded.element_bytes = 24;
  padded.fields = 3;
  padded.from.blocks.assign(static_cast<std::size_t>(ranks), 0);
  padded.from.blocks.back() = 5;
  all.push_back(padded);
  return all;
}

constexpr TransposeTransport transports[] = {
    TransposeTransport::alltoallv, TransposeTransport::alltoallw,
    TransposeTransport::point_to_point, TransposeTransport::shared_memory,
    TransposeTransport::automatic};

void all_transports(test::Checks& checks, int ranks) {
  int number = 0;
  for (const TransposeShape& shape : shapes(ranks)) {
    for (const TransposeTransport transport : transports) {
      ++number;
      // Measuring takes long, so only one shape is measured.
      if (transport == TransposeTransport::automatic && number > 5) continue;
      Transpose::Options options;
      options.transport = transport;
      options.chunks = 1 + number % 4;
      options.chunk_axis = number % 4 - 1;
      options.in_source_memory = number % 2 == 0;
      // Small counts take the ways of messages that are too large for an int.
      if (number % 3 == 0) options.largest_count = 25;
      Transpose plan(MPI_COMM_WORLD, shape, options);
      const int wrong = wrong_elements(plan, options.in_source_memory);
      checks.expect(wrong == 0, "shape and transport " + std::to_string(number) + " (" +
                                    to_string(plan.transport()) + "): " + std::to_string(wrong));
      checks.expect(plan.transport() != TransposeTransport::automatic, "a transport is chosen");
    }
  }
}

}  // namespace

/// Replaces the MPI library's function to split a node into several.
extern "C" int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info,
                                   MPI_Comm* result) {
  if (ranks_per_node == 0) return PMPI_Comm_split_type(comm, type, key, info, result);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split(comm, rank / ranks_per_node, key, &node);
  const int code = PMPI_Comm_split_type(node, type, key, info, result);
  MPI_Comm_free(&node);
  return code;
}

/// transports_test [<ranks per node>]
int main(int argc, char** argv) {
  const Environment environment(argc, argv);
  return guarded("transports_test", [&] {
    ranks_per_node = argc > 1 ? std::atoi(argv[1]) : 0;
    test::Checks checks;
    all_transports(checks, environment.size());
    return checks.finish("transpose transports");
  });
}
