// OpenGL 3.3 core, or WebGL 2 in a browser: what both have.
#pragma once
#ifdef __EMSCRIPTEN__
#include <GLES3/gl3.h>
#else
#include <glad/gl.h>
#endif
