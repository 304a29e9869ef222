#include "cuda/fibers/kernels/contact_search.h"

#include "cuda/core/loops/parallel_for.h"
#include "cuda/fibers/model/pair_mask.h"
#include "cuda/fibers/model/start.h"

namespace perturb::fibers {

namespace {

struct MarkNear {
  Poses poses;
  double reach;
  int fibers, words;
  std::uint32_t* mask;
  PERTURB_HD void operator()(int word, int m) const {
    std::uint32_t near = 0;
    const double* const t = poses.tangent + 3 * static_cast<std::size_t>(m);
    const Vector3<double> own{t[0], t[1], t[2]};
    const double half = poses.half_length ? poses.half_length[m] : 1;
    for (int b = 0; b < pair_bits; ++b) {
      const int l = word * pair_bits + b;
      if (l <= m || l >= fibers) continue;
      const Vector3<double> r = fiber_separation(poses.position + 3 * static_cast<std::size_t>(m),
                                                 poses.position + 3 * static_cast<std::size_t>(l), poses.box);
      const double half_l = poses.half_length ? poses.half_length[l] : 1, farthest = half + half_l + reach;
      if (dot(r, r) > farthest * farthest) continue;
      const double* const u = poses.tangent + 3 * static_cast<std::size_t>(l);
      if (fiber_distance(r, own, {u[0], u[1], u[2]}, half, half_l) < reach) near |= 1u << b;
    }
    mask[static_cast<std::size_t>(m) * words + word] = near;
  }
};

struct ListNear {
  PairMask row;
  const int* begin;
  Pair* pairs;
  PERTURB_HD void operator()(int m) const {
    int at = begin[m];
    for (int w = m / pair_bits; w < row.words; ++w) {
      const std::uint32_t v = row.word(m, w);
      for (int b = 0; v != 0 && b < pair_bits; ++b)
        if (((v >> b) & 1u) != 0) pairs[at++] = {m, w * pair_bits + b};
    }
  }
};

}  // namespace

std::size_t ContactSearch::bytes(int fibers) {
  const auto count = static_cast<std::size_t>(fibers);
  return count * static_cast<std::size_t>(pair_mask_words(fibers)) * sizeof(std::uint32_t) + 16 * count;
}

ContactSearch::ContactSearch(Backend& backend, int fibers)
    : backend_(backend),
      fibers_(fibers),
      words_(pair_mask_words(fibers)),
      mask_(backend, static_cast<std::size_t>(fibers) * static_cast<std::size_t>(words_), "pairs in contact"),
      counts_(backend, static_cast<std::size_t>(fibers) + 1, "counts of pairs in contact"),
      begin_(backend, static_cast<std::size_t>(fibers) + 1, "counts of pairs in contact"),
      scan_(backend, static_cast<std::size_t>(fibers) + 1) {}

std::vector<Pair> ContactSearch::closer_than(double reach, const Poses& poses) {
  const PairMask row{mask_.data(), fibers_, words_};
  parallel_for(backend_, "fibers.contact", Range2D{words_, fibers_},
               MarkNear{poses, reach, fibers_, words_, mask_.data()});
  parallel_for(backend_, "fibers.contact", Range1D{fibers_ + 1}, CountPairs{row, true, counts_.data()});
  scan_.run(backend_, "fibers.contact", counts_.data(), begin_.data(), static_cast<std::size_t>(fibers_) + 1);
  int count = 0;
  backend_.copy_to_host(&count, begin_.data() + fibers_, sizeof count);
  std::vector<Pair> pairs(static_cast<std::size_t>(count));
  if (count == 0) return pairs;
  if (pairs_.size() < pairs.size()) pairs_ = Array<Pair>(backend_, pairs.size() + pairs.size() / 4, "pairs in contact");
  parallel_for(backend_, "fibers.contact", Range1D{fibers_}, ListNear{row, begin_.data(), pairs_.data()});
  backend_.copy_to_host(pairs.data(), pairs_.data(), pairs.size() * sizeof(Pair));
  return pairs;
}

}  // namespace perturb::fibers
