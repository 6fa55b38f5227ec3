// SPDX-License-Identifier: BSD-3-Clause
// Values that follow from other parameters: "8/ranks", "ranks^1/3".
#include "sweep/expression.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdlib>

#include "plait/error.hpp"

namespace plait::sweep {
namespace {

/// Reads a text from left to right.
class Reader {
public:
  explicit Reader(const std::string& text) : text_(text) {}

  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
  [[nodiscard]] char next() const { return at_end() ? '\0' : text_[at_]; }
  [[nodiscard]] bool digit_follows(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() &&
           std::isdigit(static_cast<unsigned char>(text_[at_ + ahead])) != 0;
  }
  bool take(char letter) {
    if (next() != letter || at_end()) return false;
    ++at_;
    return true;
  }
  std::optional<double> number() {
    if (!digit_follows()) return std::nullopt;
    std::size_t end = at_;
    while (end < text_.size() &&
           (std::isdigit(static_cast<unsigned char>(text_[end])) != 0 || text_[end] == '.')) {
      ++end;
    }
    const std::string digits = text_.substr(at_, end - at_);
    char* stop = nullptr;
    const double value = std::strtod(digits.c_str(), &stop);
    if (*stop != '\0') return std::nullopt;
    at_ = end;
    return value;
  }
  std::string name() {
    const std::size_t begin = at_;
    while (!at_end() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_')) {
      ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }

private:
  const std::string& text_;
  std::size_t at_ = 0;
};

}  // namespace

Expression::Expression(const std::string& option, const std::string& text)
    : option_(option), text_(text) {
  const auto refuse = [&] {
    throw Error(option, fmt::format("\"{}\" is not a product of numbers and parameters", text),
                "give one such as 8/ranks or ranks^1/3");
  };
  Reader reader(text);
  double sign = 1;  // of the exponent: -1 behind a division
  do {
    Factor factor;
    if (const auto number = reader.number()) {
      factor.number = *number;
      absolute_ = absolute_ || factors_.empty();
    } else {
      factor.name = reader.name();
      if (factor.name.empty()) refuse();
      names_.push_back(factor.name);
    }
    if (reader.take('^')) {
      const auto exponent = reader.number();
      if (!exponent) refuse();
      factor.exponent = *exponent;
      // ranks^1/3 is the cube root; in ranks^2/size the division is one of factors.
      if (reader.next() == '/' && reader.digit_follows(1)) {
        reader.take('/');
        const auto divisor = reader.number();
        if (!divisor || *divisor == 0) refuse();
        factor.exponent /= *divisor;
      }
    }
    factor.exponent *= sign;
    factors_.push_back(factor);
    sign = reader.next() == '/' ? -1 : 1;
  } while (reader.take('*') || reader.take('/'));
  if (!reader.at_end()) refuse();
}

double Expression::at(const ValueOf& value_of) const {
  double product = 1;
  for (const Factor& factor : factors_) {
    double value = factor.number;
    if (!factor.name.empty()) {
      const std::optional<double> of_name = value_of(factor.name);
      if (!of_name) {
        throw Error(option_, fmt::format("{} in \"{}\" is not a number", factor.name, text_),
                    fmt::format("give its values: --over {}=1,2,4", factor.name));
      }
      value = *of_name;
    }
    product *= std::pow(value, factor.exponent);
  }
  if (!std::isfinite(product)) {
    throw Error(option_, fmt::format("\"{}\" has no finite value", text_), "change it");
  }
  return product;
}

}  // namespace plait::sweep
