/* SPDX-License-Identifier: BSD-3-Clause */
/* The library for C, and what the Fortran module stands on: grid, field, halo and step.
 *
 *     plait_grid* grid;
 *     plait_check(plait_grid_create(MPI_COMM_WORLD, cells, NULL, &grid));
 *     plait_field* memory;
 *     plait_check(plait_field_create(grid, 1, sizeof(double), &memory));
 *     plait_view u = plait_field_view(memory);
 *     plait_halo* halo;
 *     plait_check(plait_halo_create(grid, &u, 1, NULL, &halo));
 *     plait_stepper* stepper;
 *     plait_check(plait_stepper_create(halo, NULL, &stepper));
 *     plait_check(plait_step(stepper, &u, 1, update, &data));
 *
 * Axes are 0 = x (contiguous in memory), 1 = y, 2 = z. Cells count from 0: a rank's own cells are
 * [0, own[d]) along axis d, ghosts are negative or from own[d] on. Boxes are half-open: `first` is
 * in it, `last` is not.
 *
 * Functions that can fail return a plait_status; plait_last_error() then has the text. "Collective"
 * means: called by all ranks of the grid, in the same order; all others are local. Functions that
 * take a handle or a pointer refuse NULL (PLAIT_LOCAL_ERROR) unless NULL is given a meaning. The
 * thread that initialised MPI calls them; plait_update is called by others, too. */
#ifndef PLAIT_PLAIT_H
#define PLAIT_PLAIT_H

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- errors --- */

typedef enum plait_status {
  PLAIT_SUCCESS = 0,
  PLAIT_COLLECTIVE_ERROR = 1, /* every rank got it, with the same text: all can end in order */
  PLAIT_LOCAL_ERROR = 2,      /* perhaps this rank alone: others may wait for it, so end by
                                 MPI_Abort, or use plait_check() */
  PLAIT_NO_MEMORY = 3,        /* as PLAIT_LOCAL_ERROR */
  PLAIT_INTERNAL_ERROR = 4    /* as PLAIT_LOCAL_ERROR; a fault of the library */
} plait_status;

/* Text of the last error of the calling thread, one line "what: why; remedy"; empty before the
 * first. Valid until this thread's next error. */
const char* plait_last_error(void);

/* Returns at once when status is PLAIT_SUCCESS. Else prints plait_last_error() and ends the
 * program: a PLAIT_COLLECTIVE_ERROR is printed by rank 0 of MPI_COMM_WORLD, and every rank calls
 * MPI_Finalize and exit(2); any other is printed by this rank, which calls MPI_Abort. */
void plait_check(int status);

/* --- grid: global cells cut into boxes, one a rank --- */

typedef struct plait_grid plait_grid;

/* All zero means: all chosen by the library, open on all sides. */
typedef struct plait_grid_options {
  int ranks[3];    /* ranks along each axis; 0: chosen, so that few bytes cross between nodes */
  int periodic[3]; /* not 0: the axis closes on itself */
  const char* map; /* which rank gets which box: "automatic" (or NULL), "row_major", "mpi",
                      "node_blocked", "portfolio", "given" */
  const int* coordinates; /* for "given": 3 for each rank of the communicator; needs ranks */
} plait_grid_options;

/* Cuts cells[0] x cells[1] x cells[2] global cells into a box for each rank of `comm`, which is
 * duplicated. Collective over `comm`.
 * options: NULL for all zero. *grid: the new grid, NULL on error.
 * Errors: PLAIT_COLLECTIVE_ERROR when the ranks do not fit the cells, the map is unknown, or given
 * coordinates are not those of each rank once. */
int plait_grid_create(MPI_Comm comm, const int cells[3], const plait_grid_options* options,
                      plait_grid** grid);
/* The same with the integer communicator of Fortran (comm, or comm%MPI_VAL). */
int plait_grid_create_f(MPI_Fint comm, const int cells[3], const plait_grid_options* options,
                        plait_grid** grid);
/* Ends a grid, after all halos on it, and sets *grid to NULL; nothing when it is NULL. Collective;
 * before MPI_Finalize. */
int plait_grid_free(plait_grid** grid);

/* The grid's own communicator: its ranks are those that the functions below name. Do not free. */
int plait_grid_comm(const plait_grid* grid, MPI_Comm* comm);
/* This rank, and the number of ranks. */
int plait_grid_rank(const plait_grid* grid, int* rank, int* size);
/* Number of ranks along each axis, and this rank's place among them. */
int plait_grid_ranks(const plait_grid* grid, int ranks[3], int coordinates[3]);
/* Global indices of this rank's own cells, first[d] <= i < last[d]. */
int plait_grid_own(const plait_grid* grid, int first[3], int last[3]);
/* The rank at an offset of coordinates from this one, MPI_PROC_NULL where the grid ends. */
int plait_grid_neighbour(const plait_grid* grid, const int offset[3], int* rank);
/* A sentence or two on the decomposition; valid while the grid is. NULL on error. */
const char* plait_grid_report(plait_grid* grid);

/* Stengel's subdomainMap (2010, section 3.1.1): ranks in order fill blocks of node_dims boxes, cut
 * off where the grid of dims boxes ends, so that consecutive ranks, and with them nodes, have
 * compact parts. Needs neither a grid nor MPI. Local.
 * dims, node_dims: numbers >= 1; n = dims[0] * dims[1] * dims[2].
 * rank_coord: gets 3 n numbers, the coordinates of each rank, as plait_grid_options.coordinates
 * takes them.
 * coord_rank: gets n ranks; that at c is coord_rank[c[2] + dims[2] * (c[1] + dims[1] * c[0])]. */
int plait_subdomain_map(const int dims[3], const int node_dims[3], int* rank_coord,
                        int* coord_rank);
/* Stengel's neighborRank, with periodic axes: the rank at an offset of coordinates from another.
 * Local. dims, rank_coord, coord_rank: as of plait_subdomain_map(), or any such map.
 * periodic: not 0: the axis closes on itself; NULL for all open.
 * *neighbor: MPI_PROC_NULL where an open axis ends.
 * Errors: PLAIT_LOCAL_ERROR when there is no such rank. */
int plait_neighbor_rank(int rank, const int offset[3], const int dims[3], const int periodic[3],
                        const int* rank_coord, const int* coord_rank, int* neighbor);

/* Agrees on a local error, say of plait_view_of_array() or of the program's own: when any rank
 * gives another status than PLAIT_SUCCESS, every rank gets PLAIT_COLLECTIVE_ERROR with the last
 * error's text of the lowest such rank. Collective. */
int plait_agree(const plait_grid* grid, int status);

/* --- fields: where the cells of a rank lie --- */

/* A rank's array with ghosts: the program's own memory, or a plait_field's. Cell (i, j, k) lies
 * i + j * stride_y + k * stride_z elements behind `origin`. A value; free to copy and to swap. */
typedef struct plait_view {
  void* origin;         /* own cell (0, 0, 0) */
  size_t element_bytes; /* bytes of one element */
  int own[3];           /* own cells along x, y, z */
  int ghost;            /* ghost layers on each of the six sides */
  ptrdiff_t stride_y;   /* in elements */
  ptrdiff_t stride_z;   /* in elements */
} plait_view;

/* A view of an array of the program, ghosts included: extents[d] = own cells + 2 * ghosts.
 * grid: tells the own cells, and so the ghosts. first: the array's first element.
 * strides: bytes from an element to the next one along each axis; strides[0] must be element_bytes.
 * Errors: PLAIT_LOCAL_ERROR when the extents do not fit the grid, or rows are not contiguous. */
int plait_view_of_array(const plait_grid* grid, void* first, size_t element_bytes,
                        const int extents[3], const ptrdiff_t strides[3], plait_view* view);

typedef struct plait_field plait_field;

/* Memory for this rank's box of the grid, zeroed: rows start on cache lines and are padded so that
 * neighbours share no cache sets, pages lie where the threads that will update them run, large
 * fields on huge pages. Local.
 * ghost: ghost layers, >= 0. *field: the new field, NULL on error.
 * Errors: PLAIT_LOCAL_ERROR (bad extents or short memory). */
int plait_field_create(const plait_grid* grid, int ghost, size_t element_bytes,
                       plait_field** field);
/* Frees the memory and sets *field to NULL; nothing when it is NULL. Views of it end. Local. */
void plait_field_free(plait_field** field);
/* Where the field's cells lie. All zero when field is NULL. */
plait_view plait_field_view(const plait_field* field);

/* --- halo: the exchange of ghosts with neighbours --- */

typedef struct plait_halo plait_halo;

/* All zero means: as wide as the fields' ghosts, faces only, all else chosen, open ends fixed. */
typedef struct plait_halo_options {
  int width;             /* ghost layers to fill; 0: as many as the fields have */
  int edges_and_corners; /* not 0: ghosts at edges and corners are filled, too */
  const char* transport; /* "automatic" (or NULL), "point_to_point", "persistent", "neighborhood",
                            "shared_memory" */
  const char* packing;   /* "automatic" (or NULL), "threads", "datatypes" */
  int mirror[6];         /* for the open ends x low, x high, y low, y high, z low, z high: 0: ghosts
                            keep what the program wrote; else they mirror the own cells */
} plait_halo_options;

/* A plan for the exchange of one or several fields at once. Collective.
 * grid: must outlive the halo.
 * layout, count: a view for each field of one exchange; only their layout counts, so that fields
 * can be swapped. options: NULL for all zero. *halo: the new plan, NULL on error.
 * Errors: PLAIT_COLLECTIVE_ERROR when a box is thinner than the width, a layout does not fit the
 * grid, or this MPI lacks the transport. */
int plait_halo_create(const plait_grid* grid, const plait_view* layout, int count,
                      const plait_halo_options* options, plait_halo** halo);
/* Ends a halo, after all steppers on it, and sets *halo to NULL; nothing when it is NULL.
 * Collective; before MPI_Finalize. */
int plait_halo_free(plait_halo** halo);
/* Fills the ghosts of the fields. Collective; packs with all OpenMP threads.
 * fields, count: as many as the layout has, each of its layout. */
int plait_halo_exchange(plait_halo* halo, const plait_view* fields, int count);
/* The same in two halves. In between own cells may be read, not written, and ghosts not used.
 * Collective. */
int plait_halo_start(plait_halo* halo, const plait_view* fields, int count);
int plait_halo_finish(plait_halo* halo);
/* Own cells whose update needs no ghost that an exchange fills; may be empty. */
int plait_halo_interior(const plait_halo* halo, int first[3], int last[3]);
/* Bytes that this rank sends in one exchange: all, and those that leave the node. */
int plait_halo_bytes(const plait_halo* halo, long long* all, long long* cross_node);

/* --- step: an update under a schedule --- */

typedef struct plait_stepper plait_stepper;

/* Computes the new values of the cells of a box, first[d] <= i < last[d] in local indices, from old
 * ones up to the halo's width around it, and writes nothing that another call reads. Called by
 * several threads at once on disjoint boxes that together are the own cells. Must not call MPI nor
 * functions of this header, and must not throw. context: as given to plait_step(). */
typedef void (*plait_update)(const int first[3], const int last[3], void* context);

/* Runs steps of one halo. Collective.
 * halo: must outlive the stepper.
 * schedule: "blocking", "nonblocking", "polled", "comm_thread", "tasks", "partitioned" or
 * "automatic", with options behind it: "comm_thread,wait=sleep,poll=100us". NULL: that of the
 * environment variable PLAIT_SCHEDULE, else automatic. *stepper: NULL on error.
 * Errors: PLAIT_COLLECTIVE_ERROR when a schedule's text is wrong or differs between ranks, MPI's
 * thread level is too low for it, or partitioned communication does not work here. */
int plait_stepper_create(plait_halo* halo, const char* schedule, plait_stepper** stepper);
/* Ends a stepper and sets *stepper to NULL; nothing when it is NULL. Collective. */
int plait_stepper_free(plait_stepper** stepper);
/* One step that exchanges first: fills the ghosts of `in`, the fields that update() reads, while
 * update() runs on cells that need none. Collective.
 * Errors: PLAIT_COLLECTIVE_ERROR in verify mode (PLAIT_VERIFY=1) when an exchange differs from a
 * blocking one. */
int plait_step(plait_stepper* stepper, const plait_view* in, int count, plait_update update,
               void* context);
/* One step that updates the boundary first: the ghosts of the fields that update() reads must be
 * valid; on return those of `out`, the fields that it writes, are. Collective; errors as above. */
int plait_advance(plait_stepper* stepper, const plait_view* out, int count, plait_update update,
                  void* context);
/* The schedule in use, in the form that plait_stepper_create() reads: what was asked for, or what
 * automatic has settled on. Valid until the next such call on this stepper. NULL on error. */
const char* plait_stepper_schedule(plait_stepper* stepper);
/* A table for people: computation, communication, its CPU cost, each schedule's time, and why this
 * one. Valid until the next such call on this stepper. NULL on error. */
const char* plait_stepper_explain(plait_stepper* stepper);
/* Measures what plait_stepper_explain() tells, by `repetitions` steps of every schedule that can
 * run here. The steps call update() and exchange as plait_step() does. Collective. */
int plait_stepper_measure(plait_stepper* stepper, const plait_view* in, int count, int repetitions,
                          plait_update update, void* context);

/* --- reductions over the own cells of all ranks --- */

/* Largest |a - b|; NaN when a cell is. Fields of doubles. Collective. */
int plait_max_change(const plait_grid* grid, const plait_view* a, const plait_view* b,
                     double* result);
/* The sum, rounded once: the same bits for every number of ranks and threads. Fields of doubles.
 * Collective. */
int plait_exact_sum(const plait_grid* grid, const plait_view* field, double* result);
/* Euclidean norm, from an exact sum of rounded squares. Fields of doubles. Collective. */
int plait_norm(const plait_grid* grid, const plait_view* field, double* result);

#ifdef __cplusplus
}
#endif

#endif /* PLAIT_PLAIT_H */
