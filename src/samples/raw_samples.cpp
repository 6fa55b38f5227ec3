// SPDX-License-Identifier: BSD-3-Clause
// Reads the file of samples that a preloaded process wrote.
#include "samples/raw_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "plait/error.hpp"
#include "samples/call_tree.hpp"
#include "trace/budget.hpp"
#include "trace/mapped_file.hpp"
#include "trace/python_frame.hpp"
#include "trace/record_bytes.hpp"

namespace plait::samples {
namespace {

/// The first version of the format with times of samples.
constexpr std::uint32_t kFirstWithTimes = 2;

class Reader {
public:
  Reader(const std::filesystem::path& file, const std::string& program)
      : file_(file),
        program_(program),
        mapped_(file),
        bytes_(mapped_.bytes()),
        copies_(bytes_.size()),
        entries_(bytes_.size()) {}

  RawSamples read() {
    plait_samples_header head{};
    if (!bytes_.empty()) std::memcpy(&head, bytes_.data(), std::min(bytes_.size(), sizeof head));
    check(head);
    RawSamples out;
    out.rate_hz = head.rate_hz;
    out.wall_clock = head.clock == PLAIT_SAMPLE_WALL;
    out.pid = head.pid;
    out.unsampled_threads = head.unsampled_threads;
    rate_hz_ = head.rate_hz;
    ticks_per_s_ = head.ticks_per_s;
    sections_ = head.version < kFirstWithTimes ? PLAIT_SAMPLE_TIMES : PLAIT_SAMPLE_SECTIONS;
    for (std::uint32_t i = 0; i < head.tables; ++i) {
      out.tables.push_back(read_table(head.table_offsets[i]));
    }
    return out;
  }

private:
  [[noreturn]] void damaged(const std::string& how) const {
    throw Error(file_.string(), "damaged: " + how, "run the program again with --sample");
  }

  void check(const plait_samples_header& head) const {
    if (head.magic != PLAIT_SAMPLES_MAGIC || bytes_.size() < sizeof head) {
      throw Error(file_.string(), "not a file of samples of Plait",
                  "run the program again with --sample");
    }
    if (head.version < 1 || head.version > PLAIT_SAMPLES_VERSION) {
      throw Error(file_.string(),
                  fmt::format("has version {}, but this Plait reads versions 1 to {}", head.version,
                              PLAIT_SAMPLES_VERSION),
                  "use the version of Plait that ran the program");
    }
    const bool known_clock = head.clock == PLAIT_SAMPLE_CPU || head.clock == PLAIT_SAMPLE_WALL;
    if (!is_possible_rate(head.rate_hz) || !known_clock || head.tables > PLAIT_MOST_SAMPLE_TABLES ||
        !(head.ticks_per_s > 0 && std::isfinite(head.ticks_per_s))) {
      damaged(fmt::format("its rate is {} Hz, its clock {}, and it has {} tables", head.rate_hz,
                          head.clock, head.tables));
    }
  }

  /// The sections of a table as they are now; those that the version does not have are empty.
  [[nodiscard]] plait_sample_table table_at(std::uint64_t offset) const {
    plait_sample_table table{};
    const std::size_t bytes = sections_ * sizeof(plait_section_header);
    if (offset > bytes_.size() || bytes_.size() - offset < bytes) {
      damaged(fmt::format("a table at {} is beyond its end", offset));
    }
    std::memcpy(&table, bytes_.data() + offset, bytes);
    return table;
  }

  template <class Entry>
  std::vector<Entry> section(const plait_sample_table& table, plait_sample_section which) {
    const plait_section_header& header = table.sections[which];
    std::vector<Entry> entries;
    if (header.count == 0) return entries;
    if (header.entry_bytes != sizeof(Entry) || header.capacity == 0 ||
        header.count > bytes_.size() / sizeof(Entry)) {
      damaged(fmt::format("table {} has {} entries of {} bytes", static_cast<int>(which),
                          header.count, header.entry_bytes));
    }
    // Sections do not overlap: else a small file could take any amount of memory.
    const std::uint64_t taken = std::uint64_t{header.count} * sizeof(Entry);
    if (taken > entries_) damaged("its tables overlap");
    entries_ -= taken;
    entries.resize(header.count);
    for (std::uint64_t done = 0; done < header.count;) {
      const plait_part part = plait_part_of(header.capacity, done);
      if (part.number >= PLAIT_MOST_PARTS) damaged("a table has too many parts");
      const std::uint64_t offset = part.number == 0 ? header.offset : header.more[part.number - 1];
      const std::uint64_t count = std::min<std::uint64_t>(part.room, header.count - done);
      if (offset > bytes_.size() || (bytes_.size() - offset) / sizeof(Entry) < count) {
        damaged(fmt::format("table {} is beyond its end", static_cast<int>(which)));
      }
      std::memcpy(entries.data() + done, bytes_.data() + offset, count * sizeof(Entry));
      done += count;
    }
    return entries;
  }

  std::string text_at(const std::vector<char>& texts, std::uint32_t offset) {
    if (offset >= texts.size()) return "";
    const auto from = texts.begin() + offset;
    const std::string text(from, std::find(from, texts.end(), '\0'));
    if (!copies_.take(text.size())) damaged("its names take too much room");
    return trace::valid_utf8(text);
  }

  /// A count of the file: its index in the table that is made of it, and its samples without time.
  struct Untimed {
    std::uint32_t index;
    std::uint64_t samples;
  };

  struct Mapping {
    std::uint64_t start, end, bias;
    int module;
  };

  /// The latest mapping of an address: a library may have been unloaded.
  static const Mapping* mapping_of(const std::vector<Mapping>& mappings, std::uint64_t pc) {
    for (std::size_t i = mappings.size(); i > 0; --i) {
      const Mapping& at = mappings[i - 1];
      if (pc >= at.start && pc < at.end) return &at;
    }
    return nullptr;
  }

  RawTable read_table(std::uint64_t offset) {
    // Times first, so that their counts are there if the process still runs.
    const auto times = section<plait_sample_time>(table_at(offset), PLAIT_SAMPLE_TIMES);
    const plait_sample_table table = table_at(offset);
    RawTable out;
    out.untimed = table.sections[PLAIT_SAMPLE_TIMES].lost;
    const auto texts = section<char>(table, PLAIT_SAMPLE_TEXT);
    std::vector<Mapping> mappings;
    for (const auto& at : section<plait_sample_module>(table, PLAIT_SAMPLE_MODULES)) {
      const std::string path = text_at(texts, at.path);
      mappings.push_back({at.start, at.end, at.bias, static_cast<int>(out.modules.size())});
      out.modules.push_back(path.empty() ? program_ : path);
    }
    std::vector<std::pair<int, std::uint64_t>> lines;  // modules and numbers
    for (const auto& at : section<plait_python_line>(table, PLAIT_SAMPLE_LINES)) {
      lines.push_back(python_line(text_at(texts, at.text), out.modules));
    }
    read_nodes(table, mappings, lines, out);
    for (const auto& at : section<plait_sampled_thread>(table, PLAIT_SAMPLE_THREADS)) {
      out.threads.push_back({at.tid, at.omp_thread, static_cast<double>(at.cpu_ns) * 1e-9,
                             at.samples, at.lost, at.truncated,
                             static_cast<double>(at.spent_ticks) / ticks_per_s_, at.handled});
    }
    read_counts(table, times, out);
    return out;
  }

  /// The counts with samples, and the times of these.
  void read_counts(const plait_sample_table& table, const std::vector<plait_sample_time>& times,
                   RawTable& out) {
    std::vector<Untimed> untimed;  // by index in the file
    for (const auto& at : section<plait_sample_count>(table, PLAIT_SAMPLE_COUNTS)) {
      untimed.push_back({static_cast<std::uint32_t>(out.counts.size()), at.samples});
      if (at.samples == 0) continue;
      if (at.node >= out.nodes.size() || at.thread >= out.threads.size() ||
          at.state >= PLAIT_SAMPLE_STATES) {
        damaged(
            fmt::format("samples of node {}, thread {}, state {}", at.node, at.thread, at.state));
      }
      if (!is_possible_time(at.samples, rate_hz_)) {
        damaged(fmt::format("{} samples of a node", at.samples));
      }
      out.counts.push_back(
          {at.node, at.thread, at.region, static_cast<plait_sample_state>(at.state), at.samples});
    }
    for (const plait_sample_time& at : times) {
      if (at.count >= untimed.size() || at.samples > untimed[at.count].samples) {
        damaged(fmt::format("a time has {} samples of count {}", at.samples, at.count));
      }
      if (at.samples == 0) continue;
      untimed[at.count].samples -= at.samples;
      out.times.push_back({at.ticks, untimed[at.count].index, at.samples});
    }
  }

  /// "LINE FUNCTION\nFILE"
  static std::pair<int, std::uint64_t> python_line(const std::string& text,
                                                   std::vector<std::string>& modules) {
    const std::size_t blank = text.find(' '), end = text.find('\n');
    if (blank == std::string::npos || end == std::string::npos || end < blank + 2) return {-1, 0};
    int line = 0;
    std::from_chars(text.data(), text.data() + blank, line);
    const trace::CodeAddress address =
        trace::python_address(text.substr(blank + 1, end - blank - 1), text.substr(end + 1), line);
    modules.push_back(address.module);
    return {static_cast<int>(modules.size()) - 1, address.offset};
  }

  void read_nodes(const plait_sample_table& table, const std::vector<Mapping>& mappings,
                  const std::vector<std::pair<int, std::uint64_t>>& lines, RawTable& out) {
    for (const auto& at : section<plait_stack_node>(table, PLAIT_SAMPLE_NODES)) {
      const std::uint32_t index = static_cast<std::uint32_t>(out.nodes.size());
      RawNode node{at.parent, -1, at.pc & ~(PLAIT_EXACT_ADDRESS | PLAIT_PYTHON_FRAME)};
      if (index > 0 && at.parent >= index) {
        damaged(fmt::format("frame {} is called from {}", index, at.parent));
      }
      if ((at.pc & PLAIT_PYTHON_FRAME) != 0) {
        if (node.offset < lines.size()) {
          std::tie(node.module, node.offset) = lines[node.offset];
        }
      } else if (index > PLAIT_NODE_TRUNCATED) {
        if ((at.pc & PLAIT_EXACT_ADDRESS) == 0 && node.offset > 0) --node.offset;
        if (const Mapping* mapping = mapping_of(mappings, node.offset)) {
          node.module = mapping->module;
          node.offset -= mapping->bias;
        }
      }
      out.nodes.push_back(node);
    }
  }

  std::filesystem::path file_;
  const std::string& program_;
  trace::MappedFile mapped_;
  std::span<const std::byte> bytes_;
  trace::Budget copies_;
  std::uint64_t entries_;  ///< bytes that sections may still have
  double rate_hz_ = 1, ticks_per_s_ = 1;
  std::size_t sections_ = PLAIT_SAMPLE_SECTIONS;  // of a table, by the file's version
};

}  // namespace

RawSamples read_raw_samples(const std::filesystem::path& file, const std::string& program) {
  return Reader(file, program).read();
}

std::filesystem::path raw_samples_file(const std::filesystem::path& record) {
  std::filesystem::path file = record;
  return file.replace_extension(".smp");
}

}  // namespace plait::samples
