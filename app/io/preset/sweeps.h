// Sweep files (TOML): a scene that is run many times, with other parameters, sizes or seeds each time. An unknown key
// is an error, and every error message gives file, line and column:
//
//   scene = "lbm/cylinder"               # or a preset file, relative to the folder of this file
//   steps = 20000                        # of each run
//   size = "256x96"                      # cells; or a list: ["128x48", "256x96"]; otherwise that of the scene
//   seeds = 4                            # 1, 2, 3 and 4; or a list: [7, 8]; otherwise that of the scene
//   kernel = "fused"                     # otherwise the fastest
//   [parameters]                         # by id: a value, a list, or a range of numbers
//   collision = "trt"
//   inlet_speed = [0.05, 0.1]
//   reynolds = { from = 60, to = 200, step = 20 }
//   magic = { from = 0.01, to = 1, count = 5, scale = "logarithmic" }
//   [record]
//   numbers = ["strouhal"]               # ids; otherwise all that the scene has
//   every = 100                          # steps between samples; otherwise one sample, at the end
//   from = 10000                         # the step of the first sample
//
// A range with a step ends at `to` if a whole number of steps leads there (to one millionth of a step), otherwise
// before it. Its values are rounded to 12 digits. Every combination is a run: the seed changes fastest, then the
// parameter that comes last in the file, and the size slowest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/run/run.h"
#include "cuda/core/simulation/state.h"

namespace perturb {

struct SweepParameter {
  std::string id;
  std::vector<double> values;
};

// Which numbers of a run are recorded, and when.
struct RecordSettings {
  std::vector<std::string> numbers;  // ids; empty: all
  std::int64_t every = 0;            // steps between samples; 0: only the final state
  std::int64_t from = 0;             // step of the first sample, from the start of the run
};

// One combination. What is missing is that of the scene.
struct SweepRun {
  std::optional<GridSize> size;
  std::optional<std::uint32_t> seed;
  std::vector<ParameterChange> parameters;
};

struct Sweep {
  Scene scene;
  std::string scene_name, kernel;  // as in `perturb run SCENE --kernel ID`; empty: the fastest kernel
  std::int64_t steps = 0;
  std::vector<GridSize> sizes;       // empty: that of the scene
  std::vector<std::uint32_t> seeds;  // empty: that of the scene
  std::vector<SweepParameter> parameters;
  RecordSettings record;

  std::size_t count() const;
  SweepRun run(std::size_t index) const;  // from 0
};

inline constexpr std::size_t max_sweep_runs = 1'000'000;

// Checks all names and values but those of `record.numbers`, which depend on the run. Throws InputError.
Sweep load_sweep(const std::string& path);

}  // namespace perturb
