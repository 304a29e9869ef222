#include "cuda/core/simulation/setup.h"

namespace perturb {

GridSize grid_size_of(const Setup& setup, GridSize otherwise, int min_side, int max_side, const Message& what) {
  const GridSize size{setup.width == 0 ? otherwise.width : setup.width,
                      setup.height == 0 ? otherwise.height : setup.height};
  if (size.width < min_side || size.height < min_side || size.width > max_side || size.height > max_side)
    throw InputError("{} of {} x {} cells is not possible. Use {} to {} cells per side.", what, setup.width,
                     setup.height, min_side, max_side);
  return size;
}

void require_memory(const Backend& backend, std::size_t bytes, const Message& what_needs, const Message& remedy) {
  const std::size_t free = backend.free_memory();
  if (bytes > free)
    throw InputError(Message("{} {} of memory, and {} are free on {}.", what_needs, format_bytes(bytes),
                             format_bytes(free), backend.device_name()) +
                     remedy);
}

}  // namespace perturb
