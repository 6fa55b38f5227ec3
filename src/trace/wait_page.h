/* SPDX-License-Identifier: BSD-3-Clause */
/* The page on which the ranks of a node tell each other how they wait, and what became of it.
 *
 * One file per node in the folder of the records, mapped by all of its ranks: a header, a line for
 * each CPU, and an entry for each process. Members that several processes use are accessed with
 * atomic built-ins. */
#ifndef PLAIT_WAIT_PAGE_H
#define PLAIT_WAIT_PAGE_H

#include <stdint.h>

#define PLAIT_WAIT_MAGIC 0x74696157u /* "Wait" */
#define PLAIT_WAIT_VERSION 1
#define PLAIT_WAIT_PROCESSES 512 /* entries; a further process decides for itself */
#define PLAIT_WAIT_CPU_SETS 16   /* of 64 CPUs */

/* Behind the boot of the node: the name of the file. */
#define PLAIT_WAIT_SUFFIX ".wait"

enum plait_wait_policy {
  PLAIT_WAIT_NONE = 0,
  PLAIT_WAIT_SPIN = 1,
  PLAIT_WAIT_PAUSE = 2,
  PLAIT_WAIT_YIELD = 3,
  PLAIT_WAIT_SLEEP = 4,
  PLAIT_WAIT_AUTOMATIC = 5
};

/* One process; only its threads write it. */
struct plait_wait_process {
  uint64_t cpus[PLAIT_WAIT_CPU_SETS]; /* where it may run */
  int32_t pid;
  uint32_t ready;                  /* the entry is complete */
  uint64_t polls;                  /* polls that found nothing, and handed the CPU to this object */
  uint64_t pauses, yields, sleeps; /* what it did then */
  uint64_t slept_ns;
  uint64_t disturbances; /* times that it noticed other programs on its CPUs */
  uint64_t reserved[9];
} __attribute__((aligned(64)));

struct plait_wait_page {
  uint32_t magic;
  uint32_t version;
  uint32_t policy;    /* enum plait_wait_policy */
  uint32_t processes; /* entries in use; may exceed PLAIT_WAIT_PROCESSES */
  char host[64];
  /* While CLOCK_MONOTONIC is below this, other programs are assumed on the CPUs. */
  uint64_t disturbed_until_ns;
  /* When the CPU time of all processes was added up last, and the sum; see wait.cpp. */
  uint64_t summed_at_ns, sum_ns;
  uint64_t reserved[3];
  struct plait_wait_process process[PLAIT_WAIT_PROCESSES];
};

#endif /* PLAIT_WAIT_PAGE_H */
