// SPDX-License-Identifier: BSD-3-Clause
// The command line of plait-queues.
#include "options.hpp"

#include <fmt/format.h>
#include <getopt.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "plait/error.hpp"

namespace plait::queues {
namespace {

constexpr uint32_t kMostProcesses = 256;
constexpr std::array<const char*, 4> kWaits = {"automatic", "spin", "yield", "sleep"};

std::string help() {
  std::string text =
      "Measure the queues between the processes of a node: latency, message rate,\n"
      "bandwidth, the cost of a poll, and memory. No MPI is needed.\n"
      "\n"
      "Usage: plait-queues [OPTIONS]\n"
      "\n"
      "  --design NAMES     Queue designs, with commas, or all (default: all):\n";
  for (const transport::Design& design : transport::designs())
    text += fmt::format("                       {:<12}{}\n", design.name, design.summary);
  return text +
         "  --processes LIST   Numbers of processes, from 2 to 256, with commas (default: 2)\n"
         "  --bytes N          Size of the messages for the bandwidth (default: 1048576)\n"
         "  --time SECONDS     Time per measurement (default: 0.1)\n"
         "  --wait NAME        How a process waits: spin, yield, sleep, or automatic: first\n"
         "                     one, then the other (default: automatic)\n"
         "  --json             Print the results as JSON (docs/schemas/queues-1.schema.json)\n"
         "  --output FILE      Write the JSON to a file\n"
         "  --help, --version\n";
}

/// The parts of a text between commas.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char letter : text) {
    if (letter == ',') {
      parts.emplace_back();
    } else {
      parts.back() += letter;
    }
  }
  return parts;
}

template <class Number>
Number number_of(const std::string& option, const std::string& text, Number least, Number most) {
  Number number{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{} && stop == text.data() + text.size() && number >= least &&
      number <= most)
    return number;
  throw Error(option + " " + text, "invalid value",
              fmt::format("use a number from {} to {}", least, most));
}

std::vector<const transport::Design*> designs_of(const std::string& names) {
  std::vector<const transport::Design*> designs;
  if (names == "all") {
    for (const transport::Design& design : transport::designs()) designs.push_back(&design);
    return designs;
  }
  for (const std::string& name : parts_of(names)) designs.push_back(&transport::design_of(name));
  return designs;
}

std::vector<uint32_t> processes_of(const std::string& list) {
  std::vector<uint32_t> processes;
  for (const std::string& one : parts_of(list))
    processes.push_back(number_of<uint32_t>("--processes", one, 2, kMostProcesses));
  return processes;
}

Wait wait_of(const std::string& name) {
  const auto* const at = std::ranges::find(kWaits, name);
  if (at != kWaits.end()) return static_cast<Wait>(at - kWaits.begin());
  throw Error("--wait " + name, "unknown", "use automatic, spin, yield or sleep");
}

}  // namespace

std::string to_string(Wait wait) {
  return kWaits.at(static_cast<std::size_t>(wait));
}

Options read_options(int argc, char** argv) {
  enum Option { kDesign = 1000, kProcesses, kBytes, kTime, kWait, kJson, kOutput, kHelp, kVersion };
  static const option known[] = {{"design", required_argument, nullptr, kDesign},
                                 {"processes", required_argument, nullptr, kProcesses},
                                 {"bytes", required_argument, nullptr, kBytes},
                                 {"time", required_argument, nullptr, kTime},
                                 {"wait", required_argument, nullptr, kWait},
                                 {"json", no_argument, nullptr, kJson},
                                 {"output", required_argument, nullptr, kOutput},
                                 {"help", no_argument, nullptr, kHelp},
                                 {"version", no_argument, nullptr, kVersion},
                                 {nullptr, 0, nullptr, 0}};
  Options options;
  options.designs = designs_of("all");
  opterr = 0;
  for (;;) {
    const int at = optind;
    switch (getopt_long(argc, argv, ":", known, nullptr)) {
      case kDesign:
        options.designs = designs_of(optarg);
        break;
      case kProcesses:
        options.processes = processes_of(optarg);
        break;
      case kBytes:
        options.bytes = number_of<uint64_t>("--bytes", optarg, 1, uint64_t{1} << 30);
        break;
      case kTime:
        options.seconds = number_of<double>("--time", optarg, 0.001, 60);
        break;
      case kWait:
        options.wait = wait_of(optarg);
        break;
      case kJson:
        options.json = true;
        break;
      case kOutput:
        options.output = optarg;
        break;
      case kHelp:
        options.answer = help();
        return options;
      case kVersion:
        options.answer = "plait-queues " PLAIT_VERSION "\n";
        return options;
      case ':':
        throw Error(argv[at], "value missing", "see plait-queues --help");
      case -1:
        if (optind == argc) return options;
        throw Error(argv[optind], "unknown argument", "see plait-queues --help");
      default:
        throw Error(argv[at], "unknown option", "see plait-queues --help");
    }
  }
}

uint32_t cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<uint32_t>(CPU_COUNT(&set)) : 1;
}

transport::WaitPolicy policy_of(Wait wait, uint32_t processes) {
  switch (wait) {
    case Wait::spin:
      return transport::WaitPolicy::spin();
    case Wait::yield:
      return transport::WaitPolicy::yield();
    case Wait::sleep:
      return transport::WaitPolicy::sleep();
    case Wait::automatic:
      break;
  }
  return transport::WaitPolicy::automatic(processes, cpus());
}

}  // namespace plait::queues
