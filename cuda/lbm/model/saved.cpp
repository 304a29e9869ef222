#include "cuda/lbm/model/saved.h"

#include "cuda/lbm/model/cell.h"

namespace perturb::lbm {

void Saved::empty_walls(const std::vector<std::uint8_t>& walls) {
  const std::size_t cells = walls.size();
  for (int q = 0; q < lbm_links; ++q)
    for (std::size_t k = 0; k < cells; ++k)
      if (walls[k]) shifted[static_cast<std::size_t>(q) * cells + k] = 0;
}

}  // namespace perturb::lbm
