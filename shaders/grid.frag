#version 330 core
// One texel per cell, coloured through the table; the gap between cells stays empty.
uniform usampler2D values;
uniform sampler2D table;   // 256 x 1
uniform vec2 gap;          // as a share of a cell
in vec2 cell;
out vec4 colour;
void main() {
  ivec2 size = textureSize(values, 0);
  ivec2 at = clamp(ivec2(cell), ivec2(0), size - 1);
  vec2 within = cell - vec2(at);
  if (within.x > 1.0 - gap.x || within.y > 1.0 - gap.y) discard;
  colour = texelFetch(table, ivec2(int(texelFetch(values, at, 0).r), 0), 0);
}
