#include "cuda/core/launch/occupancy.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace perturb {

namespace {

constexpr int kibibyte = 1024;
constexpr int unlimited_blocks = std::numeric_limits<int>::max();

constexpr int rounded_up(int count, int unit) { return (count + unit - 1) / unit * unit; }

GpuRules rules_1(int capability, int threads, int registers, int unit) {
  return {.compute_capability = capability,
          .max_block = 512,
          .max_threads = threads,
          .max_blocks = 8,
          .registers = registers,
          .max_registers = 124,
          .max_registers_of_block = registers,
          .register_unit = unit,
          .to_blocks = true,
          .warp_unit = 2,
          .shared_bytes = 16 * kibibyte,
          .max_shared_bytes = 16 * kibibyte,
          .shared_unit = 512};
}

GpuRules rules_2(int capability) {
  return {.compute_capability = capability,
          .max_block = 1024,
          .max_threads = 1536,
          .max_blocks = 8,
          .registers = 32 * kibibyte,
          .max_registers = 63,
          .max_registers_of_block = 32 * kibibyte,
          .register_unit = 64,
          .partitions = 2,
          .shared_bytes = 48 * kibibyte,
          .max_shared_bytes = 48 * kibibyte,
          .shared_unit = 128};
}

// From Pascal on; `shared` and `of_block` in KiB. From 8.0 on the system reserves 1 KiB of each block, within
// `of_block`.
GpuRules rules_6(int capability, int threads, int blocks, int shared, int of_block) {
  const bool ampere = capability >= 80;
  return {.compute_capability = capability,
          .max_block = 1024,
          .max_threads = threads,
          .max_blocks = blocks,
          .registers = 64 * kibibyte,
          .max_registers = 255,
          .max_registers_of_block = (capability == 62 ? 32 : 64) * kibibyte,
          .register_unit = 256,
          .partitions = 4,
          .shared_bytes = shared * kibibyte,
          .max_shared_bytes = of_block * kibibyte,
          .shared_unit = ampere ? 128 : 256,
          .reserved_shared_bytes = ampere ? kibibyte : 0};
}

// On 2.x some register counts are allocated in larger units.
int unit_for(const GpuRules& rules, int registers) {
  const bool larger = rules.compute_capability / 10 == 2 && registers >= 21 && registers <= 46 &&
                      (registers % 8 == 5 || registers % 8 == 6);
  return larger ? 2 * rules.register_unit : rules.register_unit;
}

int blocks_by_registers(const GpuRules& rules, const KernelNeeds& needs, int warps) {
  if (needs.registers > rules.max_registers) return 0;
  if (needs.registers == 0) return unlimited_blocks;
  const int unit = unit_for(rules, needs.registers);
  if (rules.to_blocks) return rules.registers / rounded_up(needs.registers * threads_of_warp * warps, unit);
  const int of_warp = rounded_up(needs.registers * threads_of_warp, unit);
  // The launch check counts a block's warps as if each partition held the same number.
  if (of_warp * rounded_up(warps, rules.partitions) > rules.max_registers_of_block) return 0;
  return rules.registers / rules.partitions / of_warp * rules.partitions / warps;
}

int blocks_by_shared_memory(const GpuRules& rules, const KernelNeeds& needs) {
  const int bytes = rounded_up(needs.shared_bytes + rules.reserved_shared_bytes, rules.shared_unit);
  if (bytes == 0) return unlimited_blocks;
  return bytes > rules.max_shared_bytes ? 0 : rules.shared_bytes / bytes;
}

}  // namespace

const GpuRules* gpu_rules(int compute_capability) {
  static const std::vector<GpuRules> all = {
      rules_1(10, 768, 8 * kibibyte, 256), rules_1(13, 1024, 16 * kibibyte, 512), rules_2(21),
      rules_6(62, 2048, 32, 64, 48),       rules_6(70, 2048, 32, 96, 96),         rules_6(75, 1024, 16, 64, 64),
      rules_6(80, 2048, 32, 164, 164),     rules_6(86, 1536, 16, 100, 100),       rules_6(89, 1536, 24, 100, 100),
      rules_6(90, 2048, 32, 228, 228),     rules_6(100, 2048, 32, 228, 228),      rules_6(120, 1536, 24, 100, 100),
  };
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const GpuRules& rules) { return rules.compute_capability == compute_capability; });
  return found == all.end() ? nullptr : &*found;
}

const std::vector<PaperGpu>& paper_gpus() {
  static const std::vector<PaperGpu> gpus = {
      {"G80 (GeForce 8800)", 10}, {"GeForce GTX 260", 13}, {"GeForce GTX 285", 13}, {"GeForce GTX 560 Ti", 21},
      {"Jetson TX2", 62},         {"Tesla V100", 70},      {"Titan RTX", 75}};
  return gpus;
}

const char* name_of(OccupancyLimit limit) {
  switch (limit) {
    case OccupancyLimit::threads:
      return "threads";
    case OccupancyLimit::blocks:
      return "blocks";
    case OccupancyLimit::registers:
      return "registers";
    case OccupancyLimit::shared_memory:
      return "shared memory";
    case OccupancyLimit::not_launched:
      break;
  }
  return "cannot be launched";
}

Occupancy occupancy_of(const GpuRules& rules, const KernelNeeds& needs) {
  if (needs.block < 1 || needs.block > rules.max_block) return {};
  const int taken = (needs.block + threads_of_warp - 1) / threads_of_warp;
  const int warps = rounded_up(taken, rules.warp_unit), max_warps = rules.max_threads / threads_of_warp;
  const std::array<std::pair<int, OccupancyLimit>, 4> limits = {
      {{max_warps / warps, OccupancyLimit::threads},
       {rules.max_blocks, OccupancyLimit::blocks},
       {blocks_by_registers(rules, needs, warps), OccupancyLimit::registers},
       {blocks_by_shared_memory(rules, needs), OccupancyLimit::shared_memory}}};
  const auto lowest =
      std::min_element(limits.begin(), limits.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  if (lowest->first == 0) return {};
  return {lowest->first, static_cast<double>(lowest->first * taken) / max_warps, lowest->second};
}

}  // namespace perturb
