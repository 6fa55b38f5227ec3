// SPDX-License-Identifier: BSD-3-Clause
// Names code addresses: function, file and line by addr2line, one call a module.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "report/profile.hpp"
#include "trace/rank_record.hpp"

namespace plait::report {

/// Whether a file belongs to an MPI library or to Plait, so that its frames are not the user's.
bool is_mpi_module(const std::string& path);

/// Whether a function only starts the program (what calls main).
bool starts_program(const std::string& function);

/// Addresses are first announced, then resolved all at once, then looked up.
class Symbolizer {
public:
  /// Announces an address.
  void want(const trace::CodeAddress& address);

  /// Runs `addr2line` once for every module (20 s at most for each), and `nm` where lines are not
  /// known. Without them, or where they fail, addresses keep module and offset.
  /// @param notes  gets a sentence for what could not be named
  void resolve(std::vector<std::string>& notes);

  /// The frames of an address, innermost inlined function first; never empty.
  [[nodiscard]] std::vector<Frame> frames(const trace::CodeAddress& address) const;

  /// The frames of a call site that are the user's: those inside MPI libraries and those that start
  /// the program are left out, unless nothing else is there.
  [[nodiscard]] std::vector<Frame> user_frames(const trace::Site& site) const;

private:
  std::map<std::string, std::set<std::uint64_t>> wanted_;
  std::map<std::pair<std::string, std::uint64_t>, std::vector<Frame>> named_;
};

/// Where functions begin and end.
using Extents = std::map<std::uint64_t, std::uint64_t>;

/// The extents in what `nm -S` printed.
Extents parse_nm(const std::string& text);

/// Takes away names from frames without a line whose address is in no function: addr2line gives
/// them the name of the exported function before, however far behind it they lie.
void unname_strays(const Extents& functions,
                   std::map<std::uint64_t, std::vector<Frame>>& frames_by_address);

/// The frames in what `addr2line -a -f -C -i` printed, by address.
std::map<std::uint64_t, std::vector<Frame>> parse_addr2line(const std::string& text,
                                                            const std::string& module);

}  // namespace plait::report
