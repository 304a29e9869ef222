#include "cuda/core/backend/block_recorder.h"

#include <algorithm>

namespace perturb {

void BlockRecorder::request() {
  constexpr std::size_t max_on_cpu = std::size_t{1} << 12;
  if (memory_.empty())
    memory_ = Array<BlockStart>(backend_, backend_.is_cuda() ? std::size_t{max_recorded_blocks} : max_on_cpu,
                                "record of blocks");
  if (backend_.block_recorder_ == this) return;
  clear();
  backend_.block_recorder_ = this;
}

std::vector<BlockStarts> BlockRecorder::take() {
  detach();
  std::vector<BlockStart> starts(used_);
  if (used_ > 0) backend_.copy_to_host(starts.data(), memory_.data(), used_ * sizeof(BlockStart));
  std::vector<BlockStarts> all;
  for (const Launch& launch : launches_) {
    BlockStarts one{launch.label, launch.blocks_x, launch.blocks_y, {}, launch.seconds};
    const BlockStart* const first = starts.data() + launch.first;
    one.blocks.assign(first, first + static_cast<std::ptrdiff_t>(launch.blocks_x) * launch.blocks_y);
    const bool has_run =
        std::any_of(one.blocks.begin(), one.blocks.end(), [](const BlockStart& b) { return b.nanoseconds != 0; });
    if (has_run) all.push_back(std::move(one));
  }
  clear();
  return all;
}

void BlockRecorder::stop() {
  detach();
  clear();
  memory_ = {};
}

BlockStart* BlockRecorder::begin(const char* label, int blocks_x, int blocks_y) {
  if (blocks_x <= 0 || blocks_y <= 0) return nullptr;
  const std::size_t blocks = static_cast<std::size_t>(blocks_x) * static_cast<std::size_t>(blocks_y);
  const bool is_known =
      std::any_of(launches_.begin(), launches_.end(), [&](const Launch& launch) { return launch.label == label; });
  if (is_known || blocks > memory_.size() - used_) return nullptr;
  BlockStart* const first = memory_.data() + used_;
  backend_.fill_zero(first, blocks * sizeof(BlockStart));
  launches_.push_back({label, blocks_x, blocks_y, used_});
  used_ += blocks;
  is_open_ = true;
  return first;
}

void BlockRecorder::detach() {
  if (backend_.block_recorder_ == this) backend_.block_recorder_ = nullptr;
}

}  // namespace perturb
