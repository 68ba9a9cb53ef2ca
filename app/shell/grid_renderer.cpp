#include "grid_renderer.hpp"

#include "gl.hpp"

#include <cmath>
#include <cstdio>
#include <string>

#include "app/model/embedded.hpp"

namespace lockstep {

extern const EmbeddedFile embedded_shaders[];
extern const int embedded_shaders_count;

namespace {

std::string_view shader_source(std::string_view name) {
  for (int i = 0; i < embedded_shaders_count; ++i)
    if (embedded_shaders[i].name == name) return embedded_shaders[i].text;
  return {};
}

// A file begins with the desktop's version; the same text is WebGL's behind another first line.
std::string for_this_gl(std::string_view text) {
#ifdef __EMSCRIPTEN__
  return "#version 300 es\nprecision highp float;\nprecision highp int;\nprecision highp usampler2D;\n" +
         std::string(text.substr(text.find('\n') + 1));
#else
  return std::string(text);
#endif
}

GLuint compile(GLenum kind, std::string_view name) {
  const std::string text = for_this_gl(shader_source(name));
  const GLuint shader = glCreateShader(kind);
  const char* source = text.data();
  const GLint length = GLint(text.size());
  glShaderSource(shader, 1, &source, &length);
  glCompileShader(shader);
  GLint ok = 0;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
  if (ok) return shader;
  char log[1024] = "";
  glGetShaderInfoLog(shader, sizeof log, nullptr, log);
  std::fprintf(stderr, "lockstep: shader %.*s does not compile: %s\n", int(name.size()), name.data(), log);
  glDeleteShader(shader);
  return 0;
}

GLuint link_program() {
  const GLuint vertex = compile(GL_VERTEX_SHADER, "grid.vert"),
               fragment = compile(GL_FRAGMENT_SHADER, "grid.frag");
  if (!vertex || !fragment) return 0;
  const GLuint program = glCreateProgram();
  glAttachShader(program, vertex), glAttachShader(program, fragment);
  glLinkProgram(program);
  glDeleteShader(vertex), glDeleteShader(fragment);
  GLint ok = 0;
  glGetProgramiv(program, GL_LINK_STATUS, &ok);
  return ok ? program : 0;
}

GLuint nearest_texture() {
  GLuint texture = 0;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  for (GLenum what : {GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER})
    glTexParameteri(GL_TEXTURE_2D, what, GL_NEAREST);
  for (GLenum what : {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T})
    glTexParameteri(GL_TEXTURE_2D, what, GL_CLAMP_TO_EDGE);
  return texture;
}

}  // namespace

GridRenderer::GridRenderer() : program_(link_program()) { glGenVertexArrays(1, &vertices_); }

GridRenderer::~GridRenderer() {
  for (auto& [key, texture] : textures_)
    glDeleteTextures(1, &texture.values), glDeleteTextures(1, &texture.table);
  glDeleteVertexArrays(1, &vertices_);
  if (program_) glDeleteProgram(program_);
}

// Sends to the GPU what has changed since the last drawing under this key.
GridRenderer::Texture& GridRenderer::prepare(const GridDraw& grid) {
  Texture& t = textures_[grid.key];
  if (!t.values) t.values = nearest_texture(), t.table = nearest_texture();
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  if (t.columns != grid.columns || t.rows != grid.rows || t.uploaded != grid.values) {
    glBindTexture(GL_TEXTURE_2D, t.values);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R8UI, grid.columns, grid.rows, 0, GL_RED_INTEGER, GL_UNSIGNED_BYTE,
                 grid.values.data());
    t.columns = grid.columns, t.rows = grid.rows, t.uploaded = grid.values;
  }
  if (t.colors != grid.colors) {
    glBindTexture(GL_TEXTURE_2D, t.table);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 256, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, grid.colors.data());
    t.colors = grid.colors;
  }
  return t;
}

void GridRenderer::draw(const GridDraw& grid, Rect clip, float screen_width, float screen_height) {
  if (!program_ || grid.columns <= 0 || grid.rows <= 0) return;
  Texture& t = prepare(grid);
  glUseProgram(program_);
  glBindVertexArray(vertices_);
  const auto at = [&](const char* name) { return glGetUniformLocation(program_, name); };
  glUniform4f(at("area"), grid.area.x, grid.area.y, grid.area.w, grid.area.h);
  glUniform2f(at("screen"), screen_width, screen_height);
  glUniform2f(at("cells"), float(grid.columns), float(grid.rows));
  glUniform2f(at("gap"), grid.gap_px * float(grid.columns) / grid.area.w,
              grid.gap_px * float(grid.rows) / grid.area.h);
  glUniform1i(at("values"), 0), glUniform1i(at("table"), 1);
  glActiveTexture(GL_TEXTURE1), glBindTexture(GL_TEXTURE_2D, t.table);
  glActiveTexture(GL_TEXTURE0), glBindTexture(GL_TEXTURE_2D, t.values);
  glEnable(GL_BLEND), glDisable(GL_DEPTH_TEST), glDisable(GL_CULL_FACE);
  glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
  glEnable(GL_SCISSOR_TEST);
  glScissor(GLint(clip.x), GLint(screen_height - clip.bottom()), GLsizei(std::max(0.f, clip.w)),
            GLsizei(std::max(0.f, clip.h)));
  glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

}  // namespace lockstep
