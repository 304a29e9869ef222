#include "app/ui/widgets/font_file.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "app/io/files/text_file.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

std::uint32_t number_at(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t k = 0; k < count; ++k)
    value = value << 8 | (at + k < bytes.size() ? static_cast<unsigned char>(bytes[at + k]) : 0u);
  return value;
}

// Checksum of a table as in OpenType: the sum of its 32-bit numbers, with zeros after its end.
std::uint32_t sum_of(std::string_view table) {
  std::uint32_t sum = 0;
  for (std::size_t at = 0; at < table.size(); at += 4) sum += number_at(table, at, 4);
  return sum;
}

}  // namespace

bool is_whole_font(std::string_view bytes) {
  constexpr std::size_t header_bytes = 12, entry_bytes = 16;
  std::size_t front = 0;
  if (bytes.starts_with("ttcf")) front = number_at(bytes, header_bytes, 4);
  if (front > bytes.size() || bytes.size() - front < header_bytes) return false;
  const std::uint32_t version = number_at(bytes, front, 4);
  if (version != 0x00010000 && version != 0x4F54544F && version != 0x74727565) return false;  // "OTTO", "true"
  const std::size_t count = number_at(bytes, front + 4, 2);
  if (bytes.size() - front - header_bytes < count * entry_bytes) return false;
  std::vector<std::string_view> tags;
  // Tables may share their bytes, as bitmaps for two systems do. 65535 tables, each as long as the file, would take
  // hours to sum.
  std::size_t still_read = 2 * bytes.size();
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t entry = front + header_bytes + k * entry_bytes;
    const std::string_view tag = bytes.substr(entry, 4);
    const std::size_t at = number_at(bytes, entry + 8, 4), length = number_at(bytes, entry + 12, 4);
    if (at > bytes.size() || length > bytes.size() - at || length > still_read) return false;
    still_read -= length;
    std::uint32_t sum = sum_of(bytes.substr(at, length));
    // A number in this table adjusts the checksum of the whole file, and counts as zero in the table's own.
    if (tag == "head") sum -= number_at(bytes, at + 8, 4);
    if (sum != number_at(bytes, entry + 4, 4)) return false;
    tags.push_back(tag);
  }
  const auto has = [&](std::string_view tag) { return std::find(tags.begin(), tags.end(), tag) != tags.end(); };
  const bool outlines = (has("glyf") && has("loca")) || has("CFF ") || has("CFF2");
  return outlines && has("cmap") && has("head") && has("hhea") && has("hmtx") && has("maxp");
}

bool is_whole_font_file(const std::string& path) {
  try {
    return is_whole_font(read_input_file(path, "font", max_font_bytes));
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace perturb
