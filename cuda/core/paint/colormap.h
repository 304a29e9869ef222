// Maps numbers to colours.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/core/backend/host_device.h"
#include "cuda/core/backend/message.h"
#include "cuda/core/paint/pixels.h"

namespace perturb {

// The map `bits24` has no table: a colour is the 24-bit index of a value in its range, with red as its lowest byte and
// blue as its highest. Red takes all its values 65 536 times, too many for a table in a window.
inline constexpr std::uint32_t bits24_last = 0xFFFFFF;

// A colour table for kernels, with the range of values that it covers.
struct ColorScale {
  View1D<const std::uint32_t> colors;  // empty: the colours of `bits24`
  float minimum = 0, per_unit = 1;     // color index = (value - minimum)·per_unit

  PERTURB_HD std::uint32_t operator()(float value) const {
    const float t = (value - minimum) * per_unit;
    // NaN fails every comparison: it is shown in magenta, a colour that no table contains, never as black.
    if (!(t >= 0.f) && !(t < 0.f)) return rgba(255, 0, 255);
    const int last = static_cast<int>(colors.empty() ? bits24_last : colors.size - 1);
    const int place = t < 0.f ? 0 : t < static_cast<float>(last) ? static_cast<int>(t) : last;
    if (colors.empty()) return static_cast<std::uint32_t>(place) | 0xFF000000u;
    return colors[static_cast<std::size_t>(place)];
  }

  // Colours `count` pixels, on the CPU.
  void color(const float* values, int count, std::uint32_t* out) const {
    const ColorScale scale = *this;  // a local copy: otherwise the compiler must assume that storing a colour changes
                                     // this object
    for (int k = 0; k < count; ++k) out[k] = scale(values[k]);
  }
};

// A named colour table on the host, as in its CSV file; for `bits24` the mean colours of 256 parts of its range.
struct Colormap {
  std::string id;
  std::vector<std::uint32_t> colors;
};
const Colormap& bits24_colormap();

// A map whose colours are indices: the painted quantity can be read back from the image. Its range has 65 536 parts.
// The blue channel marks such a pixel, to distinguish it from walls, marks and the area outside the domain.
inline constexpr std::uint32_t counted_values = 65536, counted_mark = 0x5A;
const Colormap& counted_colormap();
PERTURB_HD inline bool is_counted(std::uint32_t color) { return (color >> 16 & 0xFFu) == counted_mark; }
PERTURB_HD inline std::uint32_t counted_value(std::uint32_t color) { return color & 0xFFFFu; }

// A colour table in the memory of a backend.
class ColorTable {
 public:
  ColorTable(Backend& backend, const Colormap& map) : colors_(backend, map.colors.size(), "colour table"), map_(map) {
    colors_.upload(map.colors);
  }
  const std::string& id() const { return map_.id; }
  const Colormap& map() const { return map_; }
  // Another map of the same name may have other colours.
  bool holds(const Colormap& map) const { return map_.id == map.id && map_.colors == map.colors; }
  // Whether its colours are indices: painters then omit shading, arrows and marks.
  bool is_counted() const { return id() == counted_colormap().id; }
  ColorScale scale(double minimum, double maximum) const {
    const double span = maximum > minimum ? maximum - minimum : 1;
    if (id() == bits24_colormap().id) return {{}, static_cast<float>(minimum), static_cast<float>(bits24_last / span)};
    return {colors_.view(), static_cast<float>(minimum),
            static_cast<float>(static_cast<double>(colors_.size()) / span)};
  }

 private:
  Array<std::uint32_t> colors_;
  Colormap map_;
};

// Every colormap of assets/colormaps, embedded at build time, and `bits24`.
const std::vector<Colormap>& colormaps();
// Throws InputError with the nearest name if there is none. The name of a user's file that has not been read stands for
// `viridis`: a saved scene names its colours, but does not contain them.
const Colormap& find_colormap(const std::string& id);

// ---- colours of the user

// Whether an id is that of a user's file, such as "sunset.csv": it has an ending, which no built-in name has.
bool is_own_colormap(const std::string& id);
// Reads a user's colours: red, green and blue on each of 2 to 1024 lines, all from 0 to 1 or all as bytes, divided by
// blanks, commas or semicolons. A heading and comments after # are ignored. Fewer than 256 colours are interpolated to
// as many. Throws InputError "ID:LINE: ...".
Colormap parse_colormap(const std::string& id, std::string_view text);
// Makes the colours available to find_colormap(), instead of earlier ones of this id, which remain valid where they are
// in use. On any thread.
const Colormap& add_colormap(Colormap map);
// Those added, in their order.
std::vector<const Colormap*> own_colormaps();
// Empty, or the sentence about colours of this id that have not been read.
Message missing_colormap(const std::string& id);

}  // namespace perturb
