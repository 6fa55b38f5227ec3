// SPDX-License-Identifier: BSD-3-Clause
// Reads record files into RankRecords.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>
#include <utility>

#include "base/parallel.hpp"
#include "plait/error.hpp"
#include "trace/code_addresses.hpp"
#include "trace/container.hpp"
#include "trace/python_format.h"
#include "trace/python_frame.hpp"
#include "trace/rank_record.hpp"
#include "trace/record_bytes.hpp"
#include "trace/traffic_reader.hpp"

namespace plait::trace {

namespace {

/// Tables whose lost entries nothing else reports.
constexpr std::pair<plait_section, const char*> kLosses[] = {
    {PLAIT_SECTION_STRINGS, "names"},
    {PLAIT_SECTION_MODULES, "libraries"},
    {PLAIT_SECTION_SITES, "call paths"},
    {PLAIT_SECTION_COMMS, "communicators"},
    {PLAIT_SECTION_SOURCES, "neighbours"},
    {PLAIT_SECTION_PARALLEL, "OpenMP regions"},
    {PLAIT_SECTION_OMP_THREADS, "OpenMP threads"},
    {PLAIT_SECTION_REGIONS, "user regions"},
    {PLAIT_SECTION_PLACEMENT, "placements of threads"},
    {PLAIT_SECTION_CPU_WAIT, "samples of CPU time"},
    {PLAIT_SECTION_CPU_USE, "samples of the use of CPUs"},
    {PLAIT_SECTION_COUNTERS, "counters"},
    {PLAIT_SECTION_COUNTER_SUMS, "counts of threads and regions"},
    {PLAIT_SECTION_COUNTER_READINGS, "readings of counters"},
    {PLAIT_SECTION_COUNTER_TOTALS, "values of counters"},
    {PLAIT_SECTION_MEMORY_SAMPLES, "samples of memory"},
    {PLAIT_SECTION_FILES, "files"},
    {PLAIT_SECTION_ENERGY, "parts of the node whose energy is measured"}};

std::vector<int> cpu_list(const std::uint64_t (&mask)[PLAIT_MAX_CPUS / 64]) {
  std::vector<int> cpus;
  for (int cpu = 0; cpu < PLAIT_MAX_CPUS; ++cpu) {
    if ((mask[cpu / 64] >> (cpu % 64)) & 1) {
      cpus.push_back(cpu);
    }
  }
  return cpus;
}

/// Reads one file, with one function per group of tables.
class Reader {
public:
  Reader(const std::filesystem::path& file, CommonParts& common)
      : traffic_(file, common), in_(traffic_.bytes()), out_(traffic_.record()), common_(common) {}

  RankRecord read() {
    traffic_.read();
    read_sites();
    read_calls();
    read_pauses();
    read_openmp();
    read_placement();
    read_resources(in_, out_);
    read_remarks();
    return std::move(out_);
  }

private:
  /// "LINE FUNCTION\nFILE"
  CodeAddress python_line(std::uint64_t pc) {
    const std::string text = in_.string(static_cast<std::uint32_t>(pc));
    const std::size_t blank = text.find(' '), end = text.find('\n');
    if (blank == std::string::npos || end == std::string::npos || end < blank + 2) return {};
    int line = 0;
    std::from_chars(text.data(), text.data() + blank, line);
    CodeAddress address =
        python_address(text.substr(blank + 1, end - blank - 1), text.substr(end + 1), line);
    address.module = common_.texts.share(address.module);
    return address;
  }

  void read_sites() {
    std::vector<Module> modules;
    for (const auto& at : in_.table<plait_module_record>(PLAIT_SECTION_MODULES)) {
      modules.push_back(
          {at.start, at.end, at.file_offset, common_.texts.share(in_.string(at.path))});
    }
    addresses_.emplace(std::move(modules), &common_.files);
    for (const auto& at : in_.table<plait_site_record>(PLAIT_SECTION_SITES)) {
      Site site;
      for (std::uint32_t i = 0; i < std::min<std::uint32_t>(at.depth, PLAIT_MAX_FRAMES); ++i) {
        site.frames.push_back((at.pc[i] & PLAIT_PYTHON_FRAME) != 0
                                  ? python_line(at.pc[i])
                                  : addresses_->resolve(at.pc[i], true));
        in_.take(sizeof(CodeAddress));
      }
      out_.sites.push_back(std::move(site));
    }
    // Index 0 means "unknown" even in a record without entries.
    out_.sites.resize(std::max<std::size_t>(out_.sites.size(), 1));
  }

  void read_calls() {
    std::uint64_t undefined = traffic_.undefined();
    for (const TrafficReader::Thread& at : traffic_.threads()) {
      for (const auto& call :
           in_.array<plait_call_entry>(at.record.calls_offset, at.record.calls_capacity)) {
        if (call.key == 0) continue;
        const std::uint32_t function = PLAIT_KEY_FUNCTION(call.key);
        if (!traffic_.defines(function)) {
          ++undefined;
          continue;
        }
        CallEntry& entry = out_.calls.emplace_back(call_entry(call, at.index));
        entry.function = traffic_.name_of(function);
        entry.collective = traffic_.is_collective(function);
      }
    }
    if (undefined > 0) {
      out_.notes.push_back(
          fmt::format("{} table entries were left out because the record does not define their "
                      "functions",
                      undefined));
    }
  }

  /// The last pause may be open; it then lasts until the last known time.
  void read_pauses() {
    const plait_record_header& head = in_.header();
    out_.paused_s = in_.seconds(head.paused_ticks);
    if (head.paused_since != 0) {
      out_.paused_s += std::max(0.0, out_.last_s - in_.since_load(head.paused_since));
    }
    if (out_.paused_s > 0) {
      out_.notes.emplace_back(
          "the program paused recording (MPI_Pcontrol(0)); calls and time during the pauses are "
          "left out");
    }
  }

  /// A call without its function.
  [[nodiscard]] CallEntry call_entry(const plait_call_entry& call, std::uint32_t thread) const {
    CallEntry entry;
    const auto site = PLAIT_KEY_SITE(call.key);
    entry.site = site < out_.sites.size() ? site : 0;
    entry.comm = traffic_.known_comm(PLAIT_KEY_COMM(call.key));
    const auto peer = PLAIT_KEY_PEER(call.key);
    entry.peer =
        peer <= PLAIT_PEER_COLLECTIVE ? static_cast<plait_peer_class>(peer) : PLAIT_PEER_NONE;
    entry.size_class = static_cast<int>(PLAIT_KEY_SIZE(call.key));
    entry.thread = thread;
    entry.count = call.count;
    entry.bytes = call.bytes;
    entry.time_s = in_.seconds(call.ticks);
    entry.max_s = in_.seconds(call.max_ticks);
    entry.before_s = in_.seconds(call.before_ticks);
    entry.wait_s = in_.seconds(call.wait_ticks);
    return entry;
  }

  void read_openmp() {
    for (const auto& at : in_.table<plait_parallel_record>(PLAIT_SECTION_PARALLEL)) {
      ParallelRegion region;
      region.address = addresses_->resolve(at.address, false);
      region.count = at.count;
      region.mean_threads =
          at.count > 0 ? static_cast<double>(at.threads) / static_cast<double>(at.count) : 0;
      region.time_s = in_.seconds(at.ticks);
      region.busy_s = in_.seconds(at.busy_ticks);
      region.idle_s = in_.seconds(at.idle_ticks);
      region.wait_s = in_.seconds(at.wait_ticks);
      out_.parallel_regions.push_back(std::move(region));
    }
    for (const auto& at : in_.table<plait_omp_thread_record>(PLAIT_SECTION_OMP_THREADS)) {
      out_.omp_threads.push_back({at.thread, at.tid, in_.seconds(at.busy_ticks),
                                  in_.seconds(at.idle_ticks), in_.seconds(at.wait_ticks)});
    }
  }

  void read_placement() {
    for (const auto& at : in_.table<plait_placement_record>(PLAIT_SECTION_PLACEMENT)) {
      out_.placement.push_back(
          {at.phase == PLAIT_PHASE_AFTER_PARALLEL ? PLAIT_PHASE_AFTER_PARALLEL : PLAIT_PHASE_INIT,
           at.tid, at.thread, at.last_cpu, cpu_list(at.allowed)});
    }
    for (const auto& at : in_.table<plait_cpu_wait_record>(PLAIT_SECTION_CPU_WAIT)) {
      out_.cpu_wait.push_back(
          {at.tid, at.at_end != 0, in_.since_load(at.ticks), static_cast<double>(at.cpu_ns) * 1e-9,
           static_cast<double>(at.wait_ns) * 1e-9, at.voluntary, at.involuntary});
    }
    read_cpu_use();
    for (const auto& at : in_.table<plait_foreign_record>(PLAIT_SECTION_FOREIGN)) {
      out_.foreign.push_back({at.pid, in_.string(at.name), cpu_list(at.allowed), at.cpu_share});
    }
  }

  void read_cpu_use() {
    const auto since = [](std::uint64_t begin, std::uint64_t end) {
      return end > begin ? static_cast<double>(end - begin) * 1e-9 : 0;
    };
    const plait_record_header& head = in_.header();
    out_.process_cpu_s = since(head.process_cpu_ns[0], head.process_cpu_ns[1]);
    out_.throttled_s = since(head.throttled_ns[0], head.throttled_ns[1]);
    std::map<int, plait_cpu_use_record> begins;
    for (const auto& at : in_.table<plait_cpu_use_record>(PLAIT_SECTION_CPU_USE)) {
      if (at.at_end == 0) {
        begins[at.cpu] = at;
        continue;
      }
      const auto begin = begins.find(at.cpu);
      if (begin == begins.end()) continue;
      out_.cpu_use.push_back({at.cpu, since(begin->second.busy_ns, at.busy_ns),
                              since(begin->second.steal_ns, at.steal_ns)});
    }
  }

  void read_remarks() {
    for (const std::uint32_t at : in_.table<std::uint32_t>(PLAIT_SECTION_UNSEEN)) {
      out_.unseen_entry_points.push_back(in_.string(at));
    }
    for (const std::uint32_t at : in_.table<std::uint32_t>(PLAIT_SECTION_NOTES)) {
      out_.notes.push_back(in_.string(at));
    }
    for (const auto& [section, what] : kLosses) {
      const std::uint32_t lost = in_.header().sections[section].lost;
      if (lost > 0) {
        out_.notes.push_back(
            fmt::format("{} are missing ({}), because the record could not grow", what, lost));
      }
    }
  }

  TrafficReader traffic_;
  RecordBytes& in_;
  RankRecord& out_;
  CommonParts& common_;
  std::optional<CodeAddresses> addresses_;
};

}  // namespace

RankRecord read_record(const std::filesystem::path& file, CommonParts* common) {
  if (common != nullptr) return Reader(file, *common).read();
  CommonParts own;
  return Reader(file, own).read();
}

RankRecord read_traffic(const std::filesystem::path& file) {
  CommonParts common;
  TrafficReader reader(file, common);
  reader.read();
  return std::move(reader.record());
}

std::vector<std::filesystem::path> record_files(const std::filesystem::path& folder,
                                                std::vector<std::string>* problems) {
  std::error_code error;
  if (std::filesystem::directory_iterator(folder, error); error) {
    throw Error(folder.string(), fmt::format("no records ({})", error.message()),
                "pass the directory that plait run wrote");
  }
  return list_record_files(folder, ".rec", problems);
}

std::vector<RankRecord> read_records(const std::filesystem::path& folder,
                                     std::vector<std::string>* problems) {
  const std::vector<std::filesystem::path> files = record_files(folder, problems);
  CommonParts common;
  std::vector<RankRecord> records(files.size());
  std::vector<std::string> errors(files.size());
  for_each_index(files.size(), [&](std::size_t i) {
    try {
      records[i] = read_record(files[i], &common);
    } catch (const Error& problem) {
      errors[i] = problem.what();
    }
  });
  std::erase_if(records, [](const RankRecord& record) { return record.file.empty(); });
  std::erase(errors, "");
  const auto add_problem = [&](const std::string& problem) {
    if (problems != nullptr) problems->push_back(problem);
  };
  for (const std::string& problem : errors) add_problem(problem);
  const int most = static_cast<int>(most_ranks(records.size()));
  std::erase_if(records, [&](const RankRecord& record) {
    if (record.world_size <= most) return false;
    add_problem(fmt::format("{}: damaged: {} of {} ranks cannot have left {} records",
                            record.file.string(), record.world_rank, record.world_size,
                            records.size()));
    return true;
  });
  std::sort(records.begin(), records.end(), [](const RankRecord& a, const RankRecord& b) {
    const auto order = [](const RankRecord& record) {
      return std::tuple(record.world_rank < 0, record.world_rank, record.host, record.pid);
    };
    return order(a) < order(b);
  });
  if (problems != nullptr) {
    std::sort(problems->begin(), problems->end());
  }
  return records;
}

}  // namespace plait::trace
