#include "cuda/core/paint/colormap.h"

#include <algorithm>
#include <charconv>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/embedded.h"
#include "cuda/core/simulation/parameters.h"

namespace perturb {

std::span<const EmbeddedFile> embedded_colormaps();

namespace {

// Format: a header line, then red,green,blue in 0..255 on each line.
Colormap parse(std::string_view name, std::string_view text) {
  Colormap map;
  map.id = std::string(name.substr(0, name.find('.')));
  std::size_t at = text.find('\n');
  while (at != std::string_view::npos && at + 1 < text.size()) {
    const char* cursor = text.data() + at + 1;
    const char* end = text.data() + text.size();
    unsigned channel[3] = {};
    for (unsigned& value : channel) {
      const auto result = std::from_chars(cursor, end, value);
      if (result.ec != std::errc() || value > 255) throw Error("internal: the colormap {} is damaged", map.id);
      cursor = result.ptr < end ? result.ptr + 1 : end;
    }
    map.colors.push_back(rgba(channel[0], channel[1], channel[2]));
    at = text.find('\n', at + 1);
  }
  return map;
}

}  // namespace

const std::vector<Colormap>& colormaps() {
  static const std::vector<Colormap> maps = [] {
    std::vector<Colormap> list;
    for (const EmbeddedFile& file : embedded_colormaps()) list.push_back(parse(file.name, file.text));
    list.push_back(bits24_colormap());
    std::sort(list.begin(), list.end(), [](const Colormap& a, const Colormap& b) { return a.id < b.id; });
    return list;
  }();
  return maps;
}

const Colormap& bits24_colormap() {
  static const Colormap map = [] {
    Colormap bits{"bits24", {}};
    // Red and green take all their values in each part.
    for (std::uint32_t blue = 0; blue < 256; ++blue) bits.colors.push_back(rgba(128, 128, blue));
    return bits;
  }();
  return map;
}

const Colormap& counted_colormap() {
  static const Colormap map = [] {
    Colormap counted{"counted", {}};
    for (std::uint32_t k = 0; k < counted_values; ++k) counted.colors.push_back(rgba(k & 0xFF, k >> 8, counted_mark));
    return counted;
  }();
  return map;
}

const Colormap& find_colormap(const std::string& id) {
  for (const Colormap& map : colormaps())
    if (map.id == id) return map;
  const std::vector<std::string> ids = ids_of(colormaps());
  throw InputError("There is no colormap \"{}\"{}", id, did_you_mean(id, ids, choose_one_of(ids)));
}

}  // namespace perturb
