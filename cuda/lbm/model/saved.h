// Content of a saved state of a flow (state/saved.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cuda/lbm/model/motion.h"
#include "cuda/lbm/model/placed_body.h"

namespace perturb::lbm {

// A permanent source of dye: position in fractions of the domain, radius in fractions of its height.
struct DyeSource {
  double x, y, radius;
  int id = 0;  // of the object
};

struct ProbePlace {
  double x, y;  // fractions of the domain
};

// Where the numbers of a disturbance that is still to be made begin; fractions of the domain.
struct DisturbedFrom {
  double x = 0, y = 0;
};

// The datasets by the names that the parts' save_to() use, and values derived from them.
struct Saved {
  std::vector<float> shifted;      // [links, height, width]: populations minus their weights
  std::vector<std::uint8_t> wall;  // [height, width], 1 or 0; empty: none
  // Distances from the outline as stored by model/walls.h, [height, width]; empty: unknown.
  std::vector<std::int16_t> outline;
  std::vector<float> dye;  // [height, width]; empty: none
  std::vector<DyeSource> dye_sources;
  std::vector<double> tracers;  // [count, 4]: x, y and velocity; empty: none
  std::optional<ProbePlace> probe;
  std::optional<Motion> moving_body;
  // The bodies that are objects. The walls that were drawn elsewhere, as `wall` and `outline`: empty: none.
  std::vector<PlacedBody> bodies;
  std::vector<std::uint8_t> other_wall;
  std::vector<std::int16_t> other_outline;
  int last_object = 0;  // id that was given last
  std::optional<DisturbedFrom> disturbed_from;
  std::int64_t changed = 0;   // step of the last change that the flow must follow
  std::string edited_kernel;  // text of an edited kernel that took steps; empty: none did

  // Sets all cells of these walls ([height, width], 1 or 0) to fluid at rest, as it is stored.
  void empty_walls(const std::vector<std::uint8_t>& walls);
};

constexpr double largest_object_id = 1e9;

// Largest number of permanent dye sources.
constexpr std::size_t max_dye_sources = 32;

}  // namespace perturb::lbm
