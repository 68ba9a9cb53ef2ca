#version 330 core
// A quad without buffers: corners from the vertex number.
uniform vec4 area;      // x, y, width, height in framebuffer pixels, y down
uniform vec2 screen;    // framebuffer size
out vec2 cell;          // 0 .. columns, 0 .. rows
uniform vec2 cells;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  cell = corner * cells;
  vec2 at = area.xy + corner * area.zw;
  gl_Position = vec4(at.x / screen.x * 2.0 - 1.0, 1.0 - at.y / screen.y * 2.0, 0.0, 1.0);
}
