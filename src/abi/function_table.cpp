// SPDX-License-Identifier: BSD-3-Clause
// Reads the tables of MPI functions.
#include "abi/function_table.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace plait::abi {
namespace {

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(' ');
  return first == std::string::npos ? ""
                                    : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

void parse(const std::string& entry, const std::string& where, char family,
           std::vector<Function>& functions) {
  if (entry.empty()) return;
  Function function;
  std::string families;
  std::istringstream begin(entry);
  begin >> function.kind >> families;
  const auto open = entry.find('('), close = entry.rfind(')');
  if (open == std::string::npos || close == std::string::npos)
    fail(where, "no prototype: " + entry);
  const auto space = entry.rfind(' ', open);
  function.name = entry.substr(space + 1, open - space - 1);
  if (function.kind.back() == '*') {
    function.collective = true;
    function.kind.pop_back();
  }
  std::istringstream list(entry.substr(open + 1, close - open - 1));
  for (std::string item; std::getline(list, item, ',');) {
    item = trimmed(item);
    const auto last = item.rfind(' ');
    if (last == std::string::npos) fail(where, "a parameter without a name: " + item);
    function.parameters.push_back({item.substr(0, last), item.substr(last + 1)});
  }
  if (families.find(family) == std::string::npos) return;
  functions.push_back(function);
  if (families.back() == '+' && family != 'o') {
    function.name += "_c";
    function.large = true;
    functions.push_back(function);
  }
}

}  // namespace

void fail(const std::string& where, const std::string& what) {
  std::fprintf(stderr, "MPI function tables: %s: %s\n", where.c_str(), what.c_str());
  std::exit(1);
}

std::vector<Function> read_tables(int argc, char** argv) {
  if (argc < 3) fail("usage", std::string(argv[0]) + " <family> <table>...");
  const char family = argv[1][0];
  std::vector<Function> functions;
  for (int i = 2; i < argc; ++i) {
    std::ifstream table(argv[i]);
    if (!table) fail(argv[i], "cannot be read");
    std::string entry;
    for (std::string line; std::getline(table, line);) {
      if (line.empty() || line[0] == '#') continue;
      if (line[0] == ' ') {
        entry += ' ';
        entry += trimmed(line);
        continue;
      }
      parse(entry, argv[i], family, functions);
      entry = line;
    }
    parse(entry, argv[i], family, functions);
  }
  return functions;
}

std::string argument_type(const Function& function, const std::string& type) {
  const auto at = type.find("Count");
  if (at == std::string::npos || type.find("MPI_Count") != std::string::npos) return type;
  return std::string(type).replace(at, 5, function.large ? "MPI_Count" : "int");
}

}  // namespace plait::abi
