#include "app/io/image/jpeg_info.h"

namespace perturb {

namespace {

// Reads numbers of one, two and four bytes in either byte order; 0 beyond the end.
class Bytes {
 public:
  Bytes(std::string_view bytes, bool little) : bytes_(bytes), little_(little) {}
  unsigned number(std::size_t at, std::size_t count) const {
    if (at > bytes_.size() || count > bytes_.size() - at) return 0;
    unsigned value = 0;
    for (std::size_t k = 0; k < count; ++k)
      value = value << 8 | static_cast<unsigned char>(bytes_[at + (little_ ? count - 1 - k : k)]);
    return value;
  }

 private:
  std::string_view bytes_;
  bool little_;
};

// The orientation tag in the first directory of a TIFF block (Exif 2.3, 4.6.4); 1 if missing.
int orientation_in(std::string_view tiff) {
  if (!tiff.starts_with("II") && !tiff.starts_with("MM")) return 1;
  constexpr std::size_t entry_bytes = 12;
  constexpr unsigned orientation_tag = 0x0112;
  const Bytes bytes(tiff, tiff.front() == 'I');
  const std::size_t directory = bytes.number(4, 4);
  const unsigned entries = bytes.number(directory, 2);
  for (unsigned k = 0; k < entries; ++k) {
    const std::size_t entry = directory + 2 + k * entry_bytes;
    if (bytes.number(entry, 2) != orientation_tag) continue;
    const unsigned value = bytes.number(entry + 8, 2);
    return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  }
  return 1;
}

// Whether each Huffman table of a segment (ITU T.81, B.2.4.2) has at most 256 codes and ends within the segment.
bool huffman_tables_fit(std::string_view segment) {
  constexpr std::size_t lengths = 16, max_codes = 256;
  while (!segment.empty()) {
    if (segment.size() < 1 + lengths) return false;
    std::size_t codes = 0;
    for (const char count : segment.substr(1, lengths)) codes += static_cast<unsigned char>(count);
    if (codes > max_codes || segment.size() - 1 - lengths < codes) return false;
    segment.remove_prefix(1 + lengths + codes);
  }
  return true;
}

// Position of the next marker after scan data; stuffed bytes and restart markers belong to the scan.
std::size_t end_of_scan(std::string_view bytes, std::size_t at) {
  for (; at + 1 < bytes.size(); ++at) {
    if (bytes[at] != '\xff') continue;
    const auto next = static_cast<unsigned char>(bytes[at + 1]);
    if (next != 0 && next != 0xff && (next < 0xd0 || next > 0xd7)) return at;
  }
  return bytes.size();
}

}  // namespace

bool is_jpeg(std::string_view bytes) { return bytes.starts_with("\xff\xd8"); }

std::optional<JpegInfo> read_jpeg_info(std::string_view bytes) {
  JpegInfo info;
  const Bytes big(bytes, false);
  std::size_t at = 2;
  while (at + 1 < bytes.size()) {
    if (bytes[at] != '\xff') {  // bytes that do not belong here are skipped, as decoders do
      ++at;
      continue;
    }
    const unsigned marker = big.number(at + 1, 1);
    if (marker == 0xff) {  // fill byte
      ++at;
      continue;
    }
    at += 2;
    if (marker == 0xd9) {
      info.bytes = at;
      if (info.width < 1 || info.height < 1) return std::nullopt;
      return info;
    }
    if (marker == 0 || marker == 0x01 || (marker >= 0xd0 && marker <= 0xd8)) continue;  // markers without a length
    const std::size_t length = big.number(at, 2);
    if (length < 2 || length > bytes.size() - at) return std::nullopt;
    const std::string_view segment = bytes.substr(at + 2, length - 2);
    const bool frame = marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
    if (frame) {
      const Bytes in(segment, false);
      info.height = static_cast<int>(in.number(1, 2));
      info.width = static_cast<int>(in.number(3, 2));
    }
    if (marker == 0xc4 && !huffman_tables_fit(segment)) info.tables_fit = false;
    constexpr std::string_view exif("Exif\0\0", 6);
    if (marker == 0xe1 && segment.starts_with(exif)) info.orientation = orientation_in(segment.substr(exif.size()));
    at += length;
    if (marker == 0xda) at = end_of_scan(bytes, at);
  }
  return std::nullopt;
}

GreyImage upright(GreyImage image, int orientation) {
  if (orientation <= 1 || orientation > 8) return image;
  // Exif counts rows from the top. There, the upright pixel (i, j) is the stored one at (x, y).
  const bool turned = orientation >= 5;  // rows are stored as columns
  const bool flip_x = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const bool flip_y = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  GreyImage result{turned ? image.height : image.width, turned ? image.width : image.height, {}};
  result.values.resize(image.values.size());
  const auto stored = static_cast<std::size_t>(image.width);
  for (int j = 0; j < result.height; ++j)
    for (int i = 0; i < result.width; ++i) {
      int x = turned ? j : i, y = turned ? i : j;
      if (flip_x) x = image.width - 1 - x;
      if (flip_y) y = image.height - 1 - y;
      const auto from = static_cast<std::size_t>(image.height - 1 - y) * stored + static_cast<std::size_t>(x);
      const auto to = static_cast<std::size_t>(result.height - 1 - j) * static_cast<std::size_t>(result.width) +
                      static_cast<std::size_t>(i);
      result.values[to] = image.values[from];
    }
  return result;
}

}  // namespace perturb
