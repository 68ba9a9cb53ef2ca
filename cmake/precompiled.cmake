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

# Four sources as one where all are compiled anyway: what they include is read once for the four. Only where nothing is kept
# from one build to the next: who edits a file (and has ccache) wants that one compiled, and no name to leak into its neighbour.
option(LOCKSTEP_UNITY "compile four sources at once: a faster first build, slower ones after it" ${precompiled_default})

# lockstep_unity(TARGET)
function(lockstep_unity target)
  if(LOCKSTEP_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 4)
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)    # it looks for one source each
  endif()
endfunction()
