#include "cuda/core/paint/colormap.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <deque>
#include <mutex>
#include <utility>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/embedded.h"
#include "cuda/core/simulation/format.h"
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

// ---- colours of the user

namespace {

struct OwnColormaps {
  std::mutex mutex;
  std::deque<Colormap> maps;  // references stay valid; the last one of an id counts
};
OwnColormaps& own() {
  static OwnColormaps all;
  return all;
}

const Colormap* find_own(const std::string& id) {
  const std::scoped_lock lock(own().mutex);
  const auto& maps = own().maps;
  const auto found = std::find_if(maps.rbegin(), maps.rend(), [&](const Colormap& map) { return map.id == id; });
  return found == maps.rend() ? nullptr : &*found;
}

// The fields of a line. A comma is a decimal point where semicolons divide, as spreadsheets of many countries write.
std::vector<std::string> fields_of(std::string line) {
  line.resize(std::min(line.find('#'), line.size()));
  const bool semicolons = line.find(';') != std::string::npos;
  std::vector<std::string> fields(1);
  for (const char c : line) {
    if (c == ' ' || c == '\t' || c == '\r' || c == ';' || (c == ',' && !semicolons)) {
      if (!fields.back().empty()) fields.emplace_back();
    } else {
      fields.back() += c == ',' ? '.' : c;
    }
  }
  if (fields.back().empty()) fields.pop_back();
  return fields;
}

}  // namespace

bool is_own_colormap(const std::string& id) {
  return id.find('.') != std::string::npos && id.find('/') == std::string::npos;
}

Colormap parse_colormap(const std::string& id, std::string_view text) {
  constexpr std::size_t least_rows = 2, most_rows = 1024, least_colors = 256;
  int line = 0;
  const auto reject = [&](const Message& what) { throw InputError(Message("{}:{}: {}", id, line, what)); };
  std::vector<std::array<double, 3>> rows;
  double largest = 0;
  int line_of_largest = 0;
  bool has_heading = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::vector<std::string> fields = fields_of(std::string(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line;
    if (fields.empty()) continue;
    double value = 0;
    if (rows.empty() && !has_heading && !read_number(fields.front(), value)) {
      has_heading = true;
      continue;
    }
    if (fields.size() != 3)
      reject({"Write three numbers on each line: red, green and blue. Found here: {}.", fields.size()});
    if (rows.size() == most_rows) reject({"Too many colours. At most {} are possible.", most_rows});
    for (std::size_t k = 0; k < 3; ++k) {
      if (!read_number(fields[k], value) || !(value >= 0 && value <= 255))
        reject({"\"{}\" is not a colour. Write numbers from 0 to 1, or from 0 to 255.", fields[k]});
      if (k == 0) rows.emplace_back();
      rows.back()[k] = value;
      if (value > largest) line_of_largest = line;
      largest = std::max(largest, value);
    }
  }
  if (rows.size() < least_rows) reject({"At least {} colours are needed. Found: {}.", least_rows, rows.size()});
  // A number slightly above 1 in a table of fractions is an error, not a byte.
  bool has_fractions = false;
  for (const auto& row : rows)
    for (const double value : row) has_fractions = has_fractions || (value < 1 && value != std::floor(value));
  if (has_fractions && largest > 1) {
    line = line_of_largest;
    reject({"{} is above 1, and other numbers are fractions of 1. Write all as fractions, or all as bytes.",
            format_number(largest)});
  }
  const double scale = largest > 1 ? 1 : 255;
  Colormap map{id, {}};
  const std::size_t count = std::max(rows.size(), least_colors);
  for (std::size_t k = 0; k < count; ++k) {
    const double at = static_cast<double>(k * (rows.size() - 1)) / static_cast<double>(count - 1);
    const std::size_t below = std::min(static_cast<std::size_t>(at), rows.size() - 2);
    const double part = at - static_cast<double>(below);
    unsigned channel[3];
    for (std::size_t c = 0; c < 3; ++c)
      channel[c] =
          static_cast<unsigned>(std::lround(scale * (rows[below][c] + part * (rows[below + 1][c] - rows[below][c]))));
    map.colors.push_back(rgba(channel[0], channel[1], channel[2]));
  }
  return map;
}

const Colormap& add_colormap(Colormap map) {
  if (const Colormap* same = find_own(map.id); same && same->colors == map.colors) return *same;
  const std::scoped_lock lock(own().mutex);
  return own().maps.emplace_back(std::move(map));
}

std::vector<const Colormap*> own_colormaps() {
  const std::scoped_lock lock(own().mutex);
  std::vector<const Colormap*> all;
  for (const Colormap& map : own().maps) {
    const auto same = std::find_if(all.begin(), all.end(), [&](const Colormap* other) { return other->id == map.id; });
    if (same == all.end())
      all.push_back(&map);
    else
      *same = &map;
  }
  return all;
}

Message missing_colormap(const std::string& id) {
  if (!is_own_colormap(id) || find_own(id)) return {};
  return {"The colours \"{}\" are not here, so viridis is shown. Drop their file on the window to use them.", id};
}

const Colormap& find_colormap(const std::string& id) {
  for (const Colormap& map : colormaps())
    if (map.id == id) return map;
  if (is_own_colormap(id)) {
    const Colormap* own = find_own(id);
    return own ? *own : find_colormap("viridis");
  }
  const std::vector<std::string> ids = ids_of(colormaps());
  throw InputError("There is no colormap \"{}\"{}", id, did_you_mean(id, ids, choose_one_of(ids)));
}

}  // namespace perturb
