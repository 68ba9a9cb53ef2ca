# A folder includes by names below the source tree ("app/model/run.hpp"), and finds there only what its target links:
# each target has an include root of its own that holds nothing but its folder.

# lockstep_include_root(TARGET ENTRY...): ENTRY, a file or folder below the source tree, can be included by this target
# and by all that link it.
function(lockstep_include_root target)
  set(root ${CMAKE_BINARY_DIR}/roots/${target})
  foreach(entry ${ARGN})
    get_filename_component(parent ${root}/${entry} DIRECTORY)
    file(MAKE_DIRECTORY ${parent})
    file(CREATE_LINK ${CMAKE_SOURCE_DIR}/${entry} ${root}/${entry} SYMBOLIC)
  endforeach()
  target_include_directories(${target} PUBLIC ${root})
endfunction()

# One target of a folder and the folders right below it; what stands in a folder `browser` is of cmake/web.cmake.
function(lockstep_library name folder)
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp ${folder}/*/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/browser/")
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC lockstep_flags ${ARGN})
  lockstep_include_root(${name} ${folder})
  lockstep_use_precompiled(${name})
endfunction()
