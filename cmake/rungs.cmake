# Each rung is one file kernels/<ladder>/NN_name.cuh, compiled three times from generated wrappers:
# for the CPU emulator, for the GPU clean, for the GPU traced. A wrapper compiles by itself; the build compiles units, which
# include a few wrappers of a ladder each, since a compiler starts up and reads the headers for longer than it works on a rung.
file(GLOB rung_files RELATIVE ${CMAKE_SOURCE_DIR}/kernels CONFIGURE_DEPENDS
  ${CMAKE_SOURCE_DIR}/kernels/*/[0-9][0-9]_*.cuh)
list(SORT rung_files)
# Every file that an event may name: the table of rungs holds that their ids differ.
file(GLOB kernel_files RELATIVE ${CMAKE_SOURCE_DIR}/kernels CONFIGURE_DEPENDS
  ${CMAKE_SOURCE_DIR}/kernels/*.cuh ${CMAKE_SOURCE_DIR}/kernels/*/*.cuh)
list(TRANSFORM kernel_files REPLACE "^([^/]+)$" "kernels/\\1")    # as a compiler sees them: folder and name
list(TRANSFORM kernel_files REPLACE "(.+)" "  \"\\1\",\n" OUTPUT_VARIABLE KERNEL_FILES)
list(JOIN KERNEL_FILES "" KERNEL_FILES)

# Text of rungs in one unit. Compile time follows the text well enough, and a unit is what an edited rung compiles anew.
set(LOCKSTEP_UNIT_BYTES 9200)

function(lockstep_ladders)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/kernels/*.cpp ${CMAKE_SOURCE_DIR}/kernels/*/ladder.cpp)
  add_library(lockstep_ladders STATIC ${sources})
  # Folders of ladders and what they share, but neither the emulator nor the launchers.
  file(GLOB entries RELATIVE ${CMAKE_SOURCE_DIR} CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/kernels/*)
  list(REMOVE_ITEM entries kernels/simt kernels/cuda kernels/plain)
  lockstep_include_root(lockstep_ladders ${entries})
  target_link_libraries(lockstep_ladders PUBLIC lockstep_model lockstep_devices)
  lockstep_use_precompiled(lockstep_ladders)
  lockstep_embed(lockstep_ladders kernels embedded_kernels kernels/lab.cuh kernels/*/*.cuh)
endfunction()

# Sorts rung_files into units: rung_units, a list of names <ladder>_<n>, and in the caller's scope unit_<name>, the symbols of
# the rungs. A rung that includes another one's file shares its unit.
function(lockstep_rung_units)
  set(units "")
  set(ladder_before "")
  foreach(file ${rung_files})
    get_filename_component(ladder ${file} DIRECTORY)
    lockstep_rung_symbol(${file} symbol)
    file(SIZE ${CMAKE_SOURCE_DIR}/kernels/${file} bytes)
    lockstep_included(${file} "[0-9][0-9]_[a-z0-9_]+\\.cuh" others)
    if(NOT ladder STREQUAL ladder_before)
      set(number 0)
      set(ladder_before ${ladder})
      set(filled ${LOCKSTEP_UNIT_BYTES})
    endif()
    if(others)
      list(GET others 0 other)
      lockstep_rung_symbol(${ladder}/${other} other)
      set(unit ${unit_of_${other}})
    else()
      math(EXPR filled "${filled} + ${bytes}")
      if(filled GREATER LOCKSTEP_UNIT_BYTES)
        math(EXPR number "${number} + 1")
        set(filled ${bytes})
        list(APPEND units ${ladder}_${number})
      endif()
      set(unit ${ladder}_${number})
    endif()
    set(unit_of_${symbol} ${unit})
    list(APPEND unit_${unit} ${symbol})
    set(unit_${unit} ${unit_${unit}} PARENT_SCOPE)
  endforeach()
  set(rung_units ${units} PARENT_SCOPE)
endfunction()

function(lockstep_rung_symbol file out)
  get_filename_component(ladder ${file} DIRECTORY)
  get_filename_component(name ${file} NAME_WE)
  set(${out} ${ladder}_${name} PARENT_SCOPE)
endfunction()

# The names that a file below kernels/ includes and that match.
function(lockstep_included file pattern out)
  file(STRINGS ${CMAKE_SOURCE_DIR}/kernels/${file} found REGEX "^#include \"${pattern}\"")
  list(TRANSFORM found REPLACE "^#include \"([^\"]+)\".*" "\\1")
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# What stands in a wrapper before the namespace of its rung: the headers of the program, the files of its ladder that rungs
# share, and the wrapper of a rung that this one builds upon.
function(lockstep_rung_includes file suffix)
  get_filename_component(ladder ${file} DIRECTORY)
  lockstep_included(${file} "[0-9][0-9]_[a-z0-9_]+\\.cuh" rungs)
  lockstep_included(${file} "[a-z][a-z0-9_]*\\.(cuh|hpp)" shared)
  lockstep_included(${file} "kernels/[^\"]+" headers)
  foreach(name ${shared})
    lockstep_included(${ladder}/${name} "kernels/[^\"]+" more)
    list(APPEND headers ${more})
  endforeach()
  list(REMOVE_DUPLICATES headers)
  list(TRANSFORM headers REPLACE "(.+)" "#include \"\\1\"")
  list(TRANSFORM shared REPLACE "(.+)" "#include \"kernels/${ladder}/\\1\"")
  set(wrappers "")
  set(uses "")
  foreach(name ${rungs})
    lockstep_rung_symbol(${ladder}/${name} symbol)
    list(APPEND wrappers "#include \"${symbol}_${suffix}\"")
    string(APPEND uses "using namespace rung_${symbol};\nusing rung_${symbol}::launch;\n")
  endforeach()
  list(JOIN headers "\n" headers)
  list(JOIN shared "\n" shared)
  list(JOIN wrappers "\n" wrappers)
  set(RUNG_HEADERS "${headers}" PARENT_SCOPE)
  set(RUNG_SHARED "${shared}" PARENT_SCOPE)
  set(RUNG_WRAPPERS "${wrappers}" PARENT_SCOPE)
  set(RUNG_USES "${uses}" PARENT_SCOPE)
endfunction()

# Kernels, problems and what both include, as text: `lockstep export` takes from them what a program needs.
function(lockstep_program_sources target)
  file(GLOB sources RELATIVE ${CMAKE_SOURCE_DIR} CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/kernels/ladder.* ${CMAKE_SOURCE_DIR}/kernels/*.hpp
    ${CMAKE_SOURCE_DIR}/kernels/*/*.cuh ${CMAKE_SOURCE_DIR}/kernels/*/*.hpp ${CMAKE_SOURCE_DIR}/kernels/*/ladder.cpp
    ${CMAKE_SOURCE_DIR}/app/model/*.hpp)
  list(FILTER sources EXCLUDE REGEX "^kernels/(simt|cuda)/|^kernels/plain/.*hpp|^kernels/(experiments|rung_code)\\.hpp$")
  list(APPEND sources kernels/cuda/multiply.cuh)
  list(FILTER sources EXCLUDE REGEX "^kernels/host_.*\\.hpp$")    # CUDA's headers hold the same
  lockstep_embed(${target} . embedded_sources ${sources})
endfunction()

# Writes one wrapper per rung from a template, the units and a table of all rungs; `out` are the files to compile.
# Of all rungs, or of those that are named behind the other arguments.
function(lockstep_rung_wrappers template suffix table folder out)
  if(ARGN)
    set(rung_files ${ARGN})
  endif()
  set(generated ${CMAKE_BINARY_DIR}/generated/rungs)
  set(RUNG_EXTERNS "")
  set(RUNG_ROWS "")
  foreach(RUNG_FILE ${rung_files})
    get_filename_component(RUNG_LADDER ${RUNG_FILE} DIRECTORY)
    lockstep_rung_symbol(${RUNG_FILE} RUNG_SYMBOL)
    lockstep_rung_includes(${RUNG_FILE} ${suffix})
    configure_file(${CMAKE_SOURCE_DIR}/kernels/${template}.in ${generated}/${RUNG_SYMBOL}_${suffix} @ONLY)
    string(APPEND RUNG_EXTERNS "extern const RungCode ${table}_${RUNG_SYMBOL};\n")
    string(APPEND RUNG_ROWS "  &${table}_${RUNG_SYMBOL},\n")
  endforeach()
  set(written "")
  lockstep_rung_units()
  foreach(unit ${rung_units})
    set(text "// Generated.\n")
    foreach(symbol ${unit_${unit}})
      string(APPEND text "#include \"${symbol}_${suffix}\"\n")
    endforeach()
    file(CONFIGURE OUTPUT ${generated}/unit_${unit}_${suffix} CONTENT "${text}" @ONLY)    # untouched where it is the same
    list(APPEND written ${generated}/unit_${unit}_${suffix})
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
  if(EMSCRIPTEN)
    list(FILTER simt EXCLUDE REGEX "/simt/fibers.cpp$")
    list(APPEND simt ${CMAKE_SOURCE_DIR}/kernels/simt/browser/fibers.cpp)
  endif()
  add_library(lockstep_emulator STATIC ${simt} ${rungs})
  target_link_libraries(lockstep_emulator PUBLIC lockstep_ladders lockstep_flags Boost::context)
  lockstep_use_precompiled(lockstep_emulator)
  lockstep_include_root(lockstep_emulator kernels/simt)
  if(NOT EMSCRIPTEN)    # `lockstep export` asks for the names of kernels by their addresses
    target_link_options(lockstep_emulator PUBLIC "LINKER:--export-dynamic-symbol=_ZN3lab*_ladder*")
  endif()
  target_compile_options(lockstep_emulator PRIVATE -Wno-unknown-pragmas)    # rungs may say #pragma unroll
  set_property(TARGET lockstep_emulator PROPERTY LOCKSTEP_NOT_FUZZED ON)
endfunction()

# Rungs whose warps do not go through the kernel together and that name its steps: they are compiled with notes of time, too. Notes
# are of one launch, so that a rung that builds upon another one has none.
function(lockstep_stamped_rungs out)
  set(stamped "")
  foreach(file ${rung_files})
    lockstep_included(${file} "kernels/bulk\\.cuh" bulk)
    file(STRINGS ${CMAKE_SOURCE_DIR}/kernels/${file} steps REGEX "begin_step\\(" LIMIT_COUNT 1)
    lockstep_included(${file} "[0-9][0-9]_[a-z0-9_]+\\.cuh" before)
    if(bulk AND steps AND NOT before)
      list(APPEND stamped ${file})
    endif()
  endforeach()
  set(${out} ${stamped} PARENT_SCOPE)
endfunction()

function(lockstep_cuda_library)
  if(NOT LOCKSTEP_HAS_CUDA)
    add_library(lockstep_cuda INTERFACE)
    return()
  endif()
  lockstep_rung_wrappers(rung_clean.cu clean.cu clean cuda clean_rungs)
  lockstep_rung_wrappers(rung_traced.cu traced.cu traced cuda traced_rungs)
  lockstep_stamped_rungs(stamped)
  lockstep_rung_wrappers(rung_stamped.cu stamped.cu stamped cuda stamped_rungs ${stamped})
  # Nobody times a traced kernel, and it says itself which line it is at: half the compile time. A profiler looks at clean ones.
  set_source_files_properties(${traced_rungs} PROPERTIES
    COMPILE_OPTIONS "$<$<COMPILE_LANGUAGE:CUDA>:-Xcicc=-O1;-Xptxas=-O1;-Xcompiler=-O1>")
  set_source_files_properties(${clean_rungs} PROPERTIES COMPILE_OPTIONS "$<$<COMPILE_LANGUAGE:CUDA>:-lineinfo>")
  # What has no kernel is compiled by the C++ compiler alone: nvcc reads each file once per architecture and twice for the host.
  file(GLOB cuda_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/kernels/cuda/*.cu ${CMAKE_SOURCE_DIR}/kernels/cuda/*.cpp)
  add_library(lockstep_cuda STATIC ${cuda_sources} ${clean_rungs} ${traced_rungs} ${stamped_rungs})
  # CMake 3.25 knows no C++20 for nvcc and drops the property silently where it is not required.
  set_target_properties(lockstep_cuda PROPERTIES CUDA_STANDARD 20 CUDA_STANDARD_REQUIRED OFF)
  target_compile_options(lockstep_cuda PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 -O3
    --expt-relaxed-constexpr -Xcompiler=-Wall,-Wextra,-Wno-parentheses -Werror=all-warnings>)
  target_compile_definitions(lockstep_cuda PUBLIC LOCKSTEP_HAS_CUDA)
  target_link_libraries(lockstep_cuda PUBLIC lockstep_ladders lockstep_platform CUDA::cudart_static ${CMAKE_DL_LIBS})
  lockstep_use_precompiled(lockstep_cuda)
  lockstep_include_root(lockstep_cuda kernels/cuda)
endfunction()
