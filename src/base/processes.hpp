// SPDX-License-Identifier: BSD-3-Clause
// The processes that share an analysis, as those that work see them.
#pragma once

#include <string>
#include <vector>

#include "plait/error.hpp"

namespace plait {

/// An error of which all processes know.
class CommonError : public Error {
public:
  using Error::Error;
};

/// The processes that share the work of this one, or this process alone. Of the processes of a
/// node, the first one works, with threads on the cores of all of them; the others sleep. All that
/// work read the same files and make the same calls here.
class Processes {
public:
  virtual ~Processes() = default;

  /// Of this process; process 0 writes the results.
  [[nodiscard]] virtual int rank() const { return 0; }
  [[nodiscard]] virtual int size() const { return 1; }
  /// Those of this node, among which its memory is divided.
  [[nodiscard]] virtual int on_node() const { return 1; }

  /// Collective. Waits for all processes.
  /// @returns the texts of all processes, in order
  /// @throws Error when another process failed: its error.
  virtual std::vector<std::string> exchange(const std::string& own) { return {own}; }

  /// Collective. Gives each process a text of its own.
  /// @param to  one for each process, this one included, in order
  /// @returns the texts from all processes, in order
  /// @throws Error when another process failed: its error.
  virtual std::vector<std::string> swap(std::vector<std::string> to) { return to; }
};

}  // namespace plait
