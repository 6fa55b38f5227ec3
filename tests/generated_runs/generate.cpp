// SPDX-License-Identifier: BSD-3-Clause
// Writes a generated run: plait_generate FOLDER RANKS [EVENTS] [ring|stencil] [SLOW_RANK].
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "generated_trace.hpp"

int main(int argc, char** argv) {
  using namespace plait::generated;
  RunShape shape;
  shape.ranks = argc > 2 ? std::atoi(argv[2]) : 0;
  const auto events = static_cast<std::uint64_t>(argc > 3 ? std::atof(argv[3]) : 0);
  if (shape.ranks < 1) {
    fmt::print(stderr,
               "usage: plait_generate FOLDER RANKS [EVENTS] [ring|stencil] [SLOW_RANK]\n"
               "EVENTS: 1e6 writes a trace, 0 none\n");
    return 2;
  }
  if (argc > 4 && std::string(argv[4]) == "ring") shape.pattern = Pattern::ring;
  if (argc > 5) shape.slow_rank = std::atoi(argv[5]);
  try {
    if (events > 0) {
      fmt::print("{} events\n", write_trace(shape, events, argv[1]));
    } else {
      write_profile(shape, argv[1]);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "plait_generate: {}\n", error.what());
    return 1;
  }
  return 0;
}
