/* SPDX-License-Identifier: BSD-3-Clause */
/* The bell of src/transport/bell.hpp: news and sleep are bits of one word. No wake-up is lost:
   without a time limit of sleeps, the owner takes all messages. */

#define SENDERS 2
#define MESSAGES 2

/* Seeds of faults that must be found. */
#define LOOKS_BEFORE_NEWS 1   /* the sender looks whether the owner sleeps, then adds its news */
#define NO_SECOND_LOOK 2      /* the owner does not look for news after it has announced to sleep */
#define SLEEPS_UNCONDITIONALLY 3 /* the futex does not compare the word */
byte seed;

byte put[SENDERS];       /* messages in the queue of each sender */
bool news[SENDERS];      /* the word: a bit for each queue */
bool sleeping;           /* and that of its owner */
bool in_futex;

proctype Sender(byte me) {
  byte i;
  bool was;
  for (i : 1 .. MESSAGES) {
    put[me]++;
    if
    :: seed != LOOKS_BEFORE_NEWS -> atomic { news[me] = true; was = sleeping }
    :: else -> was = sleeping; news[me] = true
    fi;
    if
    :: was -> /* Bell::wake() */
      atomic { was = sleeping; sleeping = false };
      if
      :: was -> in_futex = false
      :: else
      fi
    :: else
    fi
  }
}

proctype Owner() {
  byte taken, i;
  bool seen[SENDERS];
  do
  :: taken == SENDERS * MESSAGES -> break
  :: else ->
    if
    :: news[0] || news[1] ->
      d_step { /* take_news() */
        for (i : 0 .. SENDERS - 1) { seen[i] = news[i]; news[i] = false }
        sleeping = false
      };
      for (i : 0 .. SENDERS - 1) {
        if
        :: seen[i] -> atomic { taken = taken + put[i]; put[i] = 0 }
        :: else
        fi
      }
    :: else ->
      sleeping = true;
      if
      :: seed != NO_SECOND_LOOK && (news[0] || news[1])
      :: else ->
        atomic { /* FUTEX_WAIT compares and sleeps in one step */
          if
          :: sleeping || seed == SLEEPS_UNCONDITIONALLY -> in_futex = true
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
  byte i;
  atomic {
    c_code { now.seed = getenv("SEED") ? atoi(getenv("SEED")) : 0; };
    run Owner();
    for (i : 0 .. SENDERS - 1) { run Sender(i) }
  }
}
