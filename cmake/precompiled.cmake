# The standard library's headers, read once per build instead of once per file: a quarter of a fresh build's time. None of our
# own headers stands here, so an edited one compiles anew what includes it and no more. Builds by clang and with sanitizers do
# without, and find the file that forgot an #include.
set(precompiled_default OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT LOCKSTEP_SANITIZE)
  set(precompiled_default ON)
endif()
option(LOCKSTEP_PRECOMPILED "compile the standard library's headers once" ${precompiled_default})

set(standard_headers <algorithm> <array> <chrono> <cmath> <cstdint> <cstring> <filesystem> <functional> <map> <memory> <optional>
  <set> <span> <string> <string_view> <utility> <variant> <vector>)
if(LOCKSTEP_PRECOMPILED)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/precompiled.cpp CONTENT "// Generated.\n" @ONLY)
  add_library(lockstep_precompiled OBJECT ${CMAKE_BINARY_DIR}/generated/precompiled.cpp)
  target_link_libraries(lockstep_precompiled PRIVATE lockstep_flags)
  target_precompile_headers(lockstep_precompiled PRIVATE ${standard_headers})
endif()

# lockstep_use_precompiled(TARGET): one whose options are those of lockstep_flags.
function(lockstep_use_precompiled target)
  if(LOCKSTEP_PRECOMPILED)
    target_precompile_headers(${target} REUSE_FROM lockstep_precompiled)
  endif()
endfunction()

# Sources of one folder as one, as far as they stay below LOCKSTEP_BATCH_BYTES: what they include, and what of the standard
# library they all instantiate, is compiled once for them. Only where nothing is kept from one build to the next: who edits a
# file (and has ccache) wants that one compiled, and no name to leak into its neighbour.
option(LOCKSTEP_UNITY "compile sources of a folder at once: a faster first build, slower ones after it" ${precompiled_default})
set(LOCKSTEP_BATCH_BYTES 60000)

# lockstep_unity(TARGET [FILES]): a source with options of its own stays alone. FILES: so many at once, whatever their size.
function(lockstep_unity target)
  if(NOT LOCKSTEP_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON)
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)    # it looks for one source each
  if(ARGN)
    set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE ${ARGN})
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources EXCLUDE REGEX "^${CMAKE_BINARY_DIR}/")
  set(folder_before "")
  foreach(source ${sources})
    file(REAL_PATH ${source} source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    get_filename_component(folder ${source} DIRECTORY)
    file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR} ${folder})
    if(NOT folder STREQUAL folder_before)
      set(folder_before ${folder})
      set(number 0)
      set(filled ${LOCKSTEP_BATCH_BYTES})
    endif()
    file(SIZE ${source} bytes)
    math(EXPR filled "${filled} + ${bytes}")
    if(filled GREATER LOCKSTEP_BATCH_BYTES)
      math(EXPR number "${number} + 1")
      set(filled ${bytes})
    endif()
    string(REPLACE "/" "_" name "${folder}_${number}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name})
  endforeach()
endfunction()
