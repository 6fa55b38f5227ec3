// SPDX-License-Identifier: BSD-3-Clause
// Files on a terminal.
#include <fmt/format.h>

#include <algorithm>

#include "report/resource_lines.hpp"
#include "text/counted.hpp"
#include "text/table.hpp"
#include "text/units.hpp"
#include "text/wrap.hpp"

namespace plait::report {
namespace {

constexpr std::size_t kMostFiles = 6;

std::string caller_of(const IoFileRow& file) {
  if (file.kind == "mpi") return "MPI-IO";
  return file.kind == "in_mpi" ? "in MPI" : file.kind == "stdio" ? "stdio" : "POSIX";
}

/// Bytes that processes wrote or read beside the calls that are recorded.
std::string unseen_bytes(const Io& io) {
  std::uint64_t process = 0, seen = 0;
  for (const IoRankRow& rank : io.ranks) process += rank.process_read + rank.process_written;
  for (const IoFileRow& file : io.files) {
    if (file.kind != "mpi") seen += file.read.bytes + file.write.bytes;
  }
  if (process < seen + (seen / 4) + (1 << 20)) return "";
  return fmt::format(
      "the processes read and wrote {} more through calls that are not recorded "
      "(scanf, putc), pipes and sockets",
      format_bytes(process - seen));
}

}  // namespace

Lines io_lines(const Profile& profile, const TerminalOptions& options) {
  const Io& io = profile.io;
  if (!io.measured) return {};
  double wall = 0;
  for (const RankRow& rank : profile.ranks) wall += rank.wall_s;
  IoRankRow sum;
  for (const IoRankRow& rank : io.ranks) {
    sum.time_s += rank.time_s;
    sum.calls += rank.calls;
    sum.read += rank.read;
    sum.written += rank.written;
  }
  Lines lines = labelled(
      "files: ",
      fmt::format("{} of the ranks' time in {}; {} read, {} written",
                  wall > 0 ? format_percent(std::min(1.0, sum.time_s / wall)) : "-",
                  counted(sum.calls, "call"), format_bytes(sum.read), format_bytes(sum.written)),
      2, options, Paint::cyan);
  Table table({text_column("file", truncate_middle), text_column("by"), number_column("ranks"),
               number_column("calls"), number_column("read"), number_column("written"),
               number_column("time")},
              {0, options.color});
  std::size_t shown = 0;
  for (const IoFileRow& file : io.files) {
    if (shown == kMostFiles) break;
    if (file.kind == "in_mpi" && file.read.bytes + file.write.bytes == 0) continue;
    ++shown;
    const IoSumsRow all = all_calls(file);
    table.add({file.path.empty() ? "(other files)" : printable(file.path, options.utf8),
               caller_of(file), std::to_string(file.ranks), format_count(all.calls),
               format_bytes(file.read.bytes), format_bytes(file.write.bytes),
               format_seconds(file.time_s)});
  }
  if (!table.empty()) append(lines, table.lines());
  if (const std::string unseen = unseen_bytes(io); !unseen.empty()) {
    append(lines, labelled("note: ", unseen, 2, options, Paint::dim));
  }
  return lines;
}

}  // namespace plait::report
