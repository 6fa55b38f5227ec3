// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes numbers and extents in the form of the command line.
#include "numbers.hpp"

#include <array>
#include <charconv>

#include "plait/error.hpp"

namespace plait::jacobi {
namespace {

template <class Number>
bool read_whole(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

bool read_number(std::string_view text, int& number) {
  return read_whole(text, number);
}
bool read_number(std::string_view text, double& number) {
  return read_whole(text, number);
}

Int3 read_extents(const std::string& option, std::string_view text, int least) {
  constexpr int most = 100000;
  Int3 extents{};
  std::string_view rest = text;
  std::size_t axis = 0;
  bool good = true;
  while (good && axis < 3) {
    const std::size_t end = rest.find('x');
    int& extent = extents[axis++];
    good = read_number(rest.substr(0, end), extent) && extent >= least && extent <= most;
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
    if (axis == 3) good = false;
  }
  if (good && axis == 1) return {extents[0], extents[0], extents[0]};
  if (!good || axis != 3) {
    throw Error(option + " " + std::string(text), "not three extents",
                "use one or three numbers from " + std::to_string(least) + " to " +
                    std::to_string(most) + ", such as 256x256x128");
  }
  return extents;
}

std::string extents_text(const Int3& extents) {
  return std::to_string(extents[0]) + "x" + std::to_string(extents[1]) + "x" +
         std::to_string(extents[2]);
}

std::string number_text(double number) {
  std::array<char, 32> text{};
  const auto result = std::to_chars(text.data(), text.data() + text.size(), number);
  return {text.data(), result.ptr};
}

}  // namespace plait::jacobi
