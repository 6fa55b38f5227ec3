// SPDX-License-Identifier: BSD-3-Clause
// A hybrid program that uses all kinds of OpenMP constructs, checks its own results, and runs known
// numbers of regions: `constructs <part>`. Each part prints one line that its test knows.
#include <mpi.h>
#include <omp.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <vector>

#ifdef __clang__
constexpr bool aligns_tasks = false;  // LLVM 14 does not align what its tasks copy
#else
constexpr bool aligns_tasks = true;
#endif

namespace {

int failures = 0;

void expect(bool right, const char* what) {
  if (!right) {
    ++failures;
    std::fprintf(stderr, "constructs: wrong: %s\n", what);
  }
}

volatile double sink;
void work(long steps) {
  double sum = 0;
  for (long i = 1; i <= steps; ++i) sum += 1.0 / static_cast<double>(i);
  sink = sum;
}

// 7 regions of two threads, 3 of one.
void regions() {
  std::atomic<int> bodies{0};
  for (int i = 0; i < 7; ++i) {
#pragma omp parallel num_threads(2)
    bodies.fetch_add(1);
  }
  for (int i = 0; i < 3; ++i) {
#pragma omp parallel num_threads(1)
    bodies.fetch_add(100);
  }
  expect(bodies == 7 * 2 + 300, "number of bodies");
}

// 20 regions in which thread 1 has all the work, and thread 0 waits at a barrier and at the end.
void imbalance() {
  for (int i = 0; i < 20; ++i) {
#pragma omp parallel num_threads(2)
    {
      if (omp_get_thread_num() == 1) work(4000000);
#pragma omp barrier
      if (omp_get_thread_num() == 1) work(4000000);
    }
  }
}

// Loops of all schedules (the first six have entry points of their own in libgomp), 2 threads.
void loops() {
  long sum = 0;
  constexpr long n = 1000, right = n * (n - 1) / 2;
  auto check = [&](const char* what) {
    expect(sum == right, what);
    sum = 0;
  };
#pragma omp parallel for num_threads(2) reduction(+ : sum) schedule(static)
  for (long i = 0; i < n; ++i) sum += i;
  check("static");
#pragma omp parallel for num_threads(2) reduction(+ : sum) schedule(dynamic, 7)
  for (long i = 0; i < n; ++i) sum += i;
  check("dynamic");
#pragma omp parallel for num_threads(2) reduction(+ : sum) schedule(guided)
  for (long i = 0; i < n; ++i) sum += i;
  check("guided");
#pragma omp parallel for num_threads(2) reduction(+ : sum) schedule(runtime)
  for (long i = 0; i < n; ++i) sum += i;
  check("runtime");
#pragma omp parallel for num_threads(2) reduction(+ : sum) schedule(monotonic : dynamic, 3)
  for (long i = 0; i < n; ++i) sum += i;
  check("monotonic dynamic");
#pragma omp parallel for num_threads(2) reduction(+ : sum) schedule(nonmonotonic : guided, 3)
  for (long i = 0; i < n; ++i) sum += i;
  check("nonmonotonic guided");
  std::vector<long> order;
#pragma omp parallel for num_threads(2) ordered schedule(dynamic, 1)
  for (long i = 0; i < 50; ++i) {
#pragma omp ordered
    order.push_back(i);
  }
  std::vector<long> ascending(50);
  std::iota(ascending.begin(), ascending.end(), 0);
  expect(order == ascending, "ordered");
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
#pragma omp for schedule(dynamic, 5)
    for (long i = 0; i < n; ++i) sum += i;
#pragma omp for schedule(static)
    for (long i = 0; i < n; ++i) sum += i;
  }
  sum /= 2;
  check("two loops in one region");
#pragma omp parallel sections num_threads(2) reduction(+ : sum)
  {
#pragma omp section
    sum += right - 1;
#pragma omp section
    sum += 1;
  }
  check("sections");
}

void exclusion() {
  omp_lock_t lock;
  omp_nest_lock_t nest;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
  long counted[4] = {};
  int copied[2] = {};
#pragma omp parallel num_threads(2)
  {
    for (int i = 0; i < 1000; ++i) {
#pragma omp critical
      ++counted[0];
#pragma omp critical(named)
      ++counted[1];
      omp_set_lock(&lock);
      ++counted[2];
      omp_unset_lock(&lock);
      omp_set_nest_lock(&nest);
      omp_set_nest_lock(&nest);
      ++counted[3];
      omp_unset_nest_lock(&nest);
      omp_unset_nest_lock(&nest);
    }
    int value = 0;
#pragma omp single copyprivate(value)
    value = 42;
    copied[omp_get_thread_num()] = value;
  }
  for (const long count : counted) expect(count == 2000, "mutual exclusion");
  expect(copied[0] == 42 && copied[1] == 42, "copyprivate");
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest);
}

// An argument that must be copied by its constructor, and one with a large alignment.
struct Tracked {
  explicit Tracked(int v) : value(v), self(this) {}
  Tracked(const Tracked& other) : value(other.value), self(this) {}
  ~Tracked() { self = nullptr; }
  int value;
  Tracked* self;
};
struct alignas(128) Wide {
  double values[16];
};

// The work is in tasks that run while their threads wait at the end of the region. Prints the
// time that the tasks' bodies took.
void tasks() {
  std::atomic<long> total{0};
  std::atomic<long> microseconds{0};
#pragma omp parallel num_threads(2)
  {
#pragma omp single nowait
    for (int i = 0; i < 30; ++i) {
#pragma omp task firstprivate(i)
      {
        const double begin = omp_get_wtime();
        work(2000000);
        total += i;
        microseconds += static_cast<long>((omp_get_wtime() - begin) * 1e6);
      }
    }
  }
  expect(total == 435, "tasks");
  std::printf("tasks took %ld us\n", microseconds.load());
}

void task_kinds() {
  std::atomic<long> total{0};
  const Tracked tracked(5);
  Wide wide{};
  for (int i = 0; i < 16; ++i) wide.values[i] = i;
  const long length = 1000 + omp_get_max_threads() % 2;
  long chain = 1, reduced = 0, looped = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    for (int i = 0; i < 20; ++i) {
#pragma omp task firstprivate(tracked)
      total += tracked.self == &tracked && tracked.value == 5 ? 1 : 1000;
#pragma omp task firstprivate(wide)
      {
        const bool aligned = !aligns_tasks || reinterpret_cast<std::uintptr_t>(&wide) % 128 == 0;
        total += aligned && wide.values[15] == 15.0 ? 1 : 1000;
      }
#pragma omp task if (i % 2 == 0) firstprivate(tracked, i)
      total += tracked.value == 5 ? 1 : 1000;
#pragma omp task final(i > 10)
      {
#pragma omp task
        total += 1;
#pragma omp taskwait
        total += 1;
      }
    }
#pragma omp taskwait
    expect(total == 100, "kinds of tasks");
    for (int i = 0; i < 10; ++i) {
#pragma omp task depend(inout : chain)
      chain = chain * 2 + i % 2;
    }
#pragma omp taskwait depend(in : chain)
    expect(chain == 1365, "dependent tasks");
#pragma omp taskgroup task_reduction(+ : reduced)
    for (int i = 0; i < 100; ++i) {
#pragma omp task in_reduction(+ : reduced)
      reduced += i;
    }
    expect(reduced == 4950, "reduction over tasks");
#pragma omp taskloop grainsize(7) reduction(+ : looped) firstprivate(tracked)
    for (long i = 0; i < length; ++i) looped += tracked.value - 4;
    expect(looped == length, "taskloop");
    std::vector<int> hit(500, 0);
#pragma omp taskloop num_tasks(9) nogroup shared(hit)
    for (std::size_t i = 0; i < hit.size(); ++i) hit[i] = 1;
#pragma omp taskwait
    expect(std::accumulate(hit.begin(), hit.end(), 0) == 500, "taskloop without group");
    omp_event_handle_t event;
    int detached = 0;
#pragma omp task detach(event) shared(detached)
    {
      detached = 1;
      omp_fulfill_event(event);
    }
#pragma omp taskwait
    expect(detached == 1, "detached task");
  }
}

// 4 outer regions of 2 threads, 8 inner ones (2 threads each where nesting is on).
void nested() {
  std::atomic<int> bodies{0};
  omp_set_max_active_levels(2);
  for (int i = 0; i < 4; ++i) {
#pragma omp parallel num_threads(2)
    {
#pragma omp parallel num_threads(2)
      bodies += omp_get_num_threads() == 2 && omp_get_level() == 2 ? 1 : 100;
    }
  }
  expect(bodies == 16, "nested bodies");
}

void cancelled() {
  std::atomic<int> done{0};
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < 100000; ++i) {
      ++done;
#pragma omp cancel for
    }
  }
  expect(omp_get_cancellation() ? done < 100000 : done == 100000, "cancellation");
}

// 5 regions, then an end that leaves no time to write anything.
void killed() {
  int rank = 0;
  for (int i = 0; i < 5; ++i) {
#pragma omp parallel num_threads(2)
    work(100000);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) std::raise(SIGKILL);
}

struct Part {
  const char* name;
  void (*run)();
};
constexpr Part parts[] = {
    {"regions", regions},     {"imbalance", imbalance}, {"loops", loops},
    {"exclusion", exclusion}, {"tasks", tasks},         {"task_kinds", task_kinds},
    {"nested", nested},       {"cancelled", cancelled}, {"killed", killed}};

}  // namespace

int main(int argc, char** argv) {
  int provided = 0, rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  bool known = false;
  for (const Part& part : parts) {
    if (argc == 2 && std::strcmp(argv[1], part.name) == 0) {
      known = true;
      part.run();
    }
  }
  expect(known, "name of the part");
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0 && failures == 0) std::puts("constructs: all right");
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}
