! SPDX-License-Identifier: BSD-3-Clause
! mpi_f08 on three ranks: rank 0 receives from anyone, with and without statuses. Rank r sends
! messages of r integers.
program wildcards
  use mpi_f08
  implicit none
  integer :: rank, i, index, room(16, 8)
  type(MPI_Status) :: status
  type(MPI_Request) :: requests(4)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  if (rank == 0) then
    do i = 1, 4
      if (mod(i, 2) == 0) then
        call MPI_Recv(room(:, i), 16, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &
                      status)
        if (room(1, i) /= status%MPI_SOURCE) call MPI_Abort(MPI_COMM_WORLD, 1)
      else
        call MPI_Recv(room(:, i), 16, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE)
      end if
    end do
    do i = 1, 4
      call MPI_Irecv(room(1, i + 4), 16, MPI_INTEGER, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &
                     requests(i))
    end do
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_Waitany(4, requests, index, MPI_STATUS_IGNORE)
    call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE)
  else
    room = rank
    call MPI_Send(room, rank, MPI_INTEGER, 0, 1, MPI_COMM_WORLD)
    call MPI_Send(room, rank, MPI_INTEGER, 0, 2, MPI_COMM_WORLD)
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_Isend(room, rank, MPI_INTEGER, 0, 9, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(room, rank, MPI_INTEGER, 0, 9, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  end if
  call MPI_Finalize()
end program wildcards
