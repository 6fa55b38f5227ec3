// SPDX-License-Identifier: BSD-3-Clause
// Texts about the members of collectives, each made where its rank is.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/processes.hpp"
#include "export/output_file.hpp"
#include "trace/trace.hpp"

namespace plait::exports {

/// Texts about some members of some collectives, in the order of both.
class MemberTexts {
public:
  /// @param collective  index into Trace::collectives
  /// @param member      index among Comm::members and Comm::remote_members
  /// @returns where the text about this member goes, until the next call
  Sink& about(std::uint32_t collective, std::uint32_t member);

  template <class Archive>
  void write(Archive& archive) const {
    archive(runs_, std::string(text_.bytes()));
  }

  /// The text about consecutive members.
  struct Run {
    std::uint32_t collective = 0, first = 0, last = 0;
    std::uint64_t begin = 0;  ///< in the text; it ends where the next one begins
  };

private:
  std::vector<Run> runs_;
  Piece text_;
};

/// Collective. Puts the texts about all members of each collective together, those of some
/// collectives at a time.
/// @param write  write(collective, texts): writes about the members on own ranks; several threads
///               call it at the same time
/// @param use    use(collective, text), on process 0, in the order of the collectives; not of those
///               about which no process writes
void for_member_texts(const trace::Trace& trace, Processes& processes,
                      const std::function<void(std::uint32_t, MemberTexts&)>& write,
                      const std::function<void(std::uint32_t, const std::string&)>& use);

}  // namespace plait::exports
