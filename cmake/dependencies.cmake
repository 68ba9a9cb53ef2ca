# Everything comes from the distribution's packages; scripts/packages.txt lists them.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(Freetype REQUIRED)
find_package(glfw3 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(doctest REQUIRED)
find_package(Boost REQUIRED COMPONENTS context)
find_program(MSGFMT msgfmt REQUIRED)
pkg_check_modules(STB REQUIRED IMPORTED_TARGET stb)
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip)  # its CMake config wants tools that are packaged apart
pkg_check_modules(LIBUV REQUIRED IMPORTED_TARGET libuv)
pkg_check_modules(MD4C REQUIRED IMPORTED_TARGET md4c)
pkg_check_modules(NETTLE REQUIRED IMPORTED_TARGET nettle)                       # HMAC-SHA256 of a student's seed
pkg_check_modules(CAIRO REQUIRED IMPORTED_TARGET cairo-ft cairo-pdf)           # figures on paper
pkg_check_modules(HARFBUZZ_SUBSET REQUIRED IMPORTED_TARGET harfbuzz-subset)    # and the fonts in them

# Debian 13's say -pthread to the compiler, which glibc has no use for and the precompiled headers were made without.
foreach(package CAIRO HARFBUZZ_SUBSET)
  get_target_property(options PkgConfig::${package} INTERFACE_COMPILE_OPTIONS)
  if(options)
    list(REMOVE_ITEM options -pthread)
    set_target_properties(PkgConfig::${package} PROPERTIES INTERFACE_COMPILE_OPTIONS "${options}")
  endif()
endforeach()

if(NOT IMGUI_SOURCE_DIR)
  pkg_check_modules(IMGUI REQUIRED IMPORTED_TARGET imgui)
endif()

set(LOCKSTEP_GLFW glfw)
set(LOCKSTEP_FREETYPE Freetype::Freetype)
include(cmake/portable.cmake)

# Dear ImGui: the packaged library, or a source tree where one is named.
if(IMGUI_SOURCE_DIR)
  file(GLOB imgui_sources ${IMGUI_SOURCE_DIR}/imgui*.cpp)
  add_library(imgui STATIC ${imgui_sources} ${IMGUI_SOURCE_DIR}/backends/imgui_impl_glfw.cpp
    ${IMGUI_SOURCE_DIR}/backends/imgui_impl_opengl3.cpp ${IMGUI_SOURCE_DIR}/misc/freetype/imgui_freetype.cpp)
  target_include_directories(imgui SYSTEM PUBLIC ${IMGUI_SOURCE_DIR} ${IMGUI_SOURCE_DIR}/backends)
  target_link_libraries(imgui PUBLIC ${LOCKSTEP_GLFW} ${LOCKSTEP_FREETYPE} PkgConfig::STB ${CMAKE_DL_LIBS})
else()
  add_library(imgui INTERFACE)
  target_link_libraries(imgui INTERFACE PkgConfig::IMGUI ${LOCKSTEP_GLFW} ${LOCKSTEP_FREETYPE})
endif()

# OpenGL and EGL loaders, generated here; --reproducible keeps glad off the network.
find_program(GLAD_EXECUTABLE glad REQUIRED)
set(glad_dir ${CMAKE_BINARY_DIR}/generated/glad)
set(glad_run ${CMAKE_COMMAND} -E env PYTHONPATH= ${GLAD_EXECUTABLE} --quiet --reproducible --out-path ${glad_dir})
add_custom_command(OUTPUT ${glad_dir}/src/gl.c ${glad_dir}/include/glad/gl.h
  COMMAND ${glad_run} --api gl:core=4.3 --extensions GL_KHR_debug,GL_ARB_buffer_storage c --loader VERBATIM)
add_custom_command(OUTPUT ${glad_dir}/src/egl.c ${glad_dir}/include/glad/egl.h
  COMMAND ${glad_run} --api egl=1.5 --extensions
    EGL_EXT_platform_base,EGL_MESA_platform_surfaceless,EGL_EXT_device_enumeration,EGL_EXT_device_base,EGL_EXT_platform_device,EGL_KHR_surfaceless_context,EGL_KHR_no_config_context
    c --loader VERBATIM)
add_library(glad STATIC ${glad_dir}/src/gl.c ${glad_dir}/src/egl.c)
target_include_directories(glad SYSTEM PUBLIC ${glad_dir}/include)
target_link_libraries(glad PUBLIC ${CMAKE_DL_LIBS})
