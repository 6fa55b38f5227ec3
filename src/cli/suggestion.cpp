// SPDX-License-Identifier: BSD-3-Clause
// Finds what a mistyped name may have meant.
#include "cli/suggestion.hpp"

#include <algorithm>
#include <cstddef>

namespace plait::cli {
namespace {

/// Restricted Damerau-Levenshtein distance (optimal string alignment).
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> rows(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        rows[i][j] = i + j;
        continue;
      }
      const std::size_t replace = rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      rows[i][j] = std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1, replace});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
    }
  }
  return rows[a.size()][b.size()];
}

}  // namespace

std::string suggestion(const std::string& text, const std::vector<std::string>& known) {
  std::string nearest;
  std::size_t least = 1 + std::max<std::size_t>(1, text.size() / 3);
  for (const std::string& name : known) {
    // "--mach" means --machine.
    const bool begins = text.size() > 3 && name.starts_with(text);
    const std::size_t of = begins ? 1 : distance(text, name);
    if (of >= least) continue;
    least = of;
    nearest = name;
  }
  return nearest;
}

}  // namespace plait::cli
