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
