// Draws a field of cells with WebGL2, from the description that the engine makes of an image
// (cuda/core/paint/field_image.h). The colours are those of the painters in C++ (wave/view/paint.h, lbm/view/paint.h):
// a change there is a change here, and tests/web/field_test.py compares both.

const vertices = `#version 300 es
void main() {
  gl_Position = vec4(gl_VertexID == 1 ? 3 : -1, gl_VertexID == 2 ? 3 : -1, 0, 1);
}`;

const maxRings = 9;

// Positions are in cells, colours from 0 to 255. Cells and pixel centres are read, not computed: a shader may round
// differently, and a pixel would show another cell.
const fragments = `#version 300 es
precision highp float;
precision highp int;
precision highp sampler2D;

uniform sampler2D x, y, values, cover, colors, stream, arrows;
uniform ivec2 grid, corner, part, taps;
uniform vec2 cells_per_pixel;
uniform bool linear, shades, probed;
uniform int shading, cover_is, ring_count, arrow_side;
uniform float minimum, per_unit, slope_per_difference, exaggeration, mark_size, stream_step;
uniform vec4 rings[${maxRings}];
uniform float radii[${maxRings}];
uniform vec2 probe;
out vec4 result;

const int by_table = 0, by_light = 1;               // FieldImage::Shading
const int no_cover = 0, medium = 1, outline = 2;    // FieldImage::Cover
const int value = 0, slope_x = 1, slope_y = 2, wall = 3, factor = 4, distance_out = 5;
const vec3 wall_inside = vec3(92, 96, 104), wall_edge = vec3(52, 55, 62);

ivec2 texel(int i, int j) {
  return clamp(clamp(ivec2(i, j), ivec2(0), grid - 1) - corner, ivec2(0), part - 1);
}
float value_at(int i, int j) { return texelFetch(values, texel(i, j), 0).r; }
float cover_at(int i, int j) { return texelFetch(cover, texel(i, j), 0).r; }
// Also for -0.
bool is_wall(int i, int j) { return floatBitsToInt(cover_at(i, j)) < 0; }

float read(int what, int i, int j) {
  i = clamp(i, 0, grid.x - 1);
  j = clamp(j, 0, grid.y - 1);
  if (what == slope_x) return (value_at(i + 1, j) - value_at(i - 1, j)) * slope_per_difference;
  if (what == slope_y) return (value_at(i, j + 1) - value_at(i, j - 1)) * slope_per_difference;
  if (what == wall) return is_wall(i, j) ? 1.0 : 0.0;
  if (what == factor) return abs(cover_at(i, j));
  if (what == distance_out) return cover_at(i, j);
  return value_at(i, j);
}

float between(int what, vec2 p) {
  vec2 from = p - 0.5, whole = floor(from), share = from - whole;
  int i = int(whole.x), j = int(whole.y);
  float v00 = read(what, i, j), v10 = read(what, i + 1, j), v01 = read(what, i, j + 1), v11 = read(what, i + 1, j + 1);
  float left = share.y * (v01 - v00) + v00, right = share.y * (v11 - v10) + v10;
  return share.x * (right - left) + left;
}

float average(int what, ivec2 pixel) {
  float sum = 0.0, total = 0.0;
  for (int b = 0; b < taps.y; ++b) {
    int j = int(texelFetch(y, ivec2(pixel.y, 1 + b), 0).r);
    float row = texelFetch(y, ivec2(pixel.y, 1 + taps.y + b), 0).r;
    for (int a = 0; a < taps.x; ++a) {
      float share = row * texelFetch(x, ivec2(pixel.x, 1 + taps.x + a), 0).r;
      if (share == 0.0) continue;
      sum += share * read(what, int(texelFetch(x, ivec2(pixel.x, 1 + a), 0).r), j);
      total += share;
    }
  }
  return sum / total;
}

float look(int what, ivec2 pixel, vec2 p) {
  return linear && taps.x == 1 && taps.y == 1 ? between(what, p) : average(what, pixel);
}

vec3 table_color(float number) {
  float t = (number - minimum) * per_unit;
  if (isnan(t)) return vec3(255, 0, 255);
  int last = textureSize(colors, 0).x - 1, index = t < 0.0 ? 0 : t < float(last) ? int(t) : last;
  return floor(texelFetch(colors, ivec2(index, 0), 0).rgb * 255.0 + 0.5);
}

// wave::Light
vec3 lit(float along_x, float along_y) {
  if (isnan(along_x) || isnan(along_y) || isinf(along_x) || isinf(along_y)) return vec3(255, 0, 255);
  float nx = -exaggeration * along_x, ny = -exaggeration * along_y;
  float inverse = 1.0 / sqrt(nx * nx + ny * ny + 1.0);
  float diffuse = (-0.502 * nx + 0.602 * ny + 0.621) * inverse;
  float glint = max((-0.279 * nx + 0.334 * ny + 0.900) * inverse, 0.0);
  for (int k = 0; k < 6; ++k) glint *= glint; // to the power of 64
  float t = clamp(0.5 + 0.9 * (diffuse - 0.621), 0.0, 1.0);
  vec3 deep = vec3(8, 38, 66), body = vec3(26, 98, 138), bright = vec3(126, 200, 216);
  vec3 c = t < 0.5 ? deep + 2.0 * t * (body - deep) : body + (2.0 * t - 1.0) * (bright - body);
  return c + 0.85 * glint * (vec3(250, 252, 255) - c);
}

// Fraction of a pixel that is farther inside a wall than this, in pixels.
float covered(float outside, float inside) {
  return clamp(0.5 - inside - outside / cells_per_pixel.x, 0.0, 1.0);
}

vec3 wall_color(vec2 p) {
  if (cover_is == outline) return wall_edge + covered(between(distance_out, p), 1.6) * (wall_inside - wall_edge);
  vec2 reach = 1.6 * cells_per_pixel;
  ivec2 low = ivec2(floor(p - reach)), high = ivec2(floor(p + reach)), here = ivec2(floor(p));
  bool inner = is_wall(low.x, here.y) && is_wall(high.x, here.y) && is_wall(here.x, low.y) && is_wall(here.x, high.y);
  return inner ? wall_inside : wall_edge;
}

// wave::Mark
float ring_share(vec4 ends, float radius, vec2 p) {
  vec2 along = ends.zw - ends.xy, from = p - ends.xy;
  float length2 = dot(along, along), t = length2 > 0.0 ? clamp(dot(from, along) / length2, 0.0, 1.0) : 0.0;
  float width = cells_per_pixel.x, away = abs(length(from - t * along) - radius - 2.0 * width) / width;
  return away > 1.6 ? 0.0 : away < 0.6 ? 0.75 : 0.75 * (1.6 - away);
}

// The stream function, linear between the corners of cells: the corner (i, j) is at (i + 1/2, j + 1/2).
float stream_at(vec2 at) {
  vec2 from = at - 0.5, whole = floor(from), share = from - whole;
  ivec2 low = clamp(ivec2(whole), ivec2(0), grid), high = clamp(ivec2(whole) + 1, ivec2(0), grid);
  low = clamp(low - corner, ivec2(0), part);
  high = clamp(high - corner, ivec2(0), part);
  float v00 = texelFetch(stream, low, 0).r, v10 = texelFetch(stream, ivec2(high.x, low.y), 0).r;
  float v01 = texelFetch(stream, ivec2(low.x, high.y), 0).r, v11 = texelFetch(stream, high, 0).r;
  float left = share.y * (v01 - v00) + v00, right = share.y * (v11 - v10) + v10;
  return share.x * (right - left) + left;
}

// lbm::Paint::streamline
float streamline(vec2 p) {
  vec2 at = p + 0.5;
  float half_pixel = 0.5 * cells_per_pixel.x, here = stream_at(at) / stream_step;
  float sx = stream_at(at + vec2(half_pixel, 0)) - stream_at(at - vec2(half_pixel, 0));
  float sy = stream_at(at + vec2(0, half_pixel)) - stream_at(at - vec2(0, half_pixel));
  float slope = sqrt(sx * sx + sy * sy) / stream_step;
  if (!(slope > 1e-5 && slope < 0.4)) return 0.0;
  return clamp(0.5 * mark_size + 0.5 - abs(here - floor(here + 0.5)) / slope, 0.0, 1.0);
}

// lbm::Paint::arrow
float arrow(ivec2 pixel) {
  ivec2 square = pixel / arrow_side;
  vec3 drawn = texelFetch(arrows, square, 0).rgb;
  float size = drawn.z;
  if (!(size > 0.0)) return 0.0;
  vec2 from = vec2(pixel - (square * arrow_side + arrow_side / 2));
  float along = dot(from, drawn.xy), across = abs(from.y * drawn.x - from.x * drawn.y);
  float shaft = length(vec2(along - clamp(along, -size, size), across));
  float back = size - along, t = clamp(0.866 * back + 0.5 * across, 0.0, 0.45 * size);
  float barb = length(vec2(back - 0.866 * t, across - 0.5 * t));
  float away = min(shaft, barb) / (float(arrow_side) / 26.0);
  return away < 0.6 ? 1.0 : away < 1.4 ? (1.4 - away) / 0.8 : 0.0;
}

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  vec2 p = vec2(texelFetch(x, ivec2(pixel.x, 0), 0).r, texelFetch(y, ivec2(pixel.y, 0), 0).r);
  vec3 c = vec3(22, 24, 28);
  if (all(greaterThanEqual(p, vec2(0))) && all(lessThan(p, vec2(grid)))) {
    float share = 0.0;
    if (cover_is == medium) share = average(wall, pixel);
    if (cover_is == outline) share = covered(between(distance_out, p), 0.0);
    if (shading == by_table) {
      c = table_color(look(value, pixel, p));
    } else {
      float along_x = look(slope_x, pixel, p), along_y = look(slope_y, pixel, p);
      c = shading == by_light ? lit(along_x, along_y) : table_color(0.640 * along_x - 0.768 * along_y);
    }
    if (shades) {
      float speed = average(factor, pixel);
      if (speed != 1.0) c *= clamp(1.0 - 0.3 * (1.0 - speed), 0.7, 1.2);
    }
    if (share > 0.0) c += share * (wall_color(p) - c);
    if (share < 1.0) {
      float ink = stream_step > 0.0 ? 0.8 * (1.0 - share) * streamline(p) : 0.0;
      if (arrow_side > 0) ink = max(ink, arrow(pixel));
      vec3 paper = vec3(0.299, 0.587, 0.114) * c;
      vec3 inks = paper.r + paper.g + paper.b > 110.0 ? vec3(20, 22, 26) : vec3(240, 242, 246);
      c += 0.8 * ink * (inks - c);
    }
    float mark = 0.0;
    for (int k = 0; k < ring_count; ++k) mark = max(mark, ring_share(rings[k], radii[k], p));
    c += mark * (vec3(38, 40, 46) - c);
    if (probed) { // lbm::Paint::ring
      float away = abs(length((p - probe) / cells_per_pixel) / mark_size - 6.0);
      if (away < 1.6) c += min(1.6 - away, 1.0) * (vec3(255, 196, 64) - c);
      else if (away < 2.8) c += 0.7 * min(2.8 - away, 1.0) * (vec3(16, 18, 22) - c);
    }
  }
  result = vec4(floor(clamp(c, 0.0, 255.0) + 0.5) / 255.0, 1);
}`;

// Whether the browser emulates the GPU: the engine paints faster then. Not all browsers refuse such a context.
function isEmulated(gl) {
  const names = gl.getExtension("WEBGL_debug_renderer_info");
  const name = gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

const textures = ["x", "y", "values", "cover", "colors", "stream", "arrows"];

export class FieldCanvas {
  #canvas = document.createElement("canvas");
  #gl = null;
  #compiling = null; // the program, while the browser compiles it
  #uniforms = null; // name: its location; null: nothing can be drawn
  #sizes = {};

  constructor() {
    const gl = this.#canvas.getContext("webgl2", { alpha: false, antialias: false, depth: false,
      failIfMajorPerformanceCaveat: true });
    if (!gl || isEmulated(gl)) return;
    this.#gl = gl;
    this.#canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault(); // so that it can be restored
      this.#compiling = this.#uniforms = null;
    });
    this.#canvas.addEventListener("webglcontextrestored", () => this.#compile());
    this.#compile();
  }

  // The largest side of a field and of an image that can be drawn now; 0: nothing can be drawn.
  get mostSide() {
    if (this.#compiling) this.#finish();
    return this.#uniforms ? this.#gl.getParameter(this.#gl.MAX_TEXTURE_SIZE) : 0;
  }

  // Returns the canvas with the image, valid until the end of the task; null if it cannot be drawn.
  draw(field, width, height) {
    const gl = this.#gl, canvas = this.#canvas;
    if (!this.mostSide) return null;
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== height) canvas.height = height;
    gl.viewport(0, 0, width, height);
    const { lists, part, taps } = field;
    this.#upload("x", [width, 1 + 2 * taps[0]], lists.x);
    this.#upload("y", [height, 1 + 2 * taps[1]], lists.y);
    this.#upload("values", part, lists.values);
    if (lists.cover.byteLength) this.#upload("cover", part, lists.cover);
    this.#upload("colors", [lists.colors.byteLength / 4, 1], lists.colors);
    if (lists.stream.byteLength) this.#upload("stream", [part[0] + 1, part[1] + 1], lists.stream);
    const squares = (pixels) => Math.ceil(pixels / field.arrow_side);
    if (field.arrow_side) this.#upload("arrows", [squares(width), squares(height)], lists.arrows);
    const at = this.#uniforms;
    for (const name of ["grid", "corner", "part", "taps"]) gl.uniform2iv(at[name], field[name]);
    for (const name of ["linear", "shades", "shading", "cover_is", "arrow_side"]) gl.uniform1i(at[name], Number(field[name]));
    for (const name of ["minimum", "per_unit", "slope_per_difference", "exaggeration", "mark_size", "stream_step"])
      gl.uniform1f(at[name], field[name]);
    gl.uniform2fv(at.cells_per_pixel, field.cells_per_pixel);
    const rings = field.rings.slice(0, maxRings);
    gl.uniform1i(at.ring_count, rings.length);
    if (rings.length) {
      gl.uniform4fv(at.rings, rings.flatMap((ring) => ring.slice(0, 4)));
      gl.uniform1fv(at.radii, rings.map((ring) => ring[4]));
    }
    gl.uniform1i(at.probed, Number(Boolean(field.probe)));
    if (field.probe) gl.uniform2fv(at.probe, field.probe);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    // A browser short of memory may have made the canvas smaller. Nothing more is drawn then, nor without a context
    // until it is restored.
    if (gl.drawingBufferWidth === width && gl.drawingBufferHeight === height && !gl.isContextLost()) return canvas;
    this.#uniforms = null;
    return null;
  }

  #upload(name, [width, height], list) {
    const gl = this.#gl, bytes = name === "colors";
    gl.activeTexture(gl.TEXTURE0 + textures.indexOf(name));
    const [inside, format, type] = bytes ? [gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE]
      : name === "arrows" ? [gl.RGBA32F, gl.RGBA, gl.FLOAT] : [gl.R32F, gl.RED, gl.FLOAT];
    const data = bytes ? new Uint8Array(list) : new Float32Array(list), size = `${width}x${height}`;
    if (this.#sizes[name] === size) return gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, width, height, format, type, data);
    this.#sizes[name] = size;
    gl.texImage2D(gl.TEXTURE_2D, 0, inside, width, height, 0, format, type, data);
  }

  #compile() {
    const gl = this.#gl, program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, vertices], [gl.FRAGMENT_SHADER, fragments]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    this.#compiling = program;
    this.#sizes = {};
    textures.forEach((name, k) => {
      gl.activeTexture(gl.TEXTURE0 + k);
      gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
      for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, filter,
        gl.NEAREST);
      this.#upload(name, [1, 1], new ArrayBuffer(16));
    });
  }

  // Takes the program once it is compiled, which can take long: until then the engine paints.
  #finish() {
    const gl = this.#gl, program = this.#compiling, parallel = gl.getExtension("KHR_parallel_shader_compile");
    if (parallel && !gl.getProgramParameter(program, parallel.COMPLETION_STATUS_KHR)) return;
    this.#compiling = null;
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) return;
    gl.useProgram(program);
    this.#uniforms = {};
    for (let k = 0; k < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); ++k) {
      const name = gl.getActiveUniform(program, k).name.replace("[0]", "");
      this.#uniforms[name] = gl.getUniformLocation(program, name);
    }
    textures.forEach((name, k) => gl.uniform1i(this.#uniforms[name], k));
  }
}
