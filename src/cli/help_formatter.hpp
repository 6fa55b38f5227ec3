// SPDX-License-Identifier: BSD-3-Clause
// The layout of --help: lines of at most 80 columns.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace plait::cli {

/// CLI11's layout, but that descriptions are broken at blanks and begin in one column.
class HelpFormatter : public CLI::Formatter {
public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* command) const override;

private:
  static std::string entry(const std::string& name, const std::string& description);
};

}  // namespace plait::cli
