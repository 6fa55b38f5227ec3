// SPDX-License-Identifier: BSD-3-Clause
// The command line of plait-jacobi.
#include "options.hpp"

#include <charconv>
#include <cmath>
#include <stdexcept>
#include <string_view>

namespace plait::jacobi {
namespace {

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

/// "8x4x2", or "8" for three equal numbers.
Triple read_triple(const std::string& option, std::string_view text) {
  Triple triple{};
  const std::string_view whole = text;
  std::size_t axis = 0;
  bool good = true;
  while (good && axis < 3) {
    const std::size_t end = text.find('x');
    good = read_number(text.substr(0, end), triple[axis++]) && triple[axis - 1] > 0 &&
           triple[axis - 1] <= 100000;
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
    if (axis == 3) good = false;
  }
  if (good && axis == 1) return {triple[0], triple[0], triple[0]};
  if (!good || axis != 3) {
    throw std::invalid_argument(option + " " + std::string(whole) +
                                ": give three numbers of 1 to 100000, as in 256x256x128");
  }
  return triple;
}

Stores read_stores(std::string_view text) {
  if (text == "auto") return Stores::automatic;
  if (text == "cached") return Stores::cached;
  if (text == "streaming") return Stores::streaming;
  throw std::invalid_argument("--stores " + std::string(text) + ": give auto, cached or streaming");
}

}  // namespace

std::string help_text() {
  return "plait-jacobi: solves Laplace's equation in three dimensions by Jacobi's method (pure "
         "MPI)\n"
         "\n"
         "  --size NXxNYxNZ   interior points along x, y, z (default 256x256x256)\n"
         "  --ranks PXxPYxPZ  ranks along x, y, z (default: MPI_Dims_create, z cut first)\n"
         "  --steps N         iterations at most (default 100)\n"
         "  --until T         stop when no point changes by more than T (tested each 10 steps)\n"
         "  --stores KIND     auto, cached or streaming (auto: streaming when the grids outgrow "
         "the\n"
         "                    last-level cache)\n"
         "  --bound           measure a plain copy of the grids first, and print the bound it "
         "sets\n"
         "  --check           compare with the serial reference, bit for bit; exit 1 if unlike\n"
         "  --help            this text\n";
}

Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string option = argv[i];
    std::string value;
    bool has_value = false;
    if (const std::size_t equals = option.find('='); equals != std::string::npos) {
      value = option.substr(equals + 1);
      option.resize(equals);
      has_value = true;
    }
    const auto take = [&]() -> const std::string& {
      if (!has_value) {
        if (i + 1 >= argc) throw std::invalid_argument(option + ": a value is missing");
        value = argv[++i];
      }
      return value;
    };
    if (option == "--help" || option == "-h") {
      options.help = true;
    } else if (option == "--check") {
      options.check = true;
    } else if (option == "--bound") {
      options.bound = true;
    } else if (option == "--size") {
      options.size = read_triple(option, take());
    } else if (option == "--ranks") {
      options.ranks = read_triple(option, take());
    } else if (option == "--stores") {
      options.stores = read_stores(take());
    } else if (option == "--steps") {
      if (!read_number(take(), options.steps) || options.steps < 1) {
        throw std::invalid_argument("--steps " + value + ": give a number above 0");
      }
    } else if (option == "--until") {
      if (!read_number(take(), options.until) || !(options.until > 0.0) ||
          !std::isfinite(options.until)) {
        throw std::invalid_argument("--until " + value + ": give a number above 0, as 1e-6");
      }
    } else {
      throw std::invalid_argument(option + ": no such option; see --help");
    }
  }
  return options;
}

}  // namespace plait::jacobi
