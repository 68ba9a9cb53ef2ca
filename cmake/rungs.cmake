# Each rung is one file kernels/<ladder>/NN_name.cuh, compiled three times from generated wrappers:
# for the CPU emulator, for the GPU clean, for the GPU traced.
file(GLOB rung_files RELATIVE ${CMAKE_SOURCE_DIR}/kernels CONFIGURE_DEPENDS
  ${CMAKE_SOURCE_DIR}/kernels/*/[0-9][0-9]_*.cuh)
list(SORT rung_files)
# Every file that an event may name: the table of rungs holds that their ids differ.
file(GLOB kernel_files RELATIVE ${CMAKE_SOURCE_DIR}/kernels CONFIGURE_DEPENDS
  ${CMAKE_SOURCE_DIR}/kernels/*.cuh ${CMAKE_SOURCE_DIR}/kernels/*/*.cuh)
list(TRANSFORM kernel_files REPLACE "^([^/]+)$" "kernels/\\1")    # as a compiler sees them: folder and name
list(TRANSFORM kernel_files REPLACE "(.+)" "  \"\\1\",\n" OUTPUT_VARIABLE KERNEL_FILES)
list(JOIN KERNEL_FILES "" KERNEL_FILES)

function(lockstep_ladders)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/kernels/*.cpp ${CMAKE_SOURCE_DIR}/kernels/*/ladder.cpp)
  add_library(lockstep_ladders STATIC ${sources})
  # Folders of ladders and what they share, but neither the emulator nor the launchers.
  file(GLOB entries RELATIVE ${CMAKE_SOURCE_DIR} CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/kernels/*)
  list(REMOVE_ITEM entries kernels/simt kernels/cuda)
  lockstep_include_root(lockstep_ladders ${entries})
  target_link_libraries(lockstep_ladders PUBLIC lockstep_model lockstep_devices)
  lockstep_embed(lockstep_ladders kernels embedded_kernels kernels/lab.cuh kernels/*/*.cuh)
endfunction()

# Writes one wrapper per rung from a template, and a table of them; appends to `out` the files written.
function(lockstep_rung_wrappers template suffix table folder out)
  set(generated ${CMAKE_BINARY_DIR}/generated/rungs)
  set(written "")
  set(RUNG_EXTERNS "")
  set(RUNG_ROWS "")
  foreach(RUNG_FILE ${rung_files})
    get_filename_component(RUNG_LADDER ${RUNG_FILE} DIRECTORY)
    get_filename_component(RUNG_NAME ${RUNG_FILE} NAME_WE)
    set(RUNG_SYMBOL ${RUNG_LADDER}_${RUNG_NAME})
    file(STRINGS ${CMAKE_SOURCE_DIR}/kernels/${RUNG_FILE} RUNG_INCLUDES REGEX "^#include \"kernels/")
    string(REPLACE ";" "\n" RUNG_INCLUDES "${RUNG_INCLUDES}")    # before the namespace opens
    configure_file(${CMAKE_SOURCE_DIR}/kernels/${template}.in ${generated}/${RUNG_SYMBOL}_${suffix} @ONLY)
    list(APPEND written ${generated}/${RUNG_SYMBOL}_${suffix})
    string(APPEND RUNG_EXTERNS "extern const RungCode ${table}_${RUNG_SYMBOL};\n")
    string(APPEND RUNG_ROWS "  &${table}_${RUNG_SYMBOL},\n")
  endforeach()
  set(RUNG_TABLE ${table})
  set(RUNG_FOLDER ${folder})
  configure_file(${CMAKE_SOURCE_DIR}/kernels/rung_table.cpp.in ${generated}/${table}_table.cpp @ONLY)
  list(APPEND written ${generated}/${table}_table.cpp)
  set(${out} ${written} PARENT_SCOPE)
endfunction()

function(lockstep_emulator_library)
  lockstep_rung_wrappers(rung_emulated.cpp emulated.cpp emulated simt rungs)
  file(GLOB simt CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/kernels/simt/*.cpp)
  add_library(lockstep_emulator STATIC ${simt} ${rungs})
  target_link_libraries(lockstep_emulator PUBLIC lockstep_ladders lockstep_flags Boost::context)
  lockstep_include_root(lockstep_emulator kernels/simt)
  target_compile_options(lockstep_emulator PRIVATE -Wno-unknown-pragmas)    # rungs may say #pragma unroll
endfunction()

function(lockstep_cuda_library)
  if(NOT LOCKSTEP_HAS_CUDA)
    add_library(lockstep_cuda INTERFACE)
    return()
  endif()
  lockstep_rung_wrappers(rung_clean.cu clean.cu clean cuda clean_rungs)
  lockstep_rung_wrappers(rung_traced.cu traced.cu traced cuda traced_rungs)
  # Nobody times a traced kernel: a third of the compile time.
  set_source_files_properties(${traced_rungs} PROPERTIES
    COMPILE_OPTIONS "$<$<COMPILE_LANGUAGE:CUDA>:-Xcicc=-O1;-Xptxas=-O1>")
  file(GLOB cuda_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/kernels/cuda/*.cu)
  add_library(lockstep_cuda STATIC ${cuda_sources} ${clean_rungs} ${traced_rungs})
  # CMake 3.25 knows no C++20 for nvcc and drops the property silently where it is not required.
  set_target_properties(lockstep_cuda PROPERTIES CUDA_STANDARD 20 CUDA_STANDARD_REQUIRED OFF)
  target_compile_options(lockstep_cuda PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 -O3 -lineinfo
    --expt-relaxed-constexpr -Xcompiler=-Wall,-Wextra,-Wno-parentheses -Werror=all-warnings>)
  target_compile_definitions(lockstep_cuda PUBLIC LOCKSTEP_HAS_CUDA)
  target_link_libraries(lockstep_cuda PUBLIC lockstep_ladders CUDA::cudart_static ${CMAKE_DL_LIBS})
  lockstep_include_root(lockstep_cuda kernels/cuda)
endfunction()
