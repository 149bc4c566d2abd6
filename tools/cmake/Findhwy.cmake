# Highway: its own CMake package, or the bare library where the distribution ships none. Defines hwy::hwy.
find_package(hwy CONFIG QUIET)
if(NOT hwy_FOUND)
  find_path(hwy_INCLUDE_DIR hwy/highway.h)
  find_library(hwy_LIBRARY hwy)
  mark_as_advanced(hwy_INCLUDE_DIR hwy_LIBRARY)
endif()
include(FindPackageHandleStandardArgs)
if(TARGET hwy::hwy)
  find_package_handle_standard_args(hwy CONFIG_MODE)
else()
  find_package_handle_standard_args(hwy REQUIRED_VARS hwy_LIBRARY hwy_INCLUDE_DIR)
endif()
if(hwy_FOUND AND NOT TARGET hwy::hwy)
  add_library(hwy::hwy UNKNOWN IMPORTED)
  set_target_properties(hwy::hwy PROPERTIES
    IMPORTED_LOCATION "${hwy_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${hwy_INCLUDE_DIR}"
    INTERFACE_COMPILE_DEFINITIONS HWY_SHARED_DEFINE)
endif()
