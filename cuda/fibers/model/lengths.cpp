#include "cuda/fibers/model/lengths.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "cuda/core/backend/check.h"
#include "cuda/core/math/elementary.h"
#include "cuda/core/math/random.h"
#include "cuda/core/simulation/format.h"

namespace perturb::fibers {

namespace {

// Of a uniform distribution with the standard deviation 1: half its width.
const double uniform_half_width = std::sqrt(3.0);

}  // namespace

std::vector<double> draw_fiber_lengths(const FiberParameters& p, int count, std::uint32_t seed, std::uint64_t stream) {
  if (!(p.length_spread > 0)) return {};
  std::vector<double> halves;
  for (int k = 0; k < count; ++k) {
    // From -1 to 1: the middle of the k-th of `count` even shares, so that the mean is exact.
    const double place = (2.0 * k + 1 - count) / count;
    // Of an odd number, the one in the middle keeps the mean.
    const double side = place < 0 ? -1 : place > 0 ? 1 : 0;
    halves.push_back(1 + p.length_spread * (p.lengths == LengthKind::uniform ? uniform_half_width * place : side));
  }
  // Fisher & Yates.
  for (int k = count - 1; k > 0; --k) {
    const Random4 r = philox(seed, 900001 + stream, static_cast<std::uint64_t>(k));
    const int other = std::min(k, static_cast<int>(uniform_double(r.v[0], r.v[1]) * (k + 1)));
    std::swap(halves[static_cast<std::size_t>(k)], halves[static_cast<std::size_t>(other)]);
  }
  return halves;
}

double shortest_fiber_drawn(const FiberParameters& p) {
  return 1 - p.length_spread * (p.lengths == LengthKind::uniform ? uniform_half_width : 1);
}

void require_slender(const FiberParameters& p, double half, const std::string& what, const std::string& remedy) {
  if (fiber_d(p.slenderness / half) > fiber_lambda(p.terms)) return;
  const double least = p.slenderness * exponential(0.5 * (fiber_lambda(p.terms) + 1));
  throw InputError(what + " has the half-length " + format_number(half, 4) + ", and with slenderness " +
                   format_number(p.slenderness) + " and terms " + std::to_string(p.terms) + " one below " +
                   format_number(least, 4) + " is too thick for the method. " + remedy);
}

FiberLengths::FiberLengths(Backend& backend, std::vector<double> half) {
  if (std::all_of(half.begin(), half.end(), [](double one) { return one == 1; })) return;
  device_ = Array<double>(backend, half.size(), "lengths of the fibers");
  constants_ = Array<FiberConstants>(backend, half.size(), "lengths of the fibers");
  device_.upload(half);
  half_ = std::move(half);
}

double FiberLengths::shortest() const { return half_.empty() ? 1 : *std::min_element(half_.begin(), half_.end()); }
double FiberLengths::longest() const { return half_.empty() ? 1 : *std::max_element(half_.begin(), half_.end()); }

const FiberConstants* FiberLengths::constants(double slenderness, int terms) {
  if (half_.empty()) return nullptr;
  if (slenderness != slenderness_ || terms != terms_) {
    std::vector<FiberConstants> own;
    for (const double half : half_) own.emplace_back(slenderness, terms, half);
    constants_.upload(own);
    slenderness_ = slenderness, terms_ = terms;
  }
  return constants_.data();
}

}  // namespace perturb::fibers
