#include "cuda/core/simulation/setup.h"

#include "cuda/core/simulation/format.h"

namespace perturb {

GridSize grid_size_of(const Setup& setup, GridSize otherwise, int least, int largest, const std::string& what) {
  const GridSize size{setup.width == 0 ? otherwise.width : setup.width,
                      setup.height == 0 ? otherwise.height : setup.height};
  if (size.width < least || size.height < least || size.width > largest || size.height > largest)
    throw InputError(what + " of " + format_size({setup.width, setup.height}) + " is not possible. Use " +
                     std::to_string(least) + " to " + std::to_string(largest) + " cells per side.");
  return size;
}

void require_memory(const Backend& backend, std::size_t bytes, const std::string& what_needs,
                    const std::string& remedy) {
  const std::size_t free = backend.free_memory();
  if (bytes > free)
    throw InputError(what_needs + " " + format_bytes(bytes) + " of memory, and " + format_bytes(free) +
                     " are free on " + backend.device_name() + ". " + remedy);
}

}  // namespace perturb
