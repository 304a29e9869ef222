#include "cuda/core/simulation/start.h"

#include <cmath>

#include "cuda/core/simulation/format.h"
#include "cuda/core/simulation/loaded_state.h"

namespace perturb {

std::string format_size(GridSize size) {
  return std::to_string(size.width) + " x " + std::to_string(size.height) + " cells";
}

GridSize grid_size_of(const Setup& setup, GridSize otherwise, int least, int largest, const std::string& what) {
  const GridSize size{setup.width == 0 ? otherwise.width : setup.width,
                      setup.height == 0 ? otherwise.height : setup.height};
  if (size.width < least || size.height < least || size.width > largest || size.height > largest)
    throw InputError(what + " of " + format_size({setup.width, setup.height}) +
                     " cannot be made: each side takes from " + std::to_string(least) + " to " +
                     std::to_string(largest) + " cells.");
  return size;
}

void require_memory(const Backend& backend, std::size_t bytes, const std::string& what_needs,
                    const std::string& remedy) {
  const std::size_t free = backend.free_memory();
  if (bytes > free)
    throw InputError(what_needs + " " + format_bytes(bytes) + " of memory, and " + format_bytes(free) +
                     " are free on " + backend.device_name() + ". " + remedy);
}

void require_state_of(const State& state, const std::string& simulation) {
  if (state.simulation != simulation)
    throw InputError("This state is of \"" + state.simulation + "\", not of \"" + simulation + "\".");
  if (state.steps < 0 || state.steps > max_saved_steps)
    reject_state("the number of steps is " + std::to_string(state.steps) + ", where one from 0 to " +
                 std::to_string(max_saved_steps) + " is needed");
  if (!(state.time >= 0) || !std::isfinite(state.time))
    reject_state("the time is " + format_number(state.time) + ", where a finite one from 0 on is needed");
}

}  // namespace perturb
