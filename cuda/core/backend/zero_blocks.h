// Division of a memory range into blocks that threads clear.
#pragma once

#include <cstddef>

namespace perturb {

struct ZeroBlocks {
  std::size_t bytes = 4096;  // size of a block: a page, or larger if needed
  int count = 0;             // number of blocks; the last one may be shorter
};

// Blocks that cover `bytes`: small enough to distribute over threads, and few enough to count with an int for any size.
constexpr ZeroBlocks zero_blocks(std::size_t bytes) {
  constexpr std::size_t most = std::size_t{1} << 30;
  ZeroBlocks blocks;
  if (bytes == 0) return blocks;
  while ((bytes - 1) / blocks.bytes >= most) blocks.bytes *= 2;
  blocks.count = static_cast<int>((bytes - 1) / blocks.bytes + 1);
  return blocks;
}

}  // namespace perturb
