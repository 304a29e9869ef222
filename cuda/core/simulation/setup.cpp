#include "cuda/core/simulation/setup.h"

#include "cuda/core/simulation/format.h"

namespace perturb {

GridSize grid_size_of(const Setup& setup, GridSize otherwise, int least, int largest, const Message& what) {
  const GridSize size{setup.width == 0 ? otherwise.width : setup.width,
                      setup.height == 0 ? otherwise.height : setup.height};
  if (size.width < least || size.height < least || size.width > largest || size.height > largest)
    throw InputError("{} of {} x {} cells is not possible. Use {} to {} cells per side.", what, setup.width,
                     setup.height, least, largest);
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
