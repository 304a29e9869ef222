#include "cuda/fibers/model/extension.h"

#include <algorithm>

#include "cuda/core/backend/check.h"
#include "cuda/core/loops/parallel_for.h"

namespace perturb::fibers {

namespace {

// The device's loops on a processor: the same threads in the same blocks, for tests and machines without a device.
struct ExtensionPoints {
  PaperGrid grid;
  Poses poses;
  FiberRule rule;
  double doublet;
  std::size_t slots;
  double* integrals;
  PERTURB_HD void operator()(int thread, int block) const {
    int m = 0, of_column = 0;
    if (!grid.place(block % grid.width(), block / grid.width(), m, of_column)) return;
    const int item = of_column * PaperGrid::block + thread;
    if (item >= grid.items(m)) return;
    extension_point(grid, poses, rule.node[item % grid.points], doublet, m, item,
                    integrals + grid.slot(m, of_column) + thread, slots);
  }
};

struct ExtensionSums {
  PaperGrid grid;
  FiberRule rule;
  std::size_t slots;
  const double* integrals;
  double* results;
  PERTURB_HD void operator()(int column, int number) const {
    extension_sum(grid, rule, slots, integrals, column, number, results);
  }
};

struct AssembleColumn {
  PaperGrid grid;
  const double* numbers;
  Layout layout;
  double* theta;
  PERTURB_HD void operator()(int column) const {
    const int m = grid.first + column, tile = layout.tile;
    const std::size_t pairs = static_cast<std::size_t>(grid.pairs());
    for (int l = m + 1; l < grid.fibers;) {
      const int end = (l / tile + 1) * tile < grid.fibers ? (l / tile + 1) * tile : grid.fibers;
      double* const to = theta + layout.row(layout.tile_pair(m / tile, l / tile), m % tile) + l % tile;
      const double* const from = numbers + grid.pair(m, l);
      for (int c = 0; c < Extension::numbers; ++c)
        for (int k = 0; k < end - l; ++k) to[c * tile + k] = from[static_cast<std::size_t>(c) * pairs + k];
      l = end;
    }
  }
};

std::size_t slots_of(const PaperGrid& grid, const std::vector<int>& begin) {
  const int end = begin[static_cast<std::size_t>(grid.last - 1)] + grid.blocks(grid.last - 1);
  return static_cast<std::size_t>(end - begin[static_cast<std::size_t>(grid.first)]) * PaperGrid::block;
}

}  // namespace

Extension::Extension(Backend& device, int fibers, int points, std::size_t memory) : device_(device), points_(points) {
  PERTURB_ASSERT(fibers >= 2 && points >= 1 && points <= max_points);
  std::vector<int> begin(static_cast<std::size_t>(fibers));
  PaperGrid grid;
  grid.fibers = fibers;
  grid.points = points;
  for (int m = 1; m < fibers; ++m)
    begin[static_cast<std::size_t>(m)] = begin[static_cast<std::size_t>(m - 1)] + grid.blocks(m - 1);
  std::size_t max_slots = 0, max_pairs = 0;
  for (int first = 0; first < fibers - 1; first = grid.last) {
    grid.first = first;
    const auto bytes_to = [&](int last) {
      grid.last = last;
      return (slots_of(grid, begin) * columns + static_cast<std::size_t>(grid.pairs()) * numbers) * sizeof(double);
    };
    int last = first + 1;
    if (bytes_to(last) > memory)
      throw InputError(
          "The pairs of one fiber with {} others take {}, and a chunk may take {}. Allow more memory or use fewer "
          "fibers.",
          fibers - 1 - first, format_bytes(bytes_to(last)), format_bytes(memory));
    while (last < fibers - 1 && bytes_to(last + 1) <= memory) ++last;
    grid.last = last;
    grids_.push_back(grid);
    max_slots = std::max(max_slots, slots_of(grid, begin));
    max_pairs = std::max(max_pairs, static_cast<std::size_t>(grid.pairs()));
  }
  begin_ = Array<int>(device, begin.size(), "blocks of the pairs");
  begin_.upload(begin);
  for (PaperGrid& g : grids_) g.begin = begin_.data();
  const std::size_t size = 3 * static_cast<std::size_t>(fibers);
  position_ = Array<double>(device, size, "places of the fibers");
  tangent_ = Array<double>(device, size, "directions of the fibers");
  integrals_ = Array<double>(device, max_slots * columns, "inner integrals of a chunk");
  results_ = Array<double>(device, max_pairs * numbers, "interaction of a chunk");
}

std::size_t Extension::bytes() const {
  return (integrals_.size() + results_.size() + position_.size() + tangent_.size()) * sizeof(double);
}

void Extension::begin(const double* position, const double* tangent, const FiberRule& rule, double doublet,
                      Fetching fetching) {
  PERTURB_ASSERT(rule.points == points_);
  position_.upload(std::span<const double>(position, position_.size()));
  tangent_.upload(std::span<const double>(tangent, tangent_.size()));
  rule_ = rule;
  doublet_ = doublet;
  fetching_ = fetching;
  queued_ = fetched_ = 0;
  if (fetching == Fetching::by_itself) {
    for (auto& buffer : pinned_)
      if (!buffer) buffer = std::make_unique<AsyncReadback>(device_, results_.size() * sizeof(double));
  } else if (plain_.empty()) {
    plain_.resize(results_.size());
  }
  if (fetching != Fetching::in_turn) queue(0);
}

void Extension::queue(std::size_t chunk) {
  if (chunk >= grids_.size()) return;
  PERTURB_ASSERT(chunk == queued_);
  const PaperGrid& grid = grids_[chunk];
  const Poses poses{position_.data(), tangent_.data()};
  const std::size_t slots = integrals_.size() / columns;
  if (device_.is_cuda()) {
    detail::extension_cuda(device_, grid, poses, rule_, doublet_, slots, integrals_.data(), results_.data());
  } else {
    parallel_for(device_, "fibers.extension", Range2D{PaperGrid::block, grid.width() * grid.height()},
                 ExtensionPoints{grid, poses, rule_, doublet_, slots, integrals_.data()});
    parallel_for(device_, "fibers.extension sums", Range2D{columns, static_cast<int>(grid.pairs())},
                 ExtensionSums{grid, rule_, slots, integrals_.data(), results_.data()});
  }
  // Queued after the kernel: the next kernel starts after the results are copied.
  if (fetching_ == Fetching::by_itself) pinned_[chunk % 2]->start(results_.data());
  queued_ = chunk + 1;
}

const Chunk* Extension::fetch() {
  if (fetched_ == grids_.size()) return nullptr;
  const std::size_t own = fetched_++;
  if (fetching_ == Fetching::in_turn) queue(own);
  chunk_.grid = grids_[own];
  if (fetching_ == Fetching::by_itself) {
    pinned_[own % 2]->wait();
    chunk_.numbers = static_cast<const double*>(pinned_[own % 2]->data());
  } else {
    results_.download(std::span<double>(plain_.data(), static_cast<std::size_t>(grids_[own].pairs()) * numbers));
    chunk_.numbers = plain_.data();
  }
  if (fetching_ != Fetching::in_turn) queue(own + 1);
  return &chunk_;
}

void assemble_chunk(Backend& cpu, const Chunk& chunk, const Layout& layout, double* theta) {
  PERTURB_ASSERT(layout.mirrored && layout.order == Extension::order && !cpu.is_cuda());
  parallel_for(cpu, "fibers.assemble", Range1D{chunk.grid.columns(), 1},
               AssembleColumn{chunk.grid, chunk.numbers, layout, theta});
}

LaunchShape extension_shape(const Backend& device) {
  return device.is_cuda() ? detail::extension_shape_cuda() : LaunchShape{};
}

}  // namespace perturb::fibers
