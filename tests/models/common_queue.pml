/* SPDX-License-Identifier: BSD-3-Clause */
/* The design auto, src/transport/common_queue.cpp: two senders with a ring each, which use the
   common queue before they have a ring and while it is full, as far as they know: the receiver
   tells of released slots only now and then, and only the sender writes slots. The receiver takes
   all messages of each sender whole and in order, and never waits for news while it could go on. */

#define SENDERS 2
#define SLOTS 2
#define RELEASED_TOGETHER 2
/* Of the first sender, whose ring is filled twice, and of the second one. */
#define FIRST_MESSAGES 5
#define SECOND_MESSAGES 2
#define MESSAGES_BEFORE_RING 1
#define ALL (FIRST_MESSAGES + SECOND_MESSAGES)

#define IGNORES_SEQUENCE 1     /* the receiver takes what comes */
#define BELL_BEFORE_MESSAGE 2  /* stores in the wrong order */
#define FORGETS_RINGS 3        /* a ring that is out of its turn is no longer noted */
#define NUMBER_BEFORE_DATA 4   /* the slot gets its number too soon */
#define RELEASES_TOO_SOON 5    /* slots, before the message is read */
byte seed;

byte number[SENDERS * SLOTS]; /* of the message in a slot, of those in the ring */
byte slot[SENDERS * SLOTS];   /* its sequence number */
byte data[SENDERS * SLOTS];   /* the same, as its data */
byte released[SENDERS];       /* messages, as the receiver tells it */
byte common_from[ALL], common_sequence[ALL], common; /* the list, the last one first */
bool ring_news[SENDERS], common_news;                /* the bell */

proctype Sender(byte me) {
  byte sequence, put, known;
  do
  :: sequence == (me == 0 -> FIRST_MESSAGES : SECOND_MESSAGES) -> break
  :: else ->
    if
    :: put - known == SLOTS -> known = released[me]
    :: else
    fi;
    if
    :: sequence >= MESSAGES_BEFORE_RING && put - known < SLOTS ->
      if
      :: seed == BELL_BEFORE_MESSAGE -> ring_news[me] = true
      :: else
      fi;
      slot[me * SLOTS + put % SLOTS] = sequence;
      if
      :: seed == NUMBER_BEFORE_DATA -> number[me * SLOTS + put % SLOTS] = put + 1
      :: else
      fi;
      data[me * SLOTS + put % SLOTS] = sequence;
      number[me * SLOTS + put % SLOTS] = put + 1;
      put++;
      ring_news[me] = true
    :: else ->
      if
      :: seed == BELL_BEFORE_MESSAGE -> common_news = true
      :: else
      fi;
      d_step { common_from[common] = me; common_sequence[common] = sequence; common++ };
      if
      :: seed != BELL_BEFORE_MESSAGE -> common_news = true
      :: else
      fi
    fi;
    sequence++
  od
}

inline deliver(from, sequence) {
  assert(sequence == expected[from]);
  expected[from] = sequence + 1;
  taken++;
  took = true
}

inline release(ring) {
  if
  :: ring_taken[ring] % RELEASED_TOGETHER == 0 -> released[ring] = ring_taken[ring]
  :: else
  fi
}

inline take_from_ring(ring) {
  if
  :: noted[ring] ->
    at = ring * SLOTS + ring_taken[ring] % SLOTS;
    if
    :: number[at] != ring_taken[ring] + 1 -> noted[ring] = false
    :: else ->
      if
      :: slot[at] == expected[ring] || seed == IGNORES_SEQUENCE ->
        ring_taken[ring] = ring_taken[ring] + 1;
        if
        :: seed == RELEASES_TOO_SOON -> release(ring)
        :: else
        fi;
        deliver(ring, data[at]);
        release(ring)
      :: else ->
        if
        :: seed == FORGETS_RINGS -> noted[ring] = false
        :: else
        fi
      fi
    fi
  :: else
  fi
}

inline take_from_common() {
  if
  :: first < last &&
     (batch_sequence[first] == expected[batch_from[first]] || seed == IGNORES_SEQUENCE) ->
    deliver(batch_from[first], batch_sequence[first]);
    first++
  :: else
  fi
}

inline look_at_bell() {
  d_step { /* take_news() */
    for (i : 0 .. SENDERS - 1) { noted[i] = noted[i] || ring_news[i]; ring_news[i] = false };
    common_noted = common_news;
    common_news = false
  };
  if
  :: common_noted ->
    d_step {
      for (i : 1 .. common) {
        batch_from[last + i - 1] = common_from[i - 1];
        batch_sequence[last + i - 1] = common_sequence[i - 1]
      };
      last = last + common;
      common = 0
    }
  :: else
  fi
}

proctype Receiver() {
  byte expected[SENDERS], ring_taken[SENDERS], batch_from[ALL], batch_sequence[ALL];
  byte first, last, taken, at, i;
  bool noted[SENDERS], common_noted, took;
  do
  :: taken == ALL -> break
  :: else ->
    took = false;
    if
    :: true -> take_from_ring(0); take_from_ring(1); take_from_common()
    :: true -> take_from_common(); take_from_ring(1); take_from_ring(0)
    fi;
    if
    :: took
    :: else ->
      ring_news[0] || ring_news[1] || common_news; /* sleeps until then */
      look_at_bell()
    fi
  od
}

init {
  byte i;
  atomic {
    c_code { now.seed = getenv("SEED") ? atoi(getenv("SEED")) : 0; };
    run Receiver();
    for (i : 0 .. SENDERS - 1) { run Sender(i) }
  }
}
