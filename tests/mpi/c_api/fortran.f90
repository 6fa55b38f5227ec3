! SPDX-License-Identifier: BSD-3-Clause
! Checks the Fortran module on any number of ranks: arrays with lower bounds 1 - ghost, fields of
! the library, views, halo, step by a module procedure, reductions, errors.
module checks
  use, intrinsic :: iso_c_binding, only: c_double, c_float
  use plait
  implicit none
  integer, parameter :: cells(3) = [12, 10, 9], ghost = 2
  integer :: failures = 0
  real(c_double), pointer :: now(:, :, :), next(:, :, :)

contains

  subroutine check(fine, what)
    logical, intent(in) :: fine
    character(len=*), intent(in) :: what
    if (fine) return
    failures = failures + 1
    print *, "failed: ", what, "; last error: ", plait_last_error()
  end subroutine check

  function error_contains(text) result(contained)
    character(len=*), intent(in) :: text
    character(len=:), allocatable :: error
    logical :: contained
    error = plait_last_error()
    contained = index(error, text) > 0
  end function error_contains

  ! The value of a global cell, counted from 1, on an axis that is periodic.
  pure function value_at(i, j, k) result(value)
    integer, intent(in) :: i, j, k
    real(c_double) :: value
    value = modulo(i - 1, cells(1)) + 100 * modulo(j - 1, cells(2)) + &
            10000 * modulo(k - 1, cells(3))
  end function value_at

  subroutine fill(u, first)
    real(c_double), intent(inout) :: u(1-ghost:, 1-ghost:, 1-ghost:)
    integer, intent(in) :: first(3)
    integer :: i, j, k
    do concurrent(k=1:ubound(u, 3)-ghost, j=1:ubound(u, 2)-ghost, i=1:ubound(u, 1)-ghost)
      u(i, j, k) = value_at(first(1) + i - 1, first(2) + j - 1, first(3) + k - 1)
    end do
  end subroutine fill

  ! Number of ghosts of the six faces that differ from their neighbour's value.
  function wrong_ghosts(u, first) result(wrong)
    real(c_double), intent(in) :: u(1-ghost:, 1-ghost:, 1-ghost:)
    integer, intent(in) :: first(3)
    integer :: wrong, i, j, k, own(3)
    own = ubound(u) - ghost
    wrong = 0
    do k = 1 - ghost, own(3) + ghost
      do j = 1 - ghost, own(2) + ghost
        do i = 1 - ghost, own(1) + ghost
          if (count([i, j, k] < 1 .or. [i, j, k] > own) > 1) cycle
          if (u(i, j, k) /= value_at(first(1)+i-1, first(2)+j-1, first(3)+k-1)) wrong = wrong + 1
        end do
      end do
    end do
  end function wrong_ghosts

  recursive subroutine smooth(first, last)
    integer, intent(in) :: first(3), last(3)
    integer :: i, j, k
    do concurrent(k=first(3):last(3), j=first(2):last(2), i=first(1):last(1))
      next(i, j, k) = 0.25_c_double * now(i, j, k) + 0.125_c_double * &
        (now(i-2, j, k) + now(i+1, j, k) + now(i, j-2, k) + now(i, j+1, k) + now(i, j, k-1) + &
         now(i, j, k+2))
    end do
  end subroutine smooth

  ! The norm after some steps; `ahead`: by plait_advance().
  function stepped(grid, schedule, ahead) result(norm)
    type(plait_grid), intent(in) :: grid
    character(len=*), intent(in) :: schedule
    logical, intent(in) :: ahead
    real(c_double) :: norm
    type(plait_halo) :: halo
    type(plait_stepper) :: stepper
    real(c_double), pointer :: old(:, :, :)
    integer :: step, first(3), last(3)
    call plait_own(grid, first, last)
    call plait_halo_create(halo, grid, now)
    call plait_stepper_create(stepper, halo, schedule)
    call fill(now, first)
    if (ahead) call plait_exchange(halo, now)
    do step = 1, 6
      if (ahead) then
        call plait_advance(stepper, next, smooth)
      else
        call plait_step(stepper, now, smooth)
      end if
      old => now
      now => next
      next => old
    end do
    norm = plait_norm(grid, now)
    if (schedule /= "automatic") then
      call check(index(plait_schedule(stepper), schedule) == 1, "plait_schedule " // schedule)
    end if
    call check(len(plait_explain(stepper)) > 40, "plait_explain")
    call plait_free(stepper)
    call plait_free(halo)
  end function stepped

  ! Stengel's map, and a grid with a given map of ranks in reverse order.
  subroutine check_given_map(comm, ranks_all)
    integer, intent(in) :: comm, ranks_all
    integer, parameter :: dims(3) = [2, 3, 4]
    type(plait_grid) :: grid
    integer :: rank_coord(3, 24), coord_rank(24), backwards(3, ranks_all), i, neighbor
    integer :: ranks(3), place(3)
    call check(plait_subdomain_map(dims, [1, 2, 2], rank_coord, coord_rank) == 0, "the map")
    call check(all(rank_coord(:, 5) == [0, 0, 2]), "the first rank of the second block")
    call check(coord_rank(3) == 4, "the rank at its coordinates")
    call check(plait_neighbor_rank(0, [0, 0, -1], dims, [0, 0, 1], rank_coord, coord_rank, &
                                   neighbor) == 0 .and. neighbor == 5, "a neighbour around an axis")
    backwards = 0
    backwards(3, :) = [(ranks_all - i, i=1, ranks_all)]
    call plait_grid_create(grid, comm, cells, [1, 1, ranks_all], map="given", coordinates=backwards)
    call plait_ranks(grid, ranks, place)
    call check(place(3) == ranks_all - 1 - plait_rank(grid), "given coordinates")
    call plait_free(grid)
  end subroutine check_given_map

end module checks

program fortran
  use mpi_f08
  use checks
  use grains_checks
  implicit none
  character(len=11), parameter :: schedules(7) = [character(len=11) :: "blocking", "nonblocking", &
                                                  "polled", "comm_thread", "tasks", "grains", &
                                                  "automatic"]
  type(plait_grid) :: grid, refused
  type(plait_halo) :: halo
  type(plait_stepper) :: stepper
  type(plait_field) :: fields(2)
  real(c_double), allocatable, target :: u(:, :, :)
  real(c_float), allocatable, target :: velocity(:, :, :, :)
  real(c_double) :: expected
  integer :: granted, s, status, rank, first(3), last(3), own(3), ranks(3), place(3), ranks_all

  call MPI_Init_thread(MPI_THREAD_SERIALIZED, granted)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks_all)
  call plait_grid_create(grid, MPI_COMM_WORLD%MPI_VAL, cells, periodic=[.true., .true., .true.], &
                         map="row_major")
  call plait_own(grid, first, last)
  own = plait_own_cells(grid)
  rank = plait_rank(grid)
  call plait_ranks(grid, ranks, place)
  call check(product(ranks) == ranks_all, "ranks")
  call check(plait_neighbour(grid, [0, ranks(2), 0]) == rank, "neighbour around an axis")
  call check(len(plait_report(grid)) > 10, "report")

  call check_given_map(MPI_COMM_WORLD%MPI_VAL, ranks_all)

  ! An array of the program with ghosts on both ends.
  allocate (u(1-ghost:own(1)+ghost, 1-ghost:own(2)+ghost, 1-ghost:own(3)+ghost))
  u = -1
  call plait_halo_create(halo, grid, u, transport="point_to_point", packing="threads")
  call fill(u, first)
  call plait_exchange(halo, u)
  call check(wrong_ghosts(u, first) == 0, "exchange")
  u(0, 1, 1) = -1
  call plait_start(halo, u)
  call plait_finish(halo)
  call check(wrong_ghosts(u, first) == 0, "start and finish")
  call plait_free(halo)

  ! Several fields of another type in one exchange, sections of one array.
  allocate (velocity(0:own(1)+1, 0:own(2)+1, 0:own(3)+1, 3))
  velocity = rank
  call plait_halo_create(halo, grid, [plait_view(grid, velocity(:, :, :, 1)), &
                                      plait_view(grid, velocity(:, :, :, 3))])
  call plait_exchange(halo, [plait_view(grid, velocity(:, :, :, 1)), &
                             plait_view(grid, velocity(:, :, :, 3))])
  call check(all(velocity(0, 1:own(2), 1:own(3), 3) == plait_neighbour(grid, [-1, 0, 0])), "views")
  call check(all(velocity(:, :, :, 2) == rank), "a section that was not exchanged")
  call plait_free(halo)

  ! Memory of the library, and steps.
  call plait_field_create(fields(1), grid, ghost, now)
  call plait_field_create(fields(2), grid, ghost, next)
  call check(all(lbound(now) == 1 - ghost) .and. all(ubound(now) == own + ghost), "bounds")
  call check(all(now == 0), "memory is zero")
  expected = stepped(grid, "blocking", .false.)
  do s = 1, size(schedules)
    call check(stepped(grid, trim(schedules(s)), .false.) == expected, "step " // schedules(s))
    call check(stepped(grid, trim(schedules(s)), .true.) == expected, "advance " // schedules(s))
  end do
  call fill(now, first)
  call fill(next, first)
  if (place(1) == 0) now(1, 1, 1) = now(1, 1, 1) + 3
  call check(plait_max_change(grid, now, next) == 3, "largest change")
  call check(plait_exact_sum(grid, next) == 66*90 + 4500*108 + 360000*120, "sum")

  call check(grains_are_right(), "grains")

  ! Errors are returned if a status is requested.
  call plait_grid_create(refused, MPI_COMM_WORLD%MPI_VAL, [1, 0, 1], status=status)
  call check(status == 1, "a grid without cells")
  call plait_halo_create(halo, grid, u(1:, :, :), status=status)
  call check(status == 1, "an array that is too short")
  call check(error_contains("equal ghosts"), "the reason of an array that is too short")
  call plait_halo_create(halo, grid, u, width=ghost+1, status=status)
  call check(status == 1, "a halo wider than its field")
  call plait_halo_create(halo, grid, u)
  call plait_exchange(halo, now(:, :, 1:own(3)), status)
  call check(status == 2, "an exchange of a short array")
  call plait_stepper_create(stepper, halo, "sideways", status)
  call check(status == 1, "an unknown schedule")
  call check(error_contains("sideways"), "the name of an unknown schedule")

  call plait_free(halo)
  call plait_free(fields(1))
  call plait_free(fields(2))
  call plait_free(grid)
  call MPI_Allreduce(MPI_IN_PLACE, failures, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0) print '(i0, a)', failures, " checks failed"
  call MPI_Finalize()
  if (failures > 0) error stop 1
end program fortran
