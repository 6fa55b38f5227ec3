// SPDX-License-Identifier: BSD-3-Clause
// Measures the cost of OpenMP constructs with a given runtime. It is linked to no OpenMP runtime:
// libgomp, libomp and libiomp5 all have the functions that GCC calls for OpenMP.
//
//   plait-openmp-probe LIBRARY THREADS SECONDS WIDTH
//
// prints a line for each construct: its name, the number of disturbed samples, and the samples in
// microseconds.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <vector>

#include "measure/affinity.hpp"
#include "measure/clock.hpp"
#include "measure/rounds.hpp"
#include "measure/sizes.hpp"

namespace plait::measure {
namespace {

/// The functions that GCC calls for OpenMP constructs (libgomp's manual, "The libgomp ABI").
struct Runtime {
  void (*parallel)(void (*body)(void*), void* data, unsigned threads, unsigned flags) = nullptr;
  void (*barrier)() = nullptr;
  void (*task)(void (*body)(void*), void* data, void (*copy)(void*, void*), long size, long align,
               bool deferred, unsigned flags, void** dependences, int priority) = nullptr;
  void (*taskwait)() = nullptr;
  int (*thread_num)() = nullptr;
  int (*num_threads)() = nullptr;
};

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (function == nullptr) std::fprintf(stderr, "the library has no function %s\n", name);
  return function != nullptr;
}

bool open(const char* path, Runtime& runtime) {
  void* const library = ::dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", ::dlerror());
    return false;
  }
  return find(library, "GOMP_parallel", runtime.parallel) &&
         find(library, "GOMP_barrier", runtime.barrier) &&
         find(library, "GOMP_task", runtime.task) &&
         find(library, "GOMP_taskwait", runtime.taskwait) &&
         find(library, "omp_get_thread_num", runtime.thread_num) &&
         find(library, "omp_get_num_threads", runtime.num_threads);
}

class Probe {
public:
  Probe(const Runtime& runtime, unsigned threads)
      : runtime_(runtime), threads_(threads), delays_(threads) {}

  /// Runs `body` on each thread of a team.
  void region(const std::function<void()>& body) {
    runtime_.parallel([](void* data) { (*static_cast<const std::function<void()>*>(data))(); },
                      const_cast<void*>(static_cast<const void*>(&body)), threads_, 0);
  }

  /// The number of threads that a region gets.
  int team_size() {
    int size = 0;
    region([&] {
      if (runtime_.thread_num() == 0) size = runtime_.num_threads();
    });
    return size;
  }

  void regions(int count) {
    for (int i = 0; i < count; ++i) region([] {});
  }

  void barriers(int count) {
    region([&] {
      for (int i = 0; i < count; ++i) runtime_.barrier();
    });
  }

  /// One thread creates the tasks, all run them.
  void tasks(int count) {
    region([&] {
      if (runtime_.thread_num() != 0) return;
      for (int i = 0; i < count; ++i) {
        runtime_.task([](void*) {}, nullptr, nullptr, 0, 1, true, 0, nullptr, 0);
      }
      runtime_.taskwait();
    });
  }

  /// The time of one of `count` constructs, and the largest fraction of it that a thread waited for
  /// a CPU.
  Sample time(void (Probe::*constructs)(int), int count) {
    read_delays(-1);
    const std::int64_t begin = now_ns();
    (this->*constructs)(count);
    const auto taken = static_cast<double>(now_ns() - begin);
    read_delays(1);
    double most = 0;
    for (const Delay& delay : delays_) most = std::max(most, static_cast<double>(delay.ns));
    return {taken * 1e-3 / count, most / taken};
  }

private:
  struct alignas(64) Delay {
    std::int64_t ns = 0;
  };

  void read_delays(int sign) {
    region([&] {
      std::int64_t& ns = delays_[static_cast<std::size_t>(runtime_.thread_num())].ns;
      ns = sign < 0 ? -run_delay_ns() : ns + run_delay_ns();
    });
  }

  const Runtime& runtime_;
  const unsigned threads_;
  std::vector<Delay> delays_;
};

struct Construct {
  const char* name;
  void (Probe::*run)(int);
};

constexpr std::array<Construct, 3> kConstructs{
    {{"region", &Probe::regions}, {"barrier", &Probe::barriers}, {"task", &Probe::tasks}}};
/// Long compared with the region that contains the barriers and tasks of a sample.
constexpr double kConstructSeconds = 1e-3;

void print(const char* name, int disturbed, const std::vector<double>& samples) {
  std::printf("%s %d", name, disturbed);
  for (const double us : samples) std::printf(" %.6g", us);
  std::printf("\n");
}

int measure(const char* library, unsigned threads, double seconds, double width) {
  Runtime runtime;
  if (!open(library, runtime)) return EXIT_FAILURE;
  Probe probe(runtime, threads);
  // The first region starts the threads.
  const std::int64_t begin = now_ns();
  probe.regions(1);
  const auto start_ns = static_cast<double>(now_ns() - begin);
  print("start", 0, {start_ns * 1e-3});
  const int team = probe.team_size();
  if (team != static_cast<int>(threads)) {
    std::fprintf(stderr, "a region has %d threads instead of %u\n", team, threads);
    return EXIT_FAILURE;
  }
  std::array<int, kConstructs.size()> counts{};
  for (std::size_t i = 0; i < kConstructs.size(); ++i) {
    const Sample once = probe.time(kConstructs[i].run, kWarmUp);
    counts[i] = repetitions_for(once.value * 1e-6, kConstructSeconds);
  }
  std::mt19937 random(kSeed);
  const RoundsResult result =
      sample_in_rounds(kConstructs.size(), {seconds, width, 100}, random,
                       [&](std::size_t i) { return probe.time(kConstructs[i].run, counts[i]); });
  for (std::size_t i = 0; i < kConstructs.size(); ++i) {
    print(kConstructs[i].name, result.disturbed[i], result.samples[i]);
  }
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace plait::measure

int main(int argc, char** argv) {
  const long threads = argc == 5 ? std::strtol(argv[2], nullptr, 10) : 0;
  if (threads < 1 || threads > 1 << 16) {
    std::fprintf(stderr, "usage: plait-openmp-probe LIBRARY THREADS SECONDS WIDTH\n");
    return EXIT_FAILURE;
  }
  return plait::measure::measure(argv[1], static_cast<unsigned>(threads),
                                 std::strtod(argv[3], nullptr), std::strtod(argv[4], nullptr));
}
