! SPDX-License-Identifier: BSD-3-Clause
! Creates a grid and a distributed graph from Fortran with the binding chosen at compile time:
! -DBINDING_MPIF (mpif.h), -DBINDING_MPI (use mpi) or -DBINDING_F08 (use mpi_f08). Runs on 8 ranks.
!
! Rank 0 prints: fortran moved K wrong W
#ifdef BINDING_F08
#define HANDLE(kind) type(kind)
#define USE_MPI use mpi_f08
#define INCLUDE_MPI
#elif defined(BINDING_MPI)
#define HANDLE(kind) integer
#define USE_MPI use mpi
#define INCLUDE_MPI
#else
#define HANDLE(kind) integer
#define USE_MPI
#define INCLUDE_MPI include 'mpif.h'
#endif

program fortran
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer :: rank, size, new_rank, other(1), got(1), coords(2), back, moved, wrong, place, ierror
  integer :: in_degree, out_degree, weights(1), more(1)
  integer, parameter :: dims(2) = (/ 2, 4 /)
  logical :: periods(2), weighted
  HANDLE(MPI_Comm) :: cart, graph

  wrong = 0
  periods = .false.
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, .true., cart, ierror)
  call MPI_Comm_rank(cart, new_rank, ierror)
  call MPI_Cart_coords(cart, new_rank, 2, coords, ierror)
  call MPI_Cart_rank(cart, coords, back, ierror)
  if (back /= new_rank) wrong = wrong + 1
  call MPI_Cart_map(MPI_COMM_WORLD, 2, dims, periods, place, ierror)
  if (place /= new_rank) wrong = wrong + 1
  moved = merge(1, 0, new_rank /= rank)
  call MPI_Comm_free(cart, ierror)

  other = mod(rank + size / 2, size)
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, other, MPI_UNWEIGHTED, 1, other, &
                                      MPI_UNWEIGHTED, MPI_INFO_NULL, .true., graph, ierror)
  call MPI_Comm_rank(graph, new_rank, ierror)
  call MPI_Dist_graph_neighbors_count(graph, in_degree, out_degree, weighted, ierror)
  if (in_degree /= 1 .or. out_degree /= 1 .or. weighted) wrong = wrong + 1
  call MPI_Neighbor_allgather(new_rank, 1, MPI_INTEGER, got, 1, MPI_INTEGER, graph, ierror)
  if (got(1) /= mod(new_rank + size / 2, size)) wrong = wrong + 1
  call MPI_Comm_free(graph, ierror)

  weights = 5
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, other, weights, 1, other, weights, &
                                      MPI_INFO_NULL, .true., graph, ierror)
  weights = 0
  call MPI_Dist_graph_neighbors(graph, 1, got, weights, 1, other, more, ierror)
  if (weights(1) /= 5 .or. more(1) /= 5) wrong = wrong + 1
  call MPI_Comm_free(graph, ierror)

  call MPI_Allreduce(moved, back, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  call MPI_Allreduce(wrong, got, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  if (rank == 0) print '(a, i0, a, i0)', 'fortran moved ', back, ' wrong ', got(1)
  call MPI_Finalize(ierror)
end program fortran
