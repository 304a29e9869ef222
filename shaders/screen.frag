#version 330 core
// The texel under this pixel, unfiltered. Where the sizes agree uv·size lies at the middle of a texel, far from both of its
// edges, so that rounding cannot choose a neighbour.
uniform sampler2D picture;
in vec2 uv;
out vec4 color;

void main() {
  ivec2 size = textureSize(picture, 0);
  ivec2 texel = clamp(ivec2(uv * vec2(size)), ivec2(0), size - 1);
  color = vec4(texelFetch(picture, texel, 0).rgb, 1.0);
}
