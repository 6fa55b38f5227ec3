// SPDX-License-Identifier: BSD-3-Clause
// What processes that share an export write one after the other.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "base/combine.hpp"
#include "base/plain_bytes.hpp"
#include "base/processes.hpp"
#include "export/in_order.hpp"
#include "export/output_file.hpp"

namespace plait::exports {

/// Collective. Gives process 0 what the others write, in the order of the processes. Each sends
/// some MB at a time, and writes on while process 0 uses them.
/// @param processes  null: there are no others
/// @param write  write(sink): writes what this process has; not called on process 0
/// @param use    use(bytes), on process 0: what a process put into its sink since the last call.
///               Never only a part of one put()
void receive_in_turn(Processes* processes, const std::function<void(Sink&)>& write,
                     const std::function<void(std::string_view)>& use);

/// Collective. Appends to a file what write(sink) puts on each process, in their order.
/// @param out  on process 0
template <class Write>
void put_in_turn(OutputFile& out, Processes* processes, Write write) {
  if (rank_of(processes) == 0) write(out);
  receive_in_turn(processes, write, [&](std::string_view bytes) { out.put(bytes); });
}

/// Collective. Appends a list to a file: put_list() of each process, in their order.
/// @param out  on process 0
template <class Write>
void put_list_in_turn(OutputFile& out, Processes* processes, std::size_t count,
                      std::size_t together, Write write) {
  const bool is_first = rank_of(processes) == 0;
  bool any = !is_first;
  const auto put = [&](Sink& sink) { put_list(sink, count, together, any, write); };
  if (is_first) put(out);
  receive_in_turn(processes, put, [&](std::string_view items) {
    out.put(items.substr(any ? 0 : 1));
    any = true;
  });
}

/// Collective. Gives process 0 the rows of all processes, in their order.
/// @param for_own  for_own(use): calls use(row), with a plain value, for the rows that are here
/// @param use      on process 0
template <class Row, class ForOwn, class Use>
void use_rows_in_turn(Processes* processes, ForOwn for_own, Use use) {
  static_assert(kIsPlain<Row>);
  if (rank_of(processes) == 0) for_own(use);
  const auto send = [&](Sink& out) {
    for_own([&](const Row& row) { out.put({reinterpret_cast<const char*>(&row), sizeof row}); });
  };
  receive_in_turn(processes, send, [&](std::string_view rows) {
    for (; !rows.empty(); rows.remove_prefix(sizeof(Row))) {
      Row row;
      rows.copy(reinterpret_cast<char*>(&row), sizeof row);
      use(row);
    }
  });
}

}  // namespace plait::exports
