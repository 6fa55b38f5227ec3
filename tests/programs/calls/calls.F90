! SPDX-License-Identifier: BSD-3-Clause
! The calls of calls.c from Fortran, by the binding that is chosen when it is compiled:
! -DBINDING_MPIF (mpif.h), -DBINDING_MPI (use mpi) or -DBINDING_F08 (use mpi_f08).
#ifdef BINDING_F08
#define HANDLE(kind) type(kind)
#define STATUS_OBJECT type(MPI_Status) :: status
#else
#define HANDLE(kind) integer
#define STATUS_OBJECT integer :: status(MPI_STATUS_SIZE)
#endif
#ifdef BINDING_F08
#define USE_MPI use mpi_f08
#define INCLUDE_MPI
#elif defined(BINDING_MPI)
#define USE_MPI use mpi
#define INCLUDE_MPI
#else
#define USE_MPI
#define INCLUDE_MPI include 'mpif.h'
#endif

module buffers
  implicit none
  integer, parameter :: n = 100
  double precision, save :: out(2 * n) = 0, in(2 * n) = 0
  integer, save :: rank, partner
end module buffers

subroutine messages()
  USE_MPI
  use buffers
  implicit none
  INCLUDE_MPI
  STATUS_OBJECT
  HANDLE(MPI_Request) :: requests(2), receive, send
  integer :: i, source, ierror
  do i = 0, 9
    if (rank == 0) then
      call MPI_Send(out, n, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, ierror)
    else
      source = 0
      if (mod(i, 3) == 0) source = MPI_ANY_SOURCE
      if (mod(i, 2) == 1) then
        call MPI_Recv(in, 2 * n, MPI_DOUBLE_PRECISION, source, 1, MPI_COMM_WORLD, status, ierror)
      else
        call MPI_Recv(in, 2 * n, MPI_DOUBLE_PRECISION, source, 1, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE, ierror)
      end if
    end if
  end do
  do i = 1, 5
    call MPI_Irecv(in, n, MPI_DOUBLE_PRECISION, partner, 2, MPI_COMM_WORLD, requests(1), ierror)
    call MPI_Isend(out, n, MPI_DOUBLE_PRECISION, partner, 2, MPI_COMM_WORLD, requests(2), ierror)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
  end do
  do i = 1, 3
    call MPI_Irecv(in, n, MPI_DOUBLE_PRECISION, partner, 3, MPI_COMM_WORLD, receive, ierror)
    call MPI_Isend(out, n, MPI_DOUBLE_PRECISION, partner, 3, MPI_COMM_WORLD, send, ierror)
    call MPI_Wait(receive, status, ierror)
    call MPI_Wait(send, MPI_STATUS_IGNORE, ierror)
  end do
  do i = 1, 4
    call MPI_Sendrecv(out, n, MPI_DOUBLE_PRECISION, partner, 4, in, n, MPI_DOUBLE_PRECISION, &
                      partner, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  end do
  call MPI_Send(out, n, MPI_DOUBLE_PRECISION, MPI_PROC_NULL, 5, MPI_COMM_WORLD, ierror)
end subroutine messages

subroutine persistent()
  USE_MPI
  use buffers
  implicit none
  INCLUDE_MPI
  HANDLE(MPI_Request) :: requests(2)
  integer :: i, ierror
  call MPI_Recv_init(in, n, MPI_DOUBLE_PRECISION, partner, 6, MPI_COMM_WORLD, requests(1), ierror)
  call MPI_Send_init(out, n, MPI_DOUBLE_PRECISION, partner, 6, MPI_COMM_WORLD, requests(2), ierror)
  do i = 1, 6
    call MPI_Startall(2, requests, ierror)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
  end do
  do i = 1, 2
    call MPI_Start(requests(1), ierror)
    call MPI_Start(requests(2), ierror)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
  end do
  call MPI_Request_free(requests(1), ierror)
  call MPI_Request_free(requests(2), ierror)
end subroutine persistent

subroutine no_requests()
  USE_MPI
  implicit none
  INCLUDE_MPI
  HANDLE(MPI_Request) :: requests(1)
  integer :: found, done, places(1), ierror
  logical :: flag
  requests = MPI_REQUEST_NULL
  call MPI_Waitall(0, requests, MPI_STATUSES_IGNORE, ierror)
  call MPI_Testall(0, requests, flag, MPI_STATUSES_IGNORE, ierror)
  call MPI_Waitany(0, requests, found, MPI_STATUS_IGNORE, ierror)
  if (.not. flag) stop 1
  call MPI_Testany(0, requests, found, flag, MPI_STATUS_IGNORE, ierror)
  call MPI_Waitsome(0, requests, done, places, MPI_STATUSES_IGNORE, ierror)
  if (.not. flag) stop 1
  call MPI_Testsome(0, requests, done, places, MPI_STATUSES_IGNORE, ierror)
end subroutine no_requests

subroutine probes()
  USE_MPI
  use buffers
  implicit none
  INCLUDE_MPI
  STATUS_OBJECT
  integer :: i, count, ierror
  do i = 1, 3
    if (rank == 0) then
      call MPI_Ssend(out, 10, MPI_DOUBLE_PRECISION, 1, 7, MPI_COMM_WORLD, ierror)
    else
      call MPI_Probe(0, 7, MPI_COMM_WORLD, status, ierror)
      call MPI_Get_count(status, MPI_DOUBLE_PRECISION, count, ierror)
      call MPI_Recv(in, count, MPI_DOUBLE_PRECISION, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, &
                    ierror)
    end if
  end do
end subroutine probes

subroutine collectives()
  USE_MPI
  use buffers
  implicit none
  INCLUDE_MPI
  HANDLE(MPI_Request) :: request
  integer :: i, ierror, counts(2), places(2)
  counts = 3
  places = (/0, 10/)
  do i = 1, 2
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
  end do
  do i = 0, 2
    call MPI_Bcast(out, 50, MPI_DOUBLE_PRECISION, mod(i, 2), MPI_COMM_WORLD, ierror)
  end do
  do i = 1, 2
    call MPI_Reduce(out, in, 20, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
  end do
  do i = 1, 4
    call MPI_Allreduce(out, in, 30, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierror)
  end do
  call MPI_Gather(out, 10, MPI_DOUBLE_PRECISION, in, 10, MPI_DOUBLE_PRECISION, 1, &
                  MPI_COMM_WORLD, ierror)
  call MPI_Scatter(out, 15, MPI_DOUBLE_PRECISION, in, 15, MPI_DOUBLE_PRECISION, 0, &
                   MPI_COMM_WORLD, ierror)
  do i = 1, 2
    call MPI_Allgather(out, 12, MPI_DOUBLE_PRECISION, in, 12, MPI_DOUBLE_PRECISION, &
                       MPI_COMM_WORLD, ierror)
  end do
  do i = 1, 2
    call MPI_Alltoall(out, 6, MPI_DOUBLE_PRECISION, in, 6, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, &
                      ierror)
  end do
  call MPI_Alltoallv(out, counts, places, MPI_DOUBLE_PRECISION, in, counts, places, &
                     MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierror)
  call MPI_Scan(out, in, 7, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
  call MPI_Ibarrier(MPI_COMM_WORLD, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Iallreduce(out, in, 8, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
end subroutine collectives

subroutine communicators()
  USE_MPI
  use buffers
  implicit none
  INCLUDE_MPI
  HANDLE(MPI_Comm) :: copy, alone, bridge, merged
  integer :: i, remote_size, ierror
  call MPI_Comm_dup(MPI_COMM_WORLD, copy, ierror)
  do i = 1, 3
    call MPI_Allreduce(out, in, 1, MPI_DOUBLE_PRECISION, MPI_SUM, copy, ierror)
  end do
  call MPI_Comm_split(copy, rank, 0, alone, ierror)
  do i = 1, 2
    call MPI_Bcast(out, 2, MPI_DOUBLE_PRECISION, 0, alone, ierror)
  end do
  call MPI_Intercomm_create(alone, 0, MPI_COMM_WORLD, partner, 8, bridge, ierror)
  call MPI_Comm_remote_size(bridge, remote_size, ierror)
  if (rank == 0) then
    call MPI_Send(out, 4, MPI_DOUBLE_PRECISION, 0, 9, bridge, ierror)
  else
    call MPI_Recv(in, 4, MPI_DOUBLE_PRECISION, 0, 9, bridge, MPI_STATUS_IGNORE, ierror)
  end if
  call MPI_Intercomm_merge(bridge, rank == 1, merged, ierror)
  call MPI_Barrier(merged, ierror)
  call MPI_Comm_free(merged, ierror)
  call MPI_Comm_free(bridge, ierror)
  call MPI_Comm_free(alone, ierror)
  call MPI_Comm_free(copy, ierror)
end subroutine communicators

subroutine one_sided()
  USE_MPI
  use buffers
  implicit none
  INCLUDE_MPI
  HANDLE(MPI_Win) :: window
  integer(kind=MPI_ADDRESS_KIND) :: bytes, place
  integer :: ierror
  bytes = 2 * n * 8
  place = 0
  call MPI_Win_create(in, bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, window, ierror)
  call MPI_Win_fence(0, window, ierror)
  call MPI_Put(out, 4, MPI_DOUBLE_PRECISION, partner, place, 4, MPI_DOUBLE_PRECISION, window, &
               ierror)
  call MPI_Win_fence(0, window, ierror)
  call MPI_Get(out, 5, MPI_DOUBLE_PRECISION, partner, place, 5, MPI_DOUBLE_PRECISION, window, &
               ierror)
  call MPI_Win_fence(0, window, ierror)
  call MPI_Win_free(window, ierror)
end subroutine one_sided

subroutine datatypes()
  USE_MPI
  use buffers
  implicit none
  INCLUDE_MPI
  HANDLE(MPI_Datatype) :: pair
  integer :: ierror
  call MPI_Type_contiguous(2, MPI_DOUBLE_PRECISION, pair, ierror)
  call MPI_Type_commit(pair, ierror)
  if (rank == 0) then
    call MPI_Send(out, 3, pair, 1, 10, MPI_COMM_WORLD, ierror)
  else
    call MPI_Recv(in, 3, pair, 0, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  end if
  call MPI_Type_free(pair, ierror)
end subroutine datatypes

program calls
  USE_MPI
  use buffers
  implicit none
  INCLUDE_MPI
  integer :: ranks, ierror
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  if (ranks /= 2) call MPI_Abort(MPI_COMM_WORLD, 3, ierror)
  partner = 1 - rank
  call messages()
  call persistent()
  call no_requests()
  call probes()
  call collectives()
  call communicators()
  call one_sided()
  call datatypes()
  call MPI_Finalize(ierror)
  if (rank == 0) print '(a)', 'calls: done'
end program calls
