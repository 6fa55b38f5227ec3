// SPDX-License-Identifier: BSD-3-Clause
// Names of the events that perf_event_open(2) counts, and which of them this user may count here.
#include "run/counter_events.hpp"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>

#include "plait/error.hpp"
#include "text/table.hpp"
#include "text/wrap.hpp"
#include "trace/record_format.h"

namespace plait::run {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRemedy = "plait run --counters help lists the names";

/// An event of the processor's caches: which cache, what was done, and whether it missed.
constexpr std::uint64_t cache(std::uint64_t which, std::uint64_t operation, std::uint64_t result) {
  return which | operation << 8 | result << 16;
}

std::string first_line(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find(separator, begin)) != text.npos; begin = end + 1) {
    parts.push_back(text.substr(begin, end - begin));
  }
  parts.push_back(text.substr(begin));
  return parts;
}

/// A number as C writes it; nothing if the text is not one.
std::optional<std::uint64_t> number(std::string text) {
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (hexadecimal) text = text.substr(2);
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value, hexadecimal ? 16 : 10);
  if (text.empty() || error != std::errc() || rest != end) return std::nullopt;
  return value;
}

/// Puts the bits of `value` where a PMU's format says: "config:0-7,32-35".
bool place(const std::string& format, std::uint64_t value, CounterEvent& event) {
  const std::size_t colon = format.find(':');
  const std::string field = format.substr(0, colon);
  std::uint64_t* const config = field == "config"    ? &event.config
                                : field == "config1" ? &event.config1
                                : field == "config2" ? &event.config2
                                                     : nullptr;
  if (config == nullptr) return false;
  if (colon == format.npos) return *config |= value, true;
  for (const std::string& range : split(format.substr(colon + 1), ',')) {
    const auto ends = split(range, '-');
    const auto low = number(ends.front()), high = number(ends.back());
    if (!low || !high || *high < *low || *high > 63) return false;
    for (std::uint64_t bit = *low; bit <= *high; ++bit, value >>= 1) {
      *config |= (value & 1) << bit;
    }
  }
  return value == 0;
}

CounterEvent pmu_event(const std::string& name, const fs::path& devices) {
  const auto parts = split(name, '/');
  const fs::path pmu = devices / parts.at(0);
  const auto type = number(first_line(pmu / "type"));
  if (parts.size() < 2 || parts[0].empty() || parts[0].find("..") != name.npos || !type) {
    throw Error(name, fmt::format("this processor has no PMU \"{}\"", parts.at(0)), kRemedy);
  }
  if (!first_line(pmu / "cpumask").empty()) {
    throw Error(name, "this PMU counts for a whole package, not for a thread",
                "choose an event of the cores");
  }
  CounterEvent event{name, static_cast<std::uint32_t>(*type)};
  std::string terms = parts[1];
  if (terms.find("..") == terms.npos && !terms.empty() && fs::exists(pmu / "events" / terms)) {
    terms = first_line(pmu / "events" / terms);
  }
  for (const std::string& term : split(terms, ',')) {
    const std::size_t equals = term.find('=');
    const std::string key = term.substr(0, equals);
    const auto value =
        equals == term.npos ? std::optional<std::uint64_t>(1) : number(term.substr(equals + 1));
    const std::string format = key == "config" || key == "config1" || key == "config2"
                                   ? key
                                   : first_line(pmu / "format" / fs::path(key).filename());
    if (!value || format.empty() || !place(format, *value, event)) {
      throw Error(name, fmt::format("the PMU \"{}\" has no event or term \"{}\"", parts[0], term),
                  kRemedy);
    }
  }
  return event;
}

int open_event(const CounterEvent& event, bool user_only) {
  perf_event_attr wanted{};
  wanted.size = sizeof wanted;
  wanted.type = event.type;
  wanted.config = event.config;
  wanted.config1 = event.config1;
  wanted.config2 = event.config2;
  wanted.disabled = 1;
  wanted.exclude_kernel = user_only ? 1 : 0;
  const long fd = ::syscall(SYS_perf_event_open, &wanted, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (fd < 0) return errno;
  ::close(static_cast<int>(fd));
  return 0;
}

bool counts_only_in_kernel(const CounterEvent& event) {
  return event.type == PERF_TYPE_SOFTWARE && (event.config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
                                              event.config == PERF_COUNT_SW_CPU_MIGRATIONS);
}

}  // namespace

std::vector<KnownEvent> known_events() {
  constexpr std::uint32_t software = PERF_TYPE_SOFTWARE, hardware = PERF_TYPE_HARDWARE,
                          caches = PERF_TYPE_HW_CACHE;
  constexpr std::uint64_t data = PERF_COUNT_HW_CACHE_L1D, last = PERF_COUNT_HW_CACHE_LL,
                          pages = PERF_COUNT_HW_CACHE_DTLB, node = PERF_COUNT_HW_CACHE_NODE;
  constexpr std::uint64_t read = PERF_COUNT_HW_CACHE_OP_READ, write = PERF_COUNT_HW_CACHE_OP_WRITE;
  constexpr std::uint64_t access = PERF_COUNT_HW_CACHE_RESULT_ACCESS,
                          miss = PERF_COUNT_HW_CACHE_RESULT_MISS;
  return {
      {{"task-clock", software, PERF_COUNT_SW_TASK_CLOCK}, "CPU time, ns"},
      {{"page-faults", software, PERF_COUNT_SW_PAGE_FAULTS}, "page faults"},
      {{"minor-faults", software, PERF_COUNT_SW_PAGE_FAULTS_MIN},
       "page faults without disk access"},
      {{"major-faults", software, PERF_COUNT_SW_PAGE_FAULTS_MAJ}, "page faults with disk access"},
      {{"context-switches", software, PERF_COUNT_SW_CONTEXT_SWITCHES}, "context switches"},
      {{"cpu-migrations", software, PERF_COUNT_SW_CPU_MIGRATIONS}, "changes of the CPU"},
      {{"alignment-faults", software, PERF_COUNT_SW_ALIGNMENT_FAULTS}, "unaligned accesses"},
      {{"emulation-faults", software, PERF_COUNT_SW_EMULATION_FAULTS}, "emulated instructions"},
      {{"cycles", hardware, PERF_COUNT_HW_CPU_CYCLES}, "cycles of the core", true},
      {{"instructions", hardware, PERF_COUNT_HW_INSTRUCTIONS}, "instructions", true},
      {{"ref-cycles", hardware, PERF_COUNT_HW_REF_CPU_CYCLES}, "cycles at constant rate", true},
      {{"branches", hardware, PERF_COUNT_HW_BRANCH_INSTRUCTIONS}, "branches", true},
      {{"branch-misses", hardware, PERF_COUNT_HW_BRANCH_MISSES}, "mispredicted branches", true},
      {{"cache-references", hardware, PERF_COUNT_HW_CACHE_REFERENCES}, "last-level accesses", true},
      {{"cache-misses", hardware, PERF_COUNT_HW_CACHE_MISSES}, "last-level misses", true},
      {{"stalled-cycles-frontend", hardware, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
       "cycles without new instructions",
       true},
      {{"stalled-cycles-backend", hardware, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
       "cycles in which instructions wait",
       true},
      {{"bus-cycles", hardware, PERF_COUNT_HW_BUS_CYCLES}, "cycles of the bus", true},
      {{"L1-dcache-loads", caches, cache(data, read, access)}, "loads", true},
      {{"L1-dcache-load-misses", caches, cache(data, read, miss)}, "loads that miss L1", true},
      {{"L1-dcache-stores", caches, cache(data, write, access)}, "stores", true},
      {{"LLC-loads", caches, cache(last, read, access)}, "loads from the last level", true},
      {{"LLC-load-misses", caches, cache(last, read, miss)}, "loads that miss all caches", true},
      {{"LLC-stores", caches, cache(last, write, access)}, "stores to the last level", true},
      {{"LLC-store-misses", caches, cache(last, write, miss)}, "stores that miss all caches", true},
      {{"dTLB-load-misses", caches, cache(pages, read, miss)}, "loads that miss the TLB", true},
      {{"node-loads", caches, cache(node, read, access)}, "loads from memory", true},
      {{"node-load-misses", caches, cache(node, read, miss)}, "loads from another node", true},
  };
}

std::vector<std::string> sysfs_events(const fs::path& devices) {
  std::vector<std::string> names;
  std::error_code none;
  for (fs::directory_iterator pmu(devices, none), end; !none && pmu != end; pmu.increment(none)) {
    if (!first_line(pmu->path() / "cpumask").empty()) continue;
    std::error_code without;
    for (fs::directory_iterator at(pmu->path() / "events", without); !without && at != end;
         at.increment(without)) {
      const std::string event = at->path().filename().string();
      if (event.find('.') != event.npos) continue;  // unit and scale of another
      names.push_back(fmt::format("{}/{}/", pmu->path().filename().string(), event));
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

CounterEvent find_event(const std::string& name, const fs::path& devices) {
  for (const KnownEvent& known : known_events()) {
    if (known.event.name == name) return known.event;
  }
  if (name.find('/') != name.npos) return pmu_event(name, devices);
  if (name.size() > 1 && name[0] == 'r') {
    if (const auto raw = number("0x" + name.substr(1))) return {name, PERF_TYPE_RAW, *raw};
  }
  throw Error(fmt::format("--counters {}", name), "unknown event", kRemedy);
}

std::vector<std::string> split_event_names(const std::string& list) {
  std::vector<std::string> names(1);
  bool in_pmu = false;
  for (const char c : list) {
    if (c == '/') in_pmu = !in_pmu;
    if (c == ',' && !in_pmu) {
      names.emplace_back();
    } else {
      names.back() += c;
    }
  }
  std::erase(names, "");
  return names;
}

std::vector<CounterEvent> find_events(const std::vector<std::string>& names) {
  std::vector<CounterEvent> events;
  for (const std::string& name : names) {
    const CounterEvent event = find_event(name);
    if (std::find(events.begin(), events.end(), event) == events.end()) events.push_back(event);
  }
  if (events.size() > PLAIT_MOST_COUNTERS) {
    throw Error("--counters", fmt::format("{} events are too many", events.size()),
                fmt::format("choose at most {}", PLAIT_MOST_COUNTERS));
  }
  return events;
}

int try_event(const CounterEvent& event) {
  const int error = open_event(event, false);
  const bool forbidden = error == EACCES || error == EPERM;
  return forbidden && !counts_only_in_kernel(event) ? open_event(event, true) : error;
}

std::string event_problem(const CounterEvent& event, int error) {
  const bool hardware = event.type != PERF_TYPE_SOFTWARE;
  switch (error) {
    case EACCES:
    case EPERM:
      return "the kernel forbids it; an administrator can allow it with sysctl "
             "kernel.perf_event_paranoid=1";
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
      return hardware ? "this processor does not count it (virtual machines often have no hardware "
                        "counters)"
                      : "this kernel does not count it";
    case ENOSYS:
      return "this kernel has no perf_event_open";
    case EMFILE:
      return "too many open files; raise ulimit -n, or choose fewer counters";
    default:
      return std::strerror(error);
  }
}

std::vector<std::string> uncountable_events(const std::vector<CounterEvent>& events) {
  std::vector<std::string> problems;
  for (const CounterEvent& event : events) {
    const int error = try_event(event);
    if (error != 0) {
      problems.push_back(fmt::format("{}: {}", event.name, event_problem(event, error)));
    }
  }
  return problems;
}

std::string counters_variable(const std::vector<CounterEvent>& events) {
  std::string text;
  for (const CounterEvent& event : events) {
    if (!text.empty()) text += ';';
    text += fmt::format("{}:{}:{}:{}:{}", event.type, event.config, event.config1, event.config2,
                        event.name);
  }
  return text;
}

std::string event_list_text() {
  Table table({text_column("event"), text_column("here"), text_column("counts")},
              {0, false, kTerminalColumns});
  for (const KnownEvent& known : known_events()) {
    table.add({known.event.name, try_event(known.event) == 0 ? "yes" : "no", known.meaning});
  }
  for (const std::string& name : sysfs_events()) {
    int error = ENOENT;
    try {
      error = try_event(find_event(name));
    } catch (const Error&) {
      continue;  // needs a value from the user
    }
    table.add({name, error == 0 ? "yes" : "no", ""});
  }
  table.add({"rNNN", "", "raw event of the processor, hexadecimal"});
  table.add({"PMU/TERM=VALUE,.../", "", "as in /sys/bus/event_source/devices/PMU/format"});
  return table.text();
}

}  // namespace plait::run
