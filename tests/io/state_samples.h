// Sample states, and their files for damage tests.
#pragma once

#include <cstdio>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/io/state/checksum.h"
#include "app/io/state/portable_state.h"

namespace perturb {

// Every type and unusual shapes; no simulation has such a state.
inline State odd_state() {
  State state;
  state.simulation = "wave";
  state.preset = "rain";
  state.steps = 123456789012345;
  state.time = 0.1 + 0.2;
  state.seed = 4294967295u;
  state.width = 5;
  state.height = 3;
  state.kernel = "fused";
  state.parameters = {{"damping", "0.002"},
                      {"wave_speed", "0.30000000000000004"},
                      {"boundary_left", "absorbing"},
                      {"whole", "3"},
                      {"on", "true"},
                      {"off", "false"},
                      {"tiny", "5e-324"},
                      {"huge", "1.7976931348623157e+308"}};
  state.put("u", {3, 5}, "height", std::vector<float>{0, -0.f, 1e-40f, 3.4e38f, 0.1f, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  state.put("d", {2}, "m/s", std::vector<double>{0.1, 5e-324});
  state.put("wall", {3}, "", std::vector<std::uint8_t>{0, 1, 255});
  state.put("count", {1, 1, 2}, "1", std::vector<std::uint32_t>{0, 4294967295u});
  state.put("id", {2}, "", std::vector<std::int64_t>{-1, 9007199254740993});
  state.put("none", {0, 4}, "", std::vector<float>{});
  return state;
}

// The fields allowed in that state.
inline std::vector<SavedField> odd_fields(const State&) {
  return {{"u", {ElementType::float32}, {grid_height, grid_width}},
          {"d", {ElementType::float64}, {exactly(2)}},
          {"wall", {ElementType::uint8}, {grid_height}},
          {"count", {ElementType::uint32}, {exactly(1), exactly(1), up_to(7)}},
          {"id", {ElementType::int64}, {up_to(2)}},
          {"none", {ElementType::float32}, {up_to(4), up_to(4)}},
          {"vast", {ElementType::float32}, {up_to(std::size_t{1} << 20), up_to(std::size_t{1} << 20)}}};
}

// One whose field has several bands: 64 rows of 100 bytes each, and fewer in the last.
inline State banded_state() {
  State state = odd_state();
  state.datasets.clear();
  std::vector<float> values(200 * 25);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<float>(k);
  state.put("vast", {200, 25}, "", values);
  return state;
}

// The bytes of a file of version 1 whose checksum is valid, as a deliberate change would have.
inline std::string with_checksum(std::string header, const std::string& fields) {
  const std::string version = "\"format_version\":2";
  if (const std::size_t at = header.find(version); at != std::string::npos) header[at + version.size() - 1] = '1';
  XxHash64 checksum;
  checksum.add(std::as_bytes(std::span(header)));
  checksum.add(std::as_bytes(std::span(fields)));
  char line[120];
  std::snprintf(line, sizeof line, "perturb-portable xxh64=%016llx header=%zu bytes=%zu\n",
                static_cast<unsigned long long>(checksum.value()), header.size(), fields.size());
  return line + header + fields;
}

// Header and fields of a file as they are stored.
inline std::pair<std::string, std::string> parts_of(const std::string& file) {
  const std::size_t line = file.find('\n') + 1, size = std::stoul(file.substr(file.find("header=") + 7));
  return {file.substr(line, size), file.substr(line + size)};
}
// Header and fields of a file as with_checksum() takes them, without checksums of bands.
inline std::pair<std::string, std::string> plain_parts_of(const std::string& file) {
  std::string fields;
  for (const auto& [name, dataset] : read_portable_state(std::as_bytes(std::span(file))).datasets)
    fields.append(reinterpret_cast<const char*>(dataset.bytes.data()), dataset.bytes.size());
  return {parts_of(file).first, fields};
}

}  // namespace perturb
