// A lane of a race: how it differs from the scene from which all lanes start.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "cuda/core/backend/message.h"
#include "cuda/core/paint/pixels.h"
#include "cuda/core/simulation/parameters.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

struct Lane {
  std::string kernel;                        // empty: the kernel of the run
  std::string backend;                       // "cpu" or "cuda"; empty: the backend of the run
  std::map<std::string, double> parameters;  // by id; the others are those of the scene
  bool nudged = false;                       // one number of the start differs by one rounding
  bool shows_difference = false;             // its area shows where and how much it differs from the first lane

  bool operator==(const Lane&) const = default;
};

inline constexpr std::size_t min_lanes = 2, max_lanes = 4;

// "kernel=fused,collisions=exact,nudge=1,difference=1": the form of the command line. Throws InputError for an unknown
// key, kernel or parameter, and for a value out of range.
Lane parse_lane(const std::string& text, const SimulationInfo& info);
// The text that parse_lane converts back to the same lane.
std::string text_of(const Lane& lane, const SimulationInfo& info);
// The keys of a lane of this simulation, for messages.
std::vector<std::string> lane_keys(const SimulationInfo& info);

// The title of a lane: "Temporal, CPU".
Message title_of(const Lane& lane, const SimulationInfo& info);

// Throws InputError unless there are none or from min_lanes to max_lanes.
void require_lane_count(std::size_t count);

// The part of the view that shows each of `count` lanes: two side by side; three or four in two rows, the first at the
// upper left.
std::vector<Viewport> lane_areas(const Viewport& view, std::size_t count);
// Width of the line between two areas, in pixels.
inline constexpr int lane_gap = 2;

}  // namespace perturb
