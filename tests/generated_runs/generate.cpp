// SPDX-License-Identifier: BSD-3-Clause
// Writes a generated run: plait_generate FOLDER RANKS [EVENTS] [ring|stencil] [SLOW=NUMBER...].
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <string>

#include "generated_trace.hpp"

int main(int argc, char** argv) {
  using namespace plait::generated;
  RunShape shape;
  shape.ranks = argc > 2 ? std::atoi(argv[2]) : 0;
  const auto events = static_cast<std::uint64_t>(argc > 3 ? std::atof(argv[3]) : 0);
  if (shape.ranks < 1) {
    fmt::print(stderr,
               "usage: plait_generate FOLDER RANKS [EVENTS] [ring|stencil] [SLOW...]\n"
               "EVENTS: 1e6 writes a trace, 0 none\n"
               "SLOW: rank=N, node=N, row=N, link=RANK,RANK or nodes=NODE,NODE\n");
    return 2;
  }
  if (argc > 4 && std::string(argv[4]) == "ring") shape.pattern = Pattern::ring;
  for (int i = 5; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::map<std::string, int*> planted{{"rank", &shape.slow_rank},
                                              {"node", &shape.slow_node},
                                              {"row", &shape.slow_row},
                                              {"link", shape.slow_link},
                                              {"nodes", shape.slow_nodes}};
    const std::size_t split = argument.find('=');
    const auto at = planted.find(argument.substr(0, split));
    if (at == planted.end() || split == std::string::npos) {
      fmt::print(stderr, "plait_generate: {}: not a slow part\n", argument);
      return 2;
    }
    *at->second = std::atoi(argument.c_str() + split + 1);
    const std::size_t comma = argument.find(',', split);
    const bool is_pair = at->second == shape.slow_link || at->second == shape.slow_nodes;
    if (is_pair != (comma != std::string::npos)) {
      fmt::print(stderr, "plait_generate: {}: expected {}\n", argument,
                 is_pair ? "two numbers" : "one number");
      return 2;
    }
    if (is_pair) at->second[1] = std::atoi(argument.c_str() + comma + 1);
  }
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
