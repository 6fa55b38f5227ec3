/* SPDX-License-Identifier: BSD-3-Clause */
/* The queue of src/transport/one_queue.cpp: two senders, one receiver, both protections. Messages
   of each sender arrive in order, and a queue with entries for all blocks is never full. */

#define SENDERS 2
#define MESSAGES 3
#define BLOCKS 1
#define ENTRIES (SENDERS * BLOCKS)

#define NOT_PROTECTED 1      /* a sender reads and increases the counter in two steps */
#define RELEASED_TOO_SOON 2  /* the block returns before its entry is cleared */
byte seed;
bool locks;

byte put;               /* entries put by all senders */
bool locked;
byte entry[ENTRIES];    /* sender + 1 */
byte data[SENDERS];     /* of the sender's block */
byte returned[SENDERS]; /* blocks */

proctype Sender(byte me) {
  byte sent, number;
  for (sent : 1 .. MESSAGES) {
    returned[me] > 0;
    returned[me]--;
    data[me] = sent;
    if
    :: seed == NOT_PROTECTED -> number = put; put = number + 1
    :: seed != NOT_PROTECTED && !locks -> atomic { number = put; put++ } /* compare-and-swap */
    :: seed != NOT_PROTECTED && locks ->
      atomic { !locked -> locked = true };
      number = put;
      put = number + 1
    fi;
    assert(entry[number % ENTRIES] == 0);
    entry[number % ENTRIES] = me + 1;
    locked = false
  }
}

proctype Receiver() {
  byte taken, from, received[SENDERS];
  for (taken : 0 .. SENDERS * MESSAGES - 1) {
    entry[taken % ENTRIES] != 0;
    from = entry[taken % ENTRIES] - 1;
    if
    :: seed != RELEASED_TOO_SOON -> entry[taken % ENTRIES] = 0
    :: else
    fi;
    received[from]++;
    assert(data[from] == received[from]);
    returned[from]++;
    if
    :: seed == RELEASED_TOO_SOON -> entry[taken % ENTRIES] = 0
    :: else
    fi
  }
}

init {
  byte i;
  atomic {
    c_code { now.seed = getenv("SEED") ? atoi(getenv("SEED")) : 0; };
    if
    :: locks = true
    :: locks = false
    fi;
    run Receiver();
    for (i : 0 .. SENDERS - 1) { returned[i] = BLOCKS; run Sender(i) }
  }
}
