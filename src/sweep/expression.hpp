// SPDX-License-Identifier: BSD-3-Clause
// Values that follow from other parameters: "8/ranks", "ranks^1/3".
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace plait::sweep {

/// The value of a parameter; nothing if there is no such parameter or it is not a number.
using ValueOf = std::function<std::optional<double>(const std::string& name)>;

/// A product of numbers and parameters, each with an exponent: "100*ranks^1/3", "8/ranks". What
/// follows ^ is a number or a fraction of two numbers.
class Expression {
public:
  /// @throws Error when it cannot be parsed. @param option  that holds it, for the error
  Expression(const std::string& option, const std::string& text);

  /// The parameters that it names.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// True if it begins with a number, and is not a factor of the parameter's own values.
  [[nodiscard]] bool is_absolute() const { return absolute_; }

  /// @throws Error when a parameter has no value or the result is not a finite number.
  [[nodiscard]] double at(const ValueOf& value_of) const;

private:
  struct Factor {
    double number = 1;
    std::string name;  ///< empty: the number
    double exponent = 1;
  };

  std::string option_;
  std::string text_;
  std::vector<Factor> factors_;
  std::vector<std::string> names_;
  bool absolute_ = false;
};

}  // namespace plait::sweep
