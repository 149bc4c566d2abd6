# Whether the CUDA operators are built. Sets TILESPMV_HAS_CUDA, and the sources see a macro of that name (0 or 1); and
# whether several GPUs work together: TILESPMV_HAS_NCCL.
set(TILESPMV_CUDA AUTO CACHE STRING "CUDA operators: AUTO (if a CUDA compiler works here), ON or OFF")
set_property(CACHE TILESPMV_CUDA PROPERTY STRINGS AUTO ON OFF)
if(NOT TILESPMV_CUDA MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "TILESPMV_CUDA is '${TILESPMV_CUDA}', expected AUTO, ON or OFF")
endif()

set(TILESPMV_ALSO_COMPILE_FOR "" CACHE STRING "CUDA architectures that what depends on them has to compile for, too")

set(TILESPMV_HAS_CUDA OFF)
set(TILESPMV_HAS_NCCL OFF)
if(NOT TILESPMV_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(TILESPMV_HAS_CUDA ON)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
      include(tools/cmake/cuda_architectures.cmake)
      tilespmv_default_cuda_architectures(default)
      set(CMAKE_CUDA_ARCHITECTURES "${default}" CACHE STRING "Architectures that code for GPUs is built for")
    endif()
    enable_language(CUDA)
    message(STATUS "CUDA architectures: ${CMAKE_CUDA_ARCHITECTURES}")
    if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # nvcc newer than this CMake
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
    endif()
    set(CMAKE_CUDA_STANDARD 20)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    find_package(CUDAToolkit REQUIRED)
    find_package(NCCL)  # for several GPUs
    set(TILESPMV_HAS_NCCL ${NCCL_FOUND})
  elseif(TILESPMV_CUDA STREQUAL "ON")
    message(FATAL_ERROR "TILESPMV_CUDA=ON, but no working CUDA compiler was found: put nvcc on PATH, set "
      "CMAKE_CUDA_COMPILER, or configure with -DTILESPMV_CUDA=AUTO for a host-only build")
  endif()
endif()
