#version 330 core
// Reads the texel under this pixel, unfiltered. Where the sizes agree, uv·size is at the centre of a texel, far from
// its edges, so rounding cannot select a neighbour.
uniform sampler2D picture;
in vec2 uv;
out vec4 color;

void main() {
  ivec2 size = textureSize(picture, 0);
  ivec2 texel = clamp(ivec2(uv * vec2(size)), ivec2(0), size - 1);
  color = vec4(texelFetch(picture, texel, 0).rgb, 1.0);
}
