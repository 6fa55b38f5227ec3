// SPDX-License-Identifier: BSD-3-Clause
// Names of functions as their source has them, from the names that compilers give to symbols.
#include "trace/function_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

namespace plait::trace {
namespace {

constexpr auto kNowhere = std::string_view::npos;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_lower_name(std::string_view text) {
  return !text.empty() && text.front() >= 'a' && text.front() <= 'z' &&
         std::ranges::all_of(
             text, [](char c) { return (c >= 'a' && c <= 'z') || is_digit(c) || c == '_'; });
}

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

/// True for what compilers put behind a dot: the number of a local function, or what a copy is for.
bool is_suffix(std::string_view text) {
  static constexpr std::array<std::string_view, 13> kCopies{
      "constprop",  "isra",         "part",    "cold", "lto_priv",  "localalias", "_omp_fn",
      "_omp_cpyfn", "omp_outlined", "omp_par", "llvm", "simdclone", ".omp_par"};
  if (is_digit(text.empty() ? 'x' : text.front())) {
    return std::ranges::all_of(text.substr(0, text.find('.')), is_digit);
  }
  return std::ranges::any_of(kCopies, [&](auto copy) { return text.starts_with(copy); });
}

std::string_view without_suffixes(std::string_view symbol) {
  for (std::size_t clone;
       symbol.ends_with(']') && (clone = symbol.rfind(" [clone ")) != kNowhere;) {
    symbol = symbol.substr(0, clone);
  }
  if (symbol.find_first_of("(<") != kNowhere) return symbol;
  for (std::size_t dot = 0; (dot = symbol.find('.', dot)) != kNowhere; ++dot) {
    if (is_suffix(symbol.substr(dot + 1))) return symbol.substr(0, dot);
  }
  return symbol;
}

/// "mg_utils" and "grid" as "mg_utils::grid"; a submodule's name follows that of its parent.
std::string joined(std::string_view module, std::string_view procedure) {
  std::string name;
  for (const char c : module) name += c == '.' ? std::string("::") : std::string(1, c);
  return name + "::" + std::string(procedure);
}

/// flang: _QMmodulePprocedure, _QFhostPinner; an upper-case letter begins each part.
std::string flang_name(std::string_view symbol) {
  std::string name;
  for (std::size_t at = 2; at < symbol.size();) {
    const std::size_t end =
        std::min(symbol.size(), symbol.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ.", at + 1));
    const std::string_view part = symbol.substr(at + 1, end - at - 1);
    const bool is_block = symbol[at] == 'B';
    if (!part.empty() && !is_block) name += (name.empty() ? "" : "::") + std::string(part);
    at = end;
  }
  return name;
}

bool may_be_fortran(std::string_view file) {
  const std::string extension = std::filesystem::path(file).extension().string();
  return extension.size() < 2 || std::tolower(static_cast<unsigned char>(extension[1])) == 'f';
}

/// The name of a Fortran procedure; empty if the symbol is not known to be one.
std::string fortran_name(std::string_view symbol, std::string_view file) {
  if (symbol == "MAIN__" || symbol == "_QQmain") return "main program";
  if (symbol.starts_with("_QM") || symbol.starts_with("_QF") || symbol.starts_with("_QP")) {
    return flang_name(symbol);
  }
  const auto split = [&](std::string_view at, std::size_t from, std::size_t behind) {
    const std::size_t middle = symbol.find(at, from + 1);
    if (middle == kNowhere || middle + at.size() + behind >= symbol.size()) return std::string();
    return joined(symbol.substr(from, middle - from),
                  symbol.substr(middle + at.size(), symbol.size() - behind - middle - at.size()));
  };
  if (symbol.starts_with("__")) return split("_MOD_", 2, 0);  // gfortran
  if (std::string nag = split("_MP_", 0, 0); !nag.empty()) return nag;
  if (!symbol.ends_with('_') || !may_be_fortran(file)) return "";
  if (std::string ifx = split("_mp_", 0, 1); !ifx.empty()) return ifx;
  if (std::string inner = split("_IP_", 0, 1); !inner.empty()) return inner;  // ifx
  if (const std::size_t of = symbol.find('$'); of != kNowhere && of > 0) {    // Cray
    return joined(symbol.substr(of + 1, symbol.size() - of - 2), symbol.substr(0, of));
  }
  if (!is_lower_name(symbol)) return "";
  // One underscore; a second one if the name has another.
  std::string_view name = symbol.substr(0, symbol.size() - 1);
  if (name.ends_with('_') && name.find('_') + 1 < name.size()) name.remove_suffix(1);
  return std::string(name);
}

/// The position behind the bracket that closes the one at `at`; the end if there is none.
std::size_t behind_brackets(std::string_view text, std::size_t at) {
  int depth = 0;
  for (std::size_t i = at; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_arrow = c == '>' && i > 0 && text[i - 1] == '-';
    if (c == '<' || c == '(' || c == '{' || c == '[') ++depth;
    if ((c == '>' && !is_arrow) || c == ')' || c == '}' || c == ']') --depth;
    if (depth <= 0) return i + 1;
  }
  return text.size();
}

/// Reads demangled C++ names part by part.
class CppName {
public:
  explicit CppName(std::string_view text) : text_(text) {}

  std::string shortened() {
    while (at_ < text_.size() && !done_) step();
    return name_;
  }

private:
  [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }

  void step() {
    constexpr std::string_view kNoName = "(anonymous namespace)::";
    const char c = text_[at_];
    const bool begins = at_ == 0 || !is_name_character(text_[at_ - 1]);
    if (rest().starts_with(kNoName)) {
      at_ += kNoName.size();
    } else if (begins && rest().starts_with("operator") &&
               (at_ + 8 == text_.size() || !is_name_character(text_[at_ + 8]))) {
      take_operator();
    } else if (c == '(') {
      skip_parameters();
    } else if (c == '<' || c == '[') {
      at_ = behind_brackets(text_, at_);
    } else if (c == '{') {
      take_unnamed();
    } else if (c == ' ') {
      name_.clear();  // what was before is the type of the result
      ++at_;
    } else {
      name_ += c;
      ++at_;
    }
  }

  /// Parameters, and what may follow them: nothing, a local name, or the function of which this is
  /// the result's type.
  void skip_parameters() {
    at_ = behind_brackets(text_, at_);
    for (const std::string_view word : {" const", " volatile", " &&", " &", " noexcept"}) {
      if (rest().starts_with(word)) at_ += word.size();
    }
    done_ = at_ == text_.size() || (text_[at_] != ':' && text_[at_] != ' ');
  }

  /// "{lambda(int)#1}::operator()" is a "lambda".
  void take_unnamed() {
    const std::size_t end = behind_brackets(text_, at_);
    const bool is_lambda = rest().starts_with("{lambda");
    name_ += is_lambda ? std::string_view("lambda") : text_.substr(at_, end - at_);
    at_ = end;
    constexpr std::string_view kCall = "::operator()";
    if (is_lambda && rest().starts_with(kCall)) at_ += kCall.size();
  }

  void take_operator() {
    const std::size_t begin = at_;
    at_ += std::string_view("operator").size();
    if (rest().starts_with("()")) {
      at_ += 2;
    } else if (rest().starts_with(' ')) {  // to a type, or new and delete
      at_ = std::min(text_.size(), text_.find('(', at_));
    } else {
      at_ = std::min(text_.size(), text_.find_first_not_of("<>=!+-*/%^&|~,[]\"", at_));
    }
    name_ += text_.substr(begin, at_ - begin);
    if (rest().starts_with(" <")) at_ = behind_brackets(text_, at_ + 1);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string name_;
  bool done_ = false;
};

/// True for Python's names, in which "<locals>" and the like are behind a dot or in front.
bool is_python(std::string_view function) {
  return function.starts_with('<') || function.find(".<") != kNowhere;
}

}  // namespace

std::string readable_function(std::string_view symbol, std::string_view file) {
  const std::string_view bare = without_suffixes(symbol);
  if (bare.empty() && !symbol.empty()) return "OpenMP region";  // clang's ".omp_outlined."
  std::string fortran = fortran_name(bare, file);
  return fortran.empty() ? std::string(bare) : fortran;
}

std::string short_function(std::string_view function) {
  if (is_python(function)) {
    constexpr std::string_view kLocals = ".<locals>";
    std::string name(function);
    for (std::size_t at; (at = name.find(kLocals)) != std::string::npos;) {
      name.erase(at, kLocals.size());
    }
    return name;
  }
  if (function.find_first_of("(<") == kNowhere) return std::string(function);
  for (const std::string_view thunk : {"non-virtual thunk to ", "virtual thunk to "}) {
    if (function.starts_with(thunk)) function.remove_prefix(thunk.size());
  }
  std::string name = CppName(function).shortened();
  return name.empty() ? std::string(function) : name;
}

}  // namespace plait::trace
