// SPDX-License-Identifier: BSD-3-Clause
// Parses requests for a placement: "4 ranks x 8 threads, one per L3".
#include "placement/intent.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "plait/error.hpp"

namespace plait::placement {
namespace {

using Clause = std::vector<std::string>;

/// The clauses of a text, in lower case; they end at commas, semicolons and "and".
std::vector<Clause> clauses_of(const std::string& text) {
  std::vector<Clause> clauses(1);
  std::string word;
  const auto end_word = [&] {
    if (word == "and") {
      clauses.emplace_back();
    } else if (!word.empty() && word != "with" && word != "each") {
      clauses.back().push_back(word);
    }
    word.clear();
  };
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool digit_then_letter = !word.empty() &&
                                   std::isdigit(static_cast<unsigned char>(word[0])) != 0 &&
                                   std::isalpha(byte) != 0;
    const bool times_then_digit = word == "x" && std::isdigit(byte) != 0;
    if (digit_then_letter || times_then_digit) end_word();
    if (std::isspace(byte) != 0 || c == '/' || c == '*') {
      end_word();
      if (c == '/') clauses.back().emplace_back("per");
      if (c == '*') clauses.back().emplace_back("x");
    } else if (c == ',' || c == ';') {
      end_word();
      clauses.emplace_back();
    } else {
      word += static_cast<char>(std::tolower(byte));
    }
  }
  end_word();
  std::erase_if(clauses, [](const Clause& clause) { return clause.empty(); });
  return clauses;
}

std::optional<int> number_of(const std::string& word) {
  static constexpr std::array<const char*, 9> kNumbers{"no",   "one", "two",   "three", "four",
                                                       "five", "six", "seven", "eight"};
  for (std::size_t i = 0; i < kNumbers.size(); ++i) {
    if (word == kNumbers[i]) return static_cast<int>(i);
  }
  if (word == "a" || word == "an") return 1;
  int value = 0;
  const char* const end = word.data() + word.size();
  const auto [next, error] = std::from_chars(word.data(), end, value);
  constexpr int kMost = 10'000'000;
  if (error != std::errc{} || next != end || value > kMost) return std::nullopt;
  return value;
}

std::optional<Place> place_of(const std::string& word) {
  static constexpr std::array<std::pair<const char*, PlaceKind>, 8> kPlaces{
      {{"core", PlaceKind::core},
       {"numa", PlaceKind::numa},
       {"memory", PlaceKind::numa},
       {"package", PlaceKind::package},
       {"socket", PlaceKind::package},
       {"node", PlaceKind::node},
       {"host", PlaceKind::node},
       {"cache", PlaceKind::cache}}};
  for (const auto& [name, kind] : kPlaces) {
    if (word == name || word == std::string(name) + "s") return Place{kind, 0};
  }
  if (word == "memories") return Place{PlaceKind::numa, 0};
  if (word.size() == 2 && word[0] == 'l' && word[1] >= '1' && word[1] <= '4') {
    return Place{PlaceKind::cache, word[1] - '0'};
  }
  return std::nullopt;
}

bool is(const std::string& word, std::string_view singular) {
  return word == singular || word == std::string(singular) + "s";
}

/// Parses one clause after the other. Each part may be given once.
class Reader {
public:
  explicit Reader(const std::string& text) : text_(text) {}

  Intent read() {
    const auto clauses = clauses_of(text_);
    if (clauses.empty()) fail("the request is empty");
    for (const Clause& clause : clauses) understand(clause);
    if (!intent_.ranks && !intent_.per) fail("the number of ranks is missing");
    if (intent_.shared && !intent_.per) {
      fail("\"shared\" needs a place that ranks share, such as \"4 per L3, shared\"");
    }
    return intent_;
  }

private:
  [[noreturn]] void fail(const std::string& reason) const {
    throw Error(fmt::format("\"{}\"", text_), reason,
                fmt::format("the syntax of a request is\n{}", kIntentGrammar));
  }

  void understand(const Clause& clause) {
    // "one per L3 x 8 threads" is two parts in one clause.
    const auto place = std::find_if(clause.begin(), clause.end(), [](const std::string& word) {
      return word == "a" || word == "an" || word == "per";
    });
    const auto times = std::find(place, clause.end(), "x");
    if (times != clause.end() && times + 1 != clause.end()) {
      understand({clause.begin(), times});
      understand({times + 1, clause.end()});
      return;
    }
    const bool known = counts(clause) || per_place(clause) || one_word(clause) ||
                       cores_free(clause) || hardware_threads(clause);
    if (known) return;
    std::string text;
    for (const std::string& word : clause) text += (text.empty() ? "" : " ") + word;
    fail(fmt::format("cannot parse \"{}\"", text));
  }

  void set(std::optional<int>& part, int value, const char* name) {
    if (part) fail(fmt::format("the number of {} is given twice", name));
    if (value < 1) fail(fmt::format("the number of {} must be at least 1", name));
    part = value;
  }

  /// "4 ranks x 8 threads", "4 x 8", "4 ranks", "8 threads", "2 nodes".
  bool counts(const Clause& clause) {
    if (clause.size() < 2) return false;
    std::size_t at = 0;
    bool ranks_next = true;
    std::vector<std::pair<std::string, int>> found;
    while (at < clause.size()) {
      const auto number = number_of(clause[at]);
      if (!number) return false;
      ++at;
      std::string name = ranks_next ? "ranks" : "threads";
      if (at < clause.size() && clause[at] != "x") {
        if (is(clause[at], "rank") || is(clause[at], "process") || clause[at] == "processes") {
          name = "ranks";
        } else if (is(clause[at], "thread")) {
          name = "threads";
        } else if (is(clause[at], "node") || is(clause[at], "host")) {
          name = "nodes";
        } else {
          return false;
        }
        ++at;
      } else if (ranks_next && at >= clause.size()) {
        return false;
      }
      found.emplace_back(name, *number);
      ranks_next = false;
      if (at < clause.size() && (clause[at] == "x" || clause[at] == "of" || clause[at] == "on")) {
        ++at;
        if (at == clause.size()) return false;
      }
    }
    for (const auto& [name, value] : found) {
      set(name == "ranks"     ? intent_.ranks
          : name == "threads" ? intent_.threads
                              : intent_.nodes,
          value, name.c_str());
    }
    return true;
  }

  /// "one per L3", "2 per NUMA domain", "1 rank per core"; "a" and "an" for "per".
  bool per_place(const Clause& clause) {
    std::size_t at = 0;
    const auto number = number_of(clause[at++]);
    if (!number || at >= clause.size()) return false;
    if (is(clause[at], "rank") || is(clause[at], "process")) ++at;
    if (at >= clause.size() || (clause[at] != "a" && clause[at] != "an" && clause[at] != "per")) {
      return false;
    }
    const auto place = place_at(clause, at + 1);
    if (!place) return false;
    set(intent_.per, *number, "ranks per place");
    intent_.place = *place;
    return true;
  }

  /// The place at the end of a clause: "numa", "numa domain".
  static std::optional<Place> place_at(const Clause& clause, std::size_t at) {
    if (at >= clause.size() || clause.size() > at + 2) return std::nullopt;
    if (clause.size() == at + 2 && clause[at + 1] != "domain" && clause[at + 1] != "node" &&
        clause[at + 1] != "cache") {
      return std::nullopt;
    }
    return place_of(clause[at]);
  }

  bool one_word(const Clause& clause) {
    if (clause.size() != 1) return false;
    if (clause[0] == "shared") {
      intent_.shared = true;
      return true;
    }
    const bool spread = clause[0] == "spread" || clause[0] == "scattered";
    if (!spread && clause[0] != "packed" && clause[0] != "compact") return false;
    if (intent_.spread) fail("spread or packed is given twice");
    intent_.spread = spread;
    return true;
  }

  /// "leave a core free", "leave 2 cores free per NUMA".
  bool cores_free(const Clause& clause) {
    if (clause.size() < 4 || clause[0] != "leave" || clause[3] != "free" || !is(clause[2], "core"))
      return false;
    const auto number = number_of(clause[1]);
    if (!number) return false;
    if (clause.size() > 4) {
      const bool per = clause[4] == "a" || clause[4] == "an" || clause[4] == "per";
      const auto place = per ? place_at(clause, 5) : std::nullopt;
      if (!place) return false;
      intent_.free_in = *place;
    }
    if (intent_.cores_free > 0) fail("the number of free cores is given twice");
    intent_.cores_free = *number;
    return true;
  }

  bool hardware_threads(const Clause& clause) {
    Clause rest = clause;
    if (rest.size() == 3 && rest[0] == "no") {
      rest.erase(rest.begin());
      if (intent_.hardware_threads) fail("hardware threads are given twice");
    } else if (rest.size() == 3 && rest[0] == "on") {
      rest.erase(rest.begin());
    }
    if (rest.size() != 2 || rest[0] != "hardware" || rest[1] != "threads") return false;
    intent_.hardware_threads = clause[0] != "no";
    return true;
  }

  const std::string& text_;
  Intent intent_;
};

}  // namespace

const char* const kIntentGrammar =
    "  [N ranks] [x M threads], [K per core|L2|L3|cache|NUMA|package|node],\n"
    "  [shared], [spread|packed], [N nodes],\n"
    "  [leave K cores free [per L3 ...]], [hardware threads]\n"
    "for example \"4 ranks x 8 threads, one per L3\" or \"16 ranks, 2 per core\";\n"
    "for several programs, one request each: \"4 ranks x 8 threads : 2 ranks\"";

Intent parse_intent(const std::string& text) {
  return Reader(text).read();
}

std::string place_name(const Place& place) {
  switch (place.kind) {
    case PlaceKind::node:
      return "node";
    case PlaceKind::package:
      return "package";
    case PlaceKind::numa:
      return "NUMA domain";
    case PlaceKind::cache:
      return place.cache_level > 0 ? fmt::format("L{}", place.cache_level) : "last cache";
    case PlaceKind::core:
      break;
  }
  return "core";
}

}  // namespace plait::placement
