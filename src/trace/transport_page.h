/* SPDX-License-Identifier: BSD-3-Clause */
/* The page on which the ranks of a job on a node agree on Plait's transport, and say what became of
 * it.
 *
 * One file per job and node in the folder of the records, mapped by all of its ranks: a header and
 * an entry for each process. Members that several processes use are accessed with atomic
 * built-ins. */
#ifndef PLAIT_TRANSPORT_PAGE_H
#define PLAIT_TRANSPORT_PAGE_H

#include <stdint.h>

#define PLAIT_TRANSPORT_MAGIC 0x6e617254u /* "Tran" */
#define PLAIT_TRANSPORT_VERSION 2
#define PLAIT_TRANSPORT_PROCESSES 1024
#define PLAIT_TRANSPORT_CPU_SETS 16 /* of 64 CPUs */

/* Behind the boot of the node and the job: the name of the file. */
#define PLAIT_TRANSPORT_SUFFIX ".transport"

enum plait_transport_state {
  PLAIT_TRANSPORT_BEGUN = 0,   /* the first process creates the memory */
  PLAIT_TRANSPORT_OPEN = 1,    /* `address` is valid; processes enter */
  PLAIT_TRANSPORT_FORMED = 2,  /* all have entered: it is offered to the MPI library */
  PLAIT_TRANSPORT_REFUSED = 3, /* it is not, for `reason` */
  PLAIT_TRANSPORT_REFUSING = 4 /* `reason` is being written */
};

/* What the provider must know of the MPI library, as bits. */
enum plait_transport_habit {
  PLAIT_TRANSPORT_OWN_PATH = 1, /* a rank's messages to itself go another way */
  /* Open MPI 4: receives of messages that a probe has matched do not tell synchronous sends. */
  PLAIT_TRANSPORT_FORGETS_SENDERS = 2
};

/* One process; only its threads write it. */
struct plait_transport_process {
  uint64_t cpus[PLAIT_TRANSPORT_CPU_SETS]; /* where it might run when it came */
  int32_t pid;
  uint32_t in_use;           /* the MPI library has enabled an endpoint */
  uint64_t sent, sent_bytes; /* messages */
  uint64_t received;
  uint64_t pulled;   /* of those, read in the sender's memory */
  uint64_t streamed; /* of those, taken piece by piece from a stream */
  uint64_t sleeps, yields;
} __attribute__((aligned(64)));

struct plait_transport_page {
  uint32_t magic;
  uint32_t version;
  uint32_t state;     /* enum plait_transport_state */
  uint32_t members;   /* of the job on this node */
  uint32_t processes; /* that have come; each takes the next entry */
  uint32_t reserved;
  char host[64];
  char design[16]; /* of the queues */
  char address[96];
  char reason[264];
  struct plait_transport_process process[PLAIT_TRANSPORT_PROCESSES];
};

#endif /* PLAIT_TRANSPORT_PAGE_H */
