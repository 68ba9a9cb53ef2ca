# LOCKSTEP_PORTABLE names a folder that scripts/portable.sh has filled: the program then runs on every x86-64 Linux with glibc
# 2.31 or newer, and needs nothing else there to start. Compiled as ever; what differs is what it is linked with:
#   libc/                      link libraries of Debian 11's glibc and libgcc_s, so that no newer symbol is asked for
#   lib/*.a                    libraries that Debian packages only as shared objects
#   lib/x11, lib/wayland       GLFW, opened at run time by app/platform/display.cpp: it needs the host's libX11 or libwayland
# Everything else is Debian's static archive. Its names stay inside: drivers that are loaded later bring libraries of their own.
if(NOT LOCKSTEP_PORTABLE)
  return()
endif()

# lockstep_static(TARGET LIBRARY...): TARGET, found as a shared object, is linked from these archives.
function(lockstep_static target)
  set(files "")
  foreach(name ${ARGN})
    find_library(LOCKSTEP_STATIC_${name} NAMES lib${name}.a PATHS ${LOCKSTEP_PORTABLE}/lib NO_CMAKE_FIND_ROOT_PATH REQUIRED)
    list(APPEND files ${LOCKSTEP_STATIC_${name}})
  endforeach()
  set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${files}" INTERFACE_LINK_OPTIONS "")
endfunction()

lockstep_static(PkgConfig::STB stb)
lockstep_static(PkgConfig::LIBZIP zip z)
lockstep_static(PkgConfig::LIBUV uv_a)
lockstep_static(PkgConfig::MD4C md4c)
lockstep_static(PkgConfig::NETTLE nettle)
lockstep_static(PkgConfig::HARFBUZZ_SUBSET harfbuzz-subset)
lockstep_static(PkgConfig::CAIRO cairo pixman-1 fontconfig freetype expat png16 z brotlidec brotlicommon)
lockstep_static(PkgConfig::IMGUI imgui stb)
add_library(lockstep_freetype INTERFACE)
target_include_directories(lockstep_freetype SYSTEM INTERFACE ${FREETYPE_INCLUDE_DIRS})
lockstep_static(lockstep_freetype freetype png16 z brotlidec brotlicommon)

# Compiled as for the shared one, so that the objects are those of every build.
find_library(LOCKSTEP_STATIC_boost_context NAMES libboost_context.a REQUIRED)
set_target_properties(Boost::context PROPERTIES IMPORTED_LOCATION ${LOCKSTEP_STATIC_boost_context}
  IMPORTED_LOCATION_RELEASE ${LOCKSTEP_STATIC_boost_context})

# GLFW's functions as jumps through a table that app/platform/display.cpp fills.
function(lockstep_window_library)
  file(GLOB library ${LOCKSTEP_PORTABLE}/lib/x11/libglfw.so.3)
  execute_process(COMMAND ${CMAKE_NM} -D --defined-only ${library} OUTPUT_VARIABLE table COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "glfw[A-Za-z0-9]+" names "${table}")
  list(REMOVE_DUPLICATES names)
  set(jumps "")
  set(strings "")
  set(number 0)
  foreach(name ${names})
    string(APPEND jumps
      "__asm__(\".globl ${name}\\n.type ${name},@function\\n${name}: jmp *lockstep_window_functions+8*${number}(%rip)\");\n")
    string(APPEND strings "  \"${name}\",\n")
    math(EXPR number "${number} + 1")
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/window_library.c CONTENT "/* Generated. */
__asm__(\".text\");
${jumps}__attribute__((visibility(\"hidden\"))) void* lockstep_window_functions[${number}];
const char* const lockstep_window_names[] = {
${strings}  0};
" @ONLY)
  add_library(lockstep_window_library STATIC ${CMAKE_BINARY_DIR}/generated/window_library.c)
  target_include_directories(lockstep_window_library INTERFACE $<TARGET_PROPERTY:glfw,INTERFACE_INCLUDE_DIRECTORIES>)
endfunction()
lockstep_window_library()
set(LOCKSTEP_GLFW lockstep_window_library)
set(LOCKSTEP_FREETYPE lockstep_freetype)

function(lockstep_portable_program target)
  add_library(lockstep_old_libc STATIC ${CMAKE_SOURCE_DIR}/app/platform/old_libc/old_libc.c)
  set(libc ${LOCKSTEP_PORTABLE}/libc)
  target_link_options(${target} PRIVATE --sysroot=${libc} -B${libc}/usr/lib/x86_64-linux-gnu -static-libstdc++
    -L${libc}/usr/lib/x86_64-linux-gnu -L${libc}/lib/x86_64-linux-gnu -Wl,--build-id=none)
  target_link_libraries(${target} PRIVATE lockstep_old_libc -lpthread -ldl -lrt -lm)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
endfunction()
