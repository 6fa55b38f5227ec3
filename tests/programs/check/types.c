/* SPDX-License-Identifier: BSD-3-Clause */
/* Derived types: many, deep ones, and different ones of equal signature. With the argument
 * "mismatch" the last message is received as another type. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, mismatch;
static MPI_Comm world;
static char out[1 << 20], in[1 << 20];

/* Sends one element from rank 0 to rank 1, which expects `expected`. */
static void exchange(MPI_Datatype sent, MPI_Datatype expected) {
  if (rank == 0) MPI_Send(out, 1, sent, 1, 1, world);
  if (rank == 1) MPI_Recv(in, 1, expected, 0, 1, world, MPI_STATUS_IGNORE);
}

/* {first, length times MPI_INT}, without a gap in the signature. */
static MPI_Datatype structure(MPI_Datatype first, int length) {
  MPI_Datatype types[2] = {first, MPI_INT}, made;
  int lengths[2] = {1, length};
  MPI_Aint lower, extent, places[2] = {0, 0};
  MPI_Type_get_extent(first, &lower, &extent);
  places[1] = extent;
  MPI_Type_create_struct(2, lengths, places, types, &made);
  MPI_Type_commit(&made);
  return made;
}

/* Each type has another signature; all are short. */
static void many(void) {
  enum { most = 20 };
  MPI_Datatype made, inner;
  for (int i = 0; i < most * most * most; ++i) {
    MPI_Type_contiguous(1 + i / most / most, MPI_DOUBLE, &inner);
    made = structure(inner, 1 + i % most);
    MPI_Type_free(&inner);
    inner = made;
    const MPI_Datatype types[2] = {inner, MPI_FLOAT};
    const int lengths[2] = {1, 1 + i / most % most};
    const MPI_Aint places[2] = {0, 2 * most * sizeof(double)};
    MPI_Type_create_struct(2, lengths, places, types, &made);
    MPI_Type_commit(&made);
    MPI_Type_free(&inner);
    exchange(made, made);
    MPI_Type_free(&made);
  }
  made = structure(mismatch && rank ? MPI_FLOAT : MPI_DOUBLE, mismatch && rank ? 8 : 7);
  exchange(made, made);
  MPI_Type_free(&made);
}

/* Each type is in the next one. */
static void deep(void) {
  enum { levels = 1000 };
  static MPI_Datatype made[levels + 1];
  MPI_Type_contiguous(2, mismatch && rank ? MPI_FLOAT : MPI_INT, &made[0]);
  for (int i = 1; i <= levels; ++i) made[i] = structure(made[i - 1], 1);
  exchange(made[levels], made[levels]);
  for (int i = levels; i >= 0; --i) MPI_Type_free(&made[i]);
}

/* A type that is freed lives on in others. */
static void freed(void) {
  MPI_Datatype inner, outer = MPI_DOUBLE;
  for (int i = 0; i < 200; ++i) {
    inner = outer;
    outer = structure(inner, 1);
    if (inner != MPI_DOUBLE) MPI_Type_free(&inner);
  }
  MPI_Datatype flat = structure(mismatch ? MPI_FLOAT : MPI_DOUBLE, mismatch ? 201 : 200);
  exchange(outer, flat);
  MPI_Type_free(&outer);
  MPI_Type_free(&flat);
}

/* A long sequence, {double, int} 30 000 times, of which the receiver could take more. */
static void long_signature(void) {
  MPI_Datatype pair, pieces, wide;
  int lengths[2] = {1, 1};
  MPI_Aint places[2] = {0, 8};
  MPI_Datatype types[2] = {MPI_DOUBLE, MPI_INT};
  MPI_Type_create_struct(2, lengths, places, types, &pair);
  MPI_Type_contiguous(30000, pair, &pieces);
  MPI_Type_contiguous(30002, pair, &wide);
  MPI_Type_commit(&pieces);
  MPI_Type_commit(&wide);
  MPI_Datatype sent = structure(pieces, mismatch ? 2 : 0);
  exchange(sent, wide);
  MPI_Type_free(&sent);
  MPI_Type_free(&pair);
  MPI_Type_free(&pieces);
  MPI_Type_free(&wide);
}

/* The pairs of MPI_MINLOC are structures by the standard; marks of bounds are not data. */
static void equal(void) {
  const int renamed = rank == 1 && !mismatch;
  MPI_Datatype made = structure(MPI_DOUBLE, 1), two, resized;
  exchange(MPI_DOUBLE_INT, made);
  MPI_Type_contiguous(2, MPI_INT, &two);
  MPI_Type_commit(&two);
  exchange(two, MPI_2INT);
  MPI_Type_create_resized(MPI_INT, 0, 16, &resized);
  MPI_Type_commit(&resized);
  exchange(resized, MPI_INT);
  if (renamed) MPI_Type_set_name(MPI_SHORT, "number");
  exchange(MPI_SHORT, mismatch ? MPI_FLOAT : MPI_SHORT);
  MPI_Type_free(&made);
  MPI_Type_free(&two);
  MPI_Type_free(&resized);
}

/* Types that were made with large counts. */
static void large_counts(void) {
#if MPI_VERSION >= 4
  MPI_Datatype row, some, both;
  MPI_Count lengths[2] = {3, 4}, places[2] = {0, 100};
  MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};
  MPI_Type_contiguous_c(5, MPI_INT, &row);
  MPI_Type_create_hindexed_c(2, lengths, places, MPI_INT, &some);
  MPI_Type_create_struct_c(2, lengths, places, types, &both);
  MPI_Type_commit(&row);
  MPI_Type_commit(&some);
  MPI_Type_commit(&both);
  exchange(row, row);
  exchange(both, both);
  exchange(some, mismatch ? both : some);
  MPI_Type_free(&row);
  MPI_Type_free(&some);
  MPI_Type_free(&both);
#endif
  MPI_Barrier(world);
}

static const struct {
  const char* name;
  void (*run)(void);
} cases[] = {{"many", many},   {"deep", deep},
             {"freed", freed}, {"long_signature", long_signature},
             {"equal", equal}, {"large_counts", large_counts}};

int main(int argc, char** argv) {
  int found = 0;
  MPI_Init(&argc, &argv);
  world = MPI_COMM_WORLD;
  MPI_Comm_rank(world, &rank);
  mismatch = argc > 2 && strcmp(argv[2], "mismatch") == 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    if (argc > 1 && strcmp(argv[1], cases[i].name) == 0) {
      cases[i].run();
      found = 1;
    }
  MPI_Finalize();
  return found ? 0 : 2;
}
