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

# A source that includes others. CMake's own (UNITY_BUILD) names them by whole paths, which no compiler cache finds again in a
# checkout elsewhere. A group of one stays what it is.
function(lockstep_unite target name)
  list(LENGTH ARGN count)
  if(count LESS 2)
    return()
  endif()
  set(folder ${CMAKE_BINARY_DIR}/generated/unity/${target})
  set(text "// Generated.\n")
  foreach(source ${ARGN})
    file(RELATIVE_PATH from_here ${folder} ${source})
    string(APPEND text "#include \"${from_here}\"\n")
  endforeach()
  file(CONFIGURE OUTPUT ${folder}/${name}.cpp CONTENT "${text}" @ONLY)    # untouched where it is the same
  set_source_files_properties(${ARGN} PROPERTIES HEADER_FILE_ONLY ON)
  target_sources(${target} PRIVATE ${folder}/${name}.cpp)
endfunction()

# lockstep_unity(TARGET [FILES]): a source with options of its own, or with the property LOCKSTEP_ALONE, stays alone: they are
# said before. FILES: so many at once, whatever their size.
function(lockstep_unity target)
  if(NOT LOCKSTEP_UNITY)
    return()
  endif()
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)    # it looks for one source each
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources EXCLUDE REGEX "^${CMAKE_BINARY_DIR}/")
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  set(folder_before "")
  set(names "")
  foreach(source ${sources})
    file(REAL_PATH ${source} source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    set(alone OFF)
    foreach(property LOCKSTEP_ALONE COMPILE_OPTIONS COMPILE_DEFINITIONS)
      get_source_file_property(own ${source} ${property})
      if(own)
        set(alone ON)
      endif()
    endforeach()
    if(alone)
      continue()
    endif()
    get_filename_component(folder ${source} DIRECTORY)
    file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR} ${folder})
    if(NOT folder STREQUAL folder_before)
      set(folder_before ${folder})
      set(number 0)
      set(filled ${LOCKSTEP_BATCH_BYTES})
    endif()
    if(ARGN)    # as if each were so large
      math(EXPR bytes "${LOCKSTEP_BATCH_BYTES} / ${ARGN}")
    else()
      file(SIZE ${source} bytes)
    endif()
    math(EXPR filled "${filled} + ${bytes}")
    if(filled GREATER LOCKSTEP_BATCH_BYTES)
      math(EXPR number "${number} + 1")
      set(filled ${bytes})
    endif()
    string(REPLACE "/" "_" name "${folder}_${number}")
    list(APPEND names ${name})
    list(APPEND of_${name} ${source})
  endforeach()
  list(REMOVE_DUPLICATES names)
  foreach(name ${names})
    lockstep_unite(${target} ${name} ${of_${name}})
  endforeach()
endfunction()
