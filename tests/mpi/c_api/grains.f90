! SPDX-License-Identifier: BSD-3-Clause
! Checks blocks of grains from Fortran: y = A x with rows by rank, while x travels in a ring.
module grains_checks
  use, intrinsic :: iso_c_binding, only: c_double
  use mpi_f08
  use plait
  implicit none
  private
  public :: grains_are_right
  integer, parameter :: rows = 12, grains = 4, per_grain = rows / grains
  integer :: rank, ranks, shifts, token_in, token_seen, progress_calls
  real(c_double), allocatable :: x(:, :)
  real(c_double) :: y(rows)

contains

  ! Multiplies the rows of a grain with all parts of x.
  recursive subroutine multiply(grain)
    integer, intent(in) :: grain
    integer :: row, s, i, owner
    do row = 1 + (grain - 1) * per_grain, grain * per_grain
      do s = 0, ranks - 1
        owner = modulo(rank - s, ranks)
        do i = 1, rows
          y(row) = y(row) + (rank * rows + row + owner * rows + i) * x(i, s)
        end do
      end do
    end do
  end subroutine multiply

  ! Part s passes on what came with part s - 1.
  subroutine shift(s)
    integer, intent(in) :: s
    call MPI_Sendrecv(x(:, s-1), rows, MPI_DOUBLE_PRECISION, modulo(rank + 1, ranks), s, &
                      x(:, s), rows, MPI_DOUBLE_PRECISION, modulo(rank - 1, ranks), s, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    shifts = shifts + 1
  end subroutine shift

  ! Passes the rank on; the block completes both messages.
  subroutine start_token(part, requests)
    integer, intent(in) :: part
    integer, intent(inout) :: requests(:)
    type(MPI_Request) :: request
    call MPI_Irecv(token_in, 1, MPI_INTEGER, modulo(rank - 1, ranks), 90 + part, MPI_COMM_WORLD, &
                   request)
    requests(1) = request%MPI_VAL
    call MPI_Isend(rank, 1, MPI_INTEGER, modulo(rank + 1, ranks), 90 + part, MPI_COMM_WORLD, &
                   request)
    requests(2) = request%MPI_VAL
  end subroutine start_token

  subroutine note_token(part)
    integer, intent(in) :: part
    token_seen = token_in + part - 1
  end subroutine note_token

  subroutine note_progress()
    progress_calls = progress_calls + 1
  end subroutine note_progress

  ! The other rank of a pair; the last one may have none.
  function partner_of(one) result(partner)
    integer, intent(in) :: one
    integer :: partner
    partner = merge(one + 1, one - 1, modulo(one, 2) == 0)
    if (partner == ranks) partner = MPI_PROC_NULL
  end function partner_of

  function grains_are_right() result(right)
    logical :: right
    type(plait_grains) :: block
    type(plait_grains_times) :: times
    type(plait_exchange_speed) :: speeds(plait_exchange_sizes)
    integer :: travel, product, token, seen, row, i, status
    real(c_double) :: expected
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    allocate (x(rows, 0:ranks-1))
    x(:, 0) = [(rank * rows + i, i=1, rows)]
    y = 0
    shifts = 0
    token_seen = -1
    call plait_grains_create(block, "y = A x", threads=2, wait="yield")
    call plait_grains_communicate(block, travel, "shift", ranks - 1, shift)
    call plait_grains_begin_communication(block, token, "token", 1, 2, start_token)
    call plait_grains_compute(block, product, "product", grains, multiply)
    call plait_grains_after(block, product, travel)
    call plait_grains_compute_in_order(block, seen, "seen", 1, note_token)
    call plait_grains_after_each(block, seen, token)
    call plait_grains_run(block)
    right = shifts == ranks - 1 .and. token_seen == modulo(rank - 1, ranks)
    do row = 1, rows
      expected = 0
      do i = 1, ranks * rows
        expected = expected + (rank * rows + row + i) * real(i, c_double)
      end do
      right = right .and. y(row) == expected
    end do
    times = plait_grains_last_times(block)
    right = right .and. times%total_s > 0 .and. times%message_s > 0
    right = right .and. plait_grains_before(20, 20, 4, 2d-3, 1d-4) == 18
    call plait_measure_exchange(speeds, MPI_COMM_WORLD%MPI_VAL, partner_of(rank))
    right = right .and. ((plait_grain_bytes(speeds) >= 1024) .eqv. ranks > 1)
    right = right .and. index(plait_grains_graph(block), "product" // achar(92) // "n4 parts") > 0
    call plait_grains_after(block, travel, product, status)
    right = right .and. status == 2 .and. index(plait_last_error(), "declared before") > 0
    call plait_free(block)
    progress_calls = 0
    call plait_grains_create(block, "progress", threads=1)
    call plait_grains_compute_in_order(block, seen, "seen", 1, note_token)
    call plait_grains_compute(block, product, "product", grains, multiply)
    call plait_grains_on_progress(block, note_progress)
    call plait_grains_run(block)
    right = right .and. progress_calls > 0
    call plait_free(block)
    call plait_grains_create(block, "no", channels=-2, status=status)
    right = right .and. status == 2
    deallocate (x)
  end function grains_are_right

end module grains_checks
