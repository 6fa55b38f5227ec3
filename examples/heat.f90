! SPDX-License-Identifier: BSD-3-Clause
! Heat conduction in a box, du/dt = alpha laplace(u), by explicit Euler steps with the library.
module heat_update
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  integer, parameter :: cells(3) = [48, 40, 32] ! of width h = 1/48; u = 1 at the side x = 0
  real(real64), parameter :: h = 1.0_real64 / cells(1), alpha = 1
  real(real64), parameter :: dt = 0.15_real64 * h * h / alpha ! stable below h^2 / (6 alpha)
  real(real64), parameter :: r = alpha * dt / (h * h)
  real(real64), pointer :: u(:, :, :), next(:, :, :)
contains
  subroutine update(first, last)
    integer, intent(in) :: first(3), last(3)
    integer :: i, j, k
    do concurrent(k=first(3):last(3), j=first(2):last(2), i=first(1):last(1))
      next(i, j, k) = u(i, j, k) + r * (u(i-1, j, k) + u(i+1, j, k) + u(i, j-1, k) + &
        u(i, j+1, k) + u(i, j, k-1) + u(i, j, k+1) - 6 * u(i, j, k))
    end do
  end subroutine update
end module heat_update

program heat
  use heat_update
  use mpi_f08
  use plait
  implicit none
  integer, parameter :: steps = 100
  type(plait_grid) :: grid
  type(plait_halo) :: halo
  type(plait_stepper) :: stepper
  type(plait_field) :: memory(2)
  real(real64), pointer :: old(:, :, :)
  real(real64) :: total, change
  integer :: step, granted, ranks(3), place(3)

  call MPI_Init_thread(MPI_THREAD_SERIALIZED, granted)
  call plait_grid_create(grid, MPI_COMM_WORLD%MPI_VAL, cells)
  call plait_field_create(memory(1), grid, 1, u) ! bounds 0 : own cells + 1
  call plait_field_create(memory(2), grid, 1, next)
  call plait_halo_create(halo, grid, u, mirror=[.false., .true., .true., .true., .true., .true.])
  call plait_stepper_create(stepper, halo) ! with the schedule from PLAIT_SCHEDULE

  call plait_ranks(grid, ranks, place)
  if (place(1) == 0) u(0, :, :) = 1
  if (place(1) == 0) next(0, :, :) = 1
  do step = 1, steps
    call plait_step(stepper, u, update)
    old => u
    u => next
    next => old
  end do
  total = plait_exact_sum(grid, u) * h * h * h
  change = plait_max_change(grid, u, next)
  if (plait_rank(grid) == 0) print '(a, es22.16, a, i0, a, es22.16)', "heat ", total, " after ", &
    steps, " steps, largest change ", change
  call plait_free(stepper)
  call plait_free(halo)
  call plait_free(grid)
  call MPI_Finalize()
end program heat
