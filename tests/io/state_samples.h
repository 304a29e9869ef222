// Sample states, and their files for damage tests.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "app/io/state/checksum.h"
#include "app/io/state/state_file.h"

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
          {"vast", {ElementType::float32}, {exactly(std::size_t{1} << 30), exactly(std::size_t{1} << 20)}}};
}

// The bytes of a file with a valid checksum header, as a deliberate change would have.
inline std::string with_checksum_header(std::string file) {
  if (file.size() >= checksum_header_bytes) write_checksum_header(std::as_writable_bytes(std::span(file)));
  return file;
}
// Without a checksum header, as a file that was changed on purpose.
inline std::string remove_checksum_header(std::string file) {
  if (!file.empty()) file.front() = ' ';
  return file;
}

}  // namespace perturb
