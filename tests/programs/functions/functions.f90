! SPDX-License-Identifier: BSD-3-Clause
! Functions of a Fortran program: in a module, external, and of the program.
module heat
  implicit none
  real :: total = 0
contains
  subroutine relax(n)
    integer, intent(in) :: n
    integer :: i
    do i = 1, n
      total = total + add(i)
    end do
  end subroutine relax

  real function add(i)
    integer, intent(in) :: i
    add = real(i)
  end function add
end module heat

subroutine exchange()
  use heat
  total = total + 1
end subroutine exchange

program functions
  use heat
  implicit none
  include 'mpif.h'
  integer :: error, step
  call MPI_Init(error)
  do step = 1, 4
    call relax(25)
    call exchange()
  end do
  call MPI_Finalize(error)
  if (total < 0) print *, total
end program functions
