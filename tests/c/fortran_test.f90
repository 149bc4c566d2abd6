! The C interface from Fortran, through iso_c_binding.
program fortran_test
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    integer(c_int) function tilespmv_load(a, name, kind_of_values, options) bind(c)
      import :: c_int, c_ptr, c_char
      type(c_ptr), intent(out) :: a
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: kind_of_values
      type(c_ptr), intent(in) :: options(*)
    end function
    integer(c_int) function tilespmv_multiply(a, x, y) bind(c)
      import :: c_int, c_ptr, c_double
      type(c_ptr), value :: a
      real(c_double), intent(in) :: x(*)
      real(c_double), intent(out) :: y(*)
    end function
    subroutine tilespmv_destroy(a) bind(c)
      import :: c_ptr
      type(c_ptr), intent(inout) :: a
    end subroutine
  end interface
  type(c_ptr) :: a, options(2)
  character(kind=c_char, len=11), target :: device = "device=cpu" // c_null_char
  real(c_double) :: x(9), y(9)

  options = [c_loc(device), c_null_ptr]
  if (tilespmv_load(a, "gen:laplace2d:n=3" // c_null_char, 0, options) /= 0) stop 1
  x = 1
  if (tilespmv_multiply(a, x, y) /= 0) stop 2
  if (any(y /= [2d0, 1d0, 2d0, 1d0, 0d0, 1d0, 2d0, 1d0, 2d0])) stop 3
  call tilespmv_destroy(a)
  if (c_associated(a)) stop 4
end program
