# The window's module: included by cmake/web.cmake.
set(sources ${LOCKSTEP_WEB_ROOT}/source)    # of libraries that are compiled here
lockstep_web_library(lockstep_draw app/draw LINKS lockstep_platform ${LOCKSTEP_WEB_ROOT}/lib/libfreetype.a)
lockstep_web_library(lockstep_labs app/labs LINKS lockstep_draw lockstep_devices lockstep_ladders lockstep_plain)

add_library(web_md4c STATIC ${sources}/md4c/src/md4c.c)
target_include_directories(web_md4c SYSTEM PUBLIC ${sources}/md4c/src)
set(nettle hmac.c hmac-sha256.c sha256.c sha256-compress.c memxor.c write-be32.c sha256-meta.c)
list(TRANSFORM nettle PREPEND ${LOCKSTEP_WEB_ROOT}/include/nettle/)
add_library(web_nettle STATIC ${nettle})
target_include_directories(web_nettle SYSTEM PUBLIC ${LOCKSTEP_WEB_ROOT}/include/nettle ${LOCKSTEP_WEB_ROOT}/include)
lockstep_web_library(lockstep_stories app/stories LINKS lockstep_labs web_md4c web_nettle)
target_compile_definitions(lockstep_stories PRIVATE LOCKSTEP_VERSION="${PROJECT_VERSION}")
lockstep_include_root(lockstep_stories kernels/simt/counted.hpp)

file(GLOB imgui ${sources}/imgui/imgui*.cpp)
list(FILTER imgui EXCLUDE REGEX "imgui_demo")
add_library(imgui STATIC ${imgui} ${sources}/imgui/backends/imgui_impl_opengl3.cpp)
target_compile_definitions(imgui PUBLIC IMGUI_IMPL_OPENGL_ES3 IMGUI_DISABLE_DEMO_WINDOWS IMGUI_DISABLE_METRICS_WINDOW)
target_include_directories(imgui SYSTEM PUBLIC ${sources}/imgui ${sources}/imgui/backends)
target_compile_options(imgui PRIVATE -fwasm-exceptions)

add_library(web_harfbuzz STATIC ${sources}/harfbuzz/src/harfbuzz-subset.cc)
target_include_directories(web_harfbuzz SYSTEM PUBLIC ${sources}/harfbuzz/src)
target_compile_definitions(web_harfbuzz PRIVATE HB_NO_MT)
target_compile_options(web_harfbuzz PRIVATE -w -fno-exceptions -fno-rtti)

lockstep_web_library(lockstep_ui app/shell LINKS lockstep_stories lockstep_plain imgui web_harfbuzz
  EXCEPT canvas_cairo.cpp figure_paper.cpp lens_texture.cpp offscreen.cpp shot.cpp clip.cpp handout.cpp window.cpp notes_window.cpp bench)
lockstep_include_root(lockstep_ui app/program)
lockstep_embed(lockstep_ui shaders embedded_shaders shaders/*)

add_executable(lockstep-window app/web/window_module.cpp app/web/page_runner.cpp app/web/picture_module.cpp)
target_link_libraries(lockstep-window PRIVATE lockstep_ui lockstep_engine)
target_link_options(lockstep-window PRIVATE -sMIN_WEBGL_VERSION=2 -sMAX_WEBGL_VERSION=2 -sALLOW_MEMORY_GROWTH=1
  -sMAXIMUM_MEMORY=2GB -sENVIRONMENT=web,node -sINVOKE_RUN=0 -sMODULARIZE=1 -sEXPORT_NAME=LockstepWindow -sDYNAMIC_EXECUTION=0
  -sFORCE_FILESYSTEM=1 -sTOTAL_STACK=1MB -sEXPORTED_FUNCTIONS=_malloc,_free
  -sEXPORTED_RUNTIME_METHODS=FS,ENV,HEAPU8,stringToUTF8,lengthBytesUTF8,UTF8ToString,cwrap,GL)
foreach(room labs stories ui)
  lockstep_unity(lockstep_${room})
endforeach()
