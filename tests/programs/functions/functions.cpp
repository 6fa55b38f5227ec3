// SPDX-License-Identifier: BSD-3-Clause
// A program whose functions are called a known number of times: by threads, recursively, and left
// by exceptions, jumps, forks, signals and exit().
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

namespace mesh {

volatile double sink;

template <class T>
__attribute__((noinline)) T element(T x) {
  for (int i = 0; i < 100; ++i) sink = sink + x;
  return x + 1;
}

class Mesh {
public:
  __attribute__((noinline)) void assemble(int elements);
  [[nodiscard]] __attribute__((noinline)) int size() const { return 4; }
};

void Mesh::assemble(int elements) {
  for (int i = 0; i < elements; ++i) sink = element<double>(size());
}

}  // namespace mesh

__attribute__((noinline)) int recursive(int depth) {
  return depth == 0 ? 0 : 1 + recursive(depth - 1);
}

__attribute__((noinline)) void throws(int depth) {
  if (depth == 0) throw 1;
  throws(depth - 1);
}

__attribute__((noinline)) void catches() {
  try {
    throws(2);
  } catch (int) {
    mesh::sink = 0;
  }
}

jmp_buf place;

__attribute__((noinline)) void jumps(int depth) {
  if (depth == 0) longjmp(place, 1);
  jumps(depth - 1);
}

__attribute__((noinline)) void after_jump() {
  mesh::sink = 1;
}

__attribute__((noinline)) void is_jumped_to() {
  if (setjmp(place) == 0) jumps(3);
  after_jump();
}

__attribute__((noinline)) void tiny() {
  __asm__ volatile("");
}

__attribute__((noinline)) void on_thread() {
  mesh::sink = 2;
}

void* thread_main(void*) {
  on_thread();
  return nullptr;
}

__attribute__((noinline)) void leaves_thread() {
  pthread_exit(nullptr);
}

void* leaving_thread(void*) {
  leaves_thread();
  return nullptr;
}

__attribute__((noinline)) void around_fork() {
  mesh::sink = 3;
}

__attribute__((noinline)) void in_handler(int) {
  mesh::sink = 4;
}

__attribute__((noinline)) void in_team() {
  mesh::sink = 5;
}

__attribute__((noinline)) void exits() {
  exit(0);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  mesh::Mesh mesh;
  for (int i = 0; i < 3 * (rank + 1); ++i) mesh.assemble(10);
  recursive(5000);
  catches();
  for (int i = 0; i < 2; ++i) is_jumped_to();
  for (int i = 0; i < 3'000'000; ++i) tiny();
  for (int i = 0; i < 40; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, nullptr, i % 4 == 0 ? leaving_thread : thread_main, nullptr))
      abort();
    pthread_join(thread, nullptr);
  }
#pragma omp parallel num_threads(2)
  in_team();
  around_fork();
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 5; ++i) around_fork();
    _exit(0);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) abort();
  signal(SIGUSR1, in_handler);
  for (int i = 0; i < 10; ++i) raise(SIGUSR1);
  MPI_Finalize();
  exits();
}
