! SPDX-License-Identifier: BSD-3-Clause
! Computes 10, 30 and 60 % of its time in three procedures of a module.
module parts
  implicit none
  double precision, save :: total = 0
contains
  subroutine ten(unit)
    integer, intent(in) :: unit
    call work(unit)
  end subroutine
  subroutine thirty(unit)
    integer, intent(in) :: unit
    call work(3 * unit)
  end subroutine
  subroutine sixty(unit)
    integer, intent(in) :: unit
    call work(6 * unit)
  end subroutine
  subroutine work(amount)
    integer, intent(in) :: amount
    double precision :: value
    integer :: i
    value = 1
    do i = 1, amount
      value = value * 1.0000001d0 + 1d-9
      if (value > 2) value = value - 1
    end do
    total = total + value
  end subroutine
end module

program split
  use mpi
  use parts
  implicit none
  integer :: error, step
  call MPI_Init(error)
  do step = 1, 50
    call ten(800000)
    call thirty(800000)
    call sixty(800000)
  end do
  call MPI_Finalize(error)
  if (total == 0) error stop
end program
