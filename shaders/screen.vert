#version 330 core
// One triangle that covers the viewport: no buffer is needed, the corners follow from the vertex number.
//
//   (-1, 3)
//      |\                    uv runs from (0, 0) at the viewport's lower left corner
//      | \                   to (1, 1) at its upper right
//      |__\
//      |  |\                 (the square is the viewport)
//      |__|_\  (3, -1)
//   (-1,-1)
out vec2 uv;

void main() {
  vec2 corner = vec2(float((gl_VertexID & 1) << 2), float((gl_VertexID & 2) << 1));  // (0,0) (4,0) (0,4)
  gl_Position = vec4(corner - 1.0, 0.0, 1.0);
  uv = corner * 0.5;
}
