// How a stretch of memory is dealt out to threads that clear it.
#pragma once

#include <cstddef>

namespace perturb {

struct ZeroBlocks {
  std::size_t bytes = 4096;  // of a block: a page, or as many as it takes
  int count = 0;             // blocks; the last one may be shorter
};

// Blocks that cover `bytes`, small enough to be shared out and few enough to be counted by an int, whatever the size.
constexpr ZeroBlocks zero_blocks(std::size_t bytes) {
  constexpr std::size_t most = std::size_t{1} << 30;
  ZeroBlocks blocks;
  if (bytes == 0) return blocks;
  while ((bytes - 1) / blocks.bytes >= most) blocks.bytes *= 2;
  blocks.count = static_cast<int>((bytes - 1) / blocks.bytes + 1);
  return blocks;
}

}  // namespace perturb
