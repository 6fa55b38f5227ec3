/* SPDX-License-Identifier: BSD-3-Clause */
/* Sleep and wake-up where news are not in the bell (the designs sm, cor and orq): the sender stores
   an entry, then looks whether the receiver sleeps. A processor may delay a store beyond the look,
   as x86 does with all stores that are not sequentially consistent. */

#define MESSAGES 3

#define STORE_IS_DELAYED 1 /* the entry is stored with less than sequential consistency */
byte seed;

byte entries;        /* put, as the receiver sees them */
byte buffered;       /* stores that only the sender sees yet */
bool sleeping;
bool in_futex;
bool sender_ended;

/* The processor of the sender writes its stores to memory some time. */
proctype StoreBuffer() {
  do
  :: atomic { buffered > 0 -> entries++; buffered-- }
  :: sender_ended && buffered == 0 -> break
  od
}

proctype Sender() {
  byte i;
  bool was;
  for (i : 1 .. MESSAGES) {
    if
    :: seed == STORE_IS_DELAYED -> buffered++
    :: else -> entries++
    fi;
    if
    :: sleeping -> /* its atomic operation empties the buffer first */
      buffered == 0;
      atomic { was = sleeping; sleeping = false };
      if
      :: was -> in_futex = false
      :: else
      fi
    :: else
    fi
  };
  sender_ended = true
}

proctype Receiver() {
  byte taken;
  do
  :: taken == MESSAGES -> break
  :: else ->
    if
    :: taken < entries -> taken++
    :: else ->
      sleeping = true; /* an atomic operation: not delayed */
      if
      :: taken < entries
      :: else ->
        atomic {
          if
          :: sleeping -> in_futex = true
          :: else
          fi
        };
        !in_futex
      fi;
      sleeping = false
    fi
  od
}

init {
  atomic {
    c_code { now.seed = getenv("SEED") ? atoi(getenv("SEED")) : 0; };
    run Receiver();
    run Sender();
    run StoreBuffer()
  }
}
