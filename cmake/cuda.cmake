# CUDA is used where nvcc is found; without it everything else builds. Included at the top level, since
# enable_language() works nowhere else.
set(LOCKSTEP_HAS_CUDA OFF)
if(NOT LOCKSTEP_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  if(NOT CMAKE_CUDA_COMPILER AND EXISTS /usr/local/cuda/bin/nvcc)
    set(CMAKE_CUDA_COMPILER /usr/local/cuda/bin/nvcc CACHE FILEPATH "")  # where NVIDIA's installer puts it
  endif()
  set(CMAKE_CUDA_ARCHITECTURES ${LOCKSTEP_CUDA_ARCHITECTURES} CACHE STRING "")
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    set(LOCKSTEP_HAS_CUDA ON)
  elseif(LOCKSTEP_CUDA STREQUAL "ON")
    message(FATAL_ERROR "LOCKSTEP_CUDA=ON, but no nvcc was found. Put it on PATH or set CMAKE_CUDA_COMPILER.")
  endif()
endif()
message(STATUS "CUDA: ${LOCKSTEP_HAS_CUDA}")
