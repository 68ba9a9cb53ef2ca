# The program as a page, by Emscripten (scripts/web.sh): two WebAssembly modules, each a build folder of its own.
#   worker  model, ladders, emulator, engines. Its fibers need ASYNCIFY, which knows no exceptions: a throw ends the module,
#           and the window starts another one.
#   window  model, draw, labs, stories, shell, Dear ImGui on WebGL 2. With exceptions: what strangers send is read here.
# They are joined at Runner: a request goes out, the bytes of a run file come back.
set(LOCKSTEP_WEB_PART "window" CACHE STRING "worker or window")
set(LOCKSTEP_WEB_ROOT "" CACHE PATH "sources and libraries that scripts/web.sh has made")

add_library(lockstep_flags INTERFACE)
target_compile_options(lockstep_flags INTERFACE -Wall -Wextra $<$<BOOL:${LOCKSTEP_WERROR}>:-Werror>
  -Wno-shorten-64-to-32 -Wno-unknown-pragmas -Wno-unknown-warning-option)
target_compile_definitions(lockstep_flags INTERFACE LOCKSTEP_NO_THREADS)
if(LOCKSTEP_WEB_PART STREQUAL "window")
  target_compile_options(lockstep_flags INTERFACE -fwasm-exceptions)
  target_link_options(lockstep_flags INTERFACE -fwasm-exceptions)
endif()
target_include_directories(lockstep_flags SYSTEM INTERFACE ${LOCKSTEP_WEB_ROOT}/include ${LOCKSTEP_WEB_ROOT}/include/stb)

set(LOCKSTEP_PRECOMPILED OFF)
option(LOCKSTEP_UNITY "compile sources of a folder at once" ON)
include(cmake/precompiled.cmake)

# lockstep_web_library(NAME FOLDER EXCLUDED...; then LINKS libraries)
function(lockstep_web_library name folder)
  cmake_parse_arguments(PARSE_ARGV 2 web "" "" "EXCEPT;LINKS")
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp ${folder}/*/*.cpp)
  foreach(excluded ${web_EXCEPT})
    list(FILTER sources EXCLUDE REGEX "${folder}/${excluded}")
  endforeach()
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC lockstep_flags ${web_LINKS})
  lockstep_include_root(${name} ${folder})
endfunction()

add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED)
add_library(Boost::context INTERFACE IMPORTED)    # fibers of Emscripten stand in its place
add_library(lockstep_zip INTERFACE)
target_link_libraries(lockstep_zip INTERFACE ${LOCKSTEP_WEB_ROOT}/lib/libzip.a ${LOCKSTEP_WEB_ROOT}/lib/libz.a)

lockstep_web_library(lockstep_model app/model)
lockstep_include_root(lockstep_model assets)
lockstep_web_library(lockstep_devices app/devices LINKS lockstep_model)
lockstep_embed(lockstep_devices assets embedded_devices assets/gpus.json)
lockstep_embed(lockstep_devices assets/triton embedded_triton assets/triton/*.py assets/triton/*.json)
lockstep_web_library(lockstep_platform app/platform LINKS lockstep_model
  EXCEPT confined_process display libraries pages program_objects process.cpp run_program sandbox shared_block symbols system_calls)
lockstep_web_library(lockstep_plain kernels/plain)
lockstep_ladders()
set(not_in_engine worker.cpp worker_main bench_ export_program program_sources)
if(LOCKSTEP_WEB_PART STREQUAL "window")    # it reads run files and looks through recordings; nothing runs there
  list(APPEND not_in_engine emulator_engine engines.cpp cuda_ experiments/)
endif()
lockstep_web_library(lockstep_engine app/engine LINKS lockstep_platform lockstep_devices lockstep_ladders lockstep_plain lockstep_zip
  EXCEPT ${not_in_engine})

if(LOCKSTEP_WEB_PART STREQUAL "worker")
  lockstep_emulator_library()
  lockstep_include_root(lockstep_engine kernels/simt)
  add_executable(lockstep-worker app/web/worker_module.cpp)
  target_link_libraries(lockstep-worker PRIVATE lockstep_engine lockstep_emulator)
  file(STRINGS ${CMAKE_SOURCE_DIR}/app/web/asyncify_remove.txt removed)
  list(TRANSFORM removed REPLACE "(.+)" "\"\\1\"")
  list(JOIN removed "," removed)
  file(WRITE ${CMAKE_BINARY_DIR}/asyncify_remove.json "[${removed}]")
  target_link_options(lockstep-worker PRIVATE -sASYNCIFY --js-library ${CMAKE_SOURCE_DIR}/app/web/asyncify_names.js
    -sASYNCIFY_REMOVE=@${CMAKE_BINARY_DIR}/asyncify_remove.json
    -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=4GB -sENVIRONMENT=worker,node -sINVOKE_RUN=0 -sMODULARIZE=1
    -sEXPORT_NAME=LockstepWorker -sDYNAMIC_EXECUTION=0 -sFORCE_FILESYSTEM=1
    -sEXPORTED_FUNCTIONS=_malloc,_free,_lockstep_serve
    -sEXPORTED_RUNTIME_METHODS=FS,HEAPU8,stringToUTF8,lengthBytesUTF8,UTF8ToString,cwrap)
else()
  include(cmake/web_window.cmake)
endif()
set_source_files_properties(app/engine/json_output.cpp PROPERTIES LOCKSTEP_ALONE ON)
foreach(room model platform devices ladders plain engine)
  lockstep_unity(lockstep_${room})
endforeach()
