#include "cuda/particles/model/start.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "cuda/core/backend/check.h"
#include "cuda/core/math/elementary.h"
#include "cuda/core/math/random.h"
#include "cuda/core/simulation/format.h"

namespace perturb::particles {

namespace {

enum Stream : std::uint64_t { places_stream, velocities_stream, shaking_stream, sites_stream, numbers_stream };

// Below this share of the area discs are placed at random until they fit; random placement would jam at 0.547.
constexpr double random_until = 0.32;

bool is_second_kind(const Parameters& p, int id) {
  return std::floor((id + 1) * p.second_share) > std::floor(id * p.second_share);
}

Message in_lengths(double value) { return with_unit(format_number(value), "length"); }

[[noreturn]] void reject_fit(const Parameters& p) {
  throw InputError(
      "{} discs of radius {} do not fit in a box of {} by {}. Use fewer or smaller discs, or a larger box.", p.count,
      in_lengths(p.radius), in_lengths(p.box), in_lengths(p.box * p.aspect));
}

void place_at_random(const Parameters& p, double width, double height, DiscOccupancy& places, std::uint32_t seed,
                     Start& start) {
  const double gap = disc_gap(p);
  std::uint64_t attempt = 0;
  const std::uint64_t max_attempts = 1000 + 64 * static_cast<std::uint64_t>(p.count);
  for (int k = 0; k < p.count; ++attempt) {
    if (attempt > max_attempts) reject_fit(p);
    const Random4 random = philox(seed, places_stream, attempt);
    const double x = p.radius + (width - 2 * p.radius) * uniform_double(random.v[0], random.v[1]);
    const double y = p.radius + (height - 2 * p.radius) * uniform_double(random.v[2], random.v[3]);
    if (!places.is_free(x, y, p.radius, gap)) continue;
    places.add(x, y, p.radius);
    start.x.push_back(x);
    start.y.push_back(y);
    ++k;
  }
}

// The same for discs of two kinds: the larger ones first, which need more room.
void place_kinds_at_random(const Parameters& p, double width, double height, DiscOccupancy& places, std::uint32_t seed,
                           Start& start) {
  const double gap = disc_gap(p);
  const auto count = static_cast<std::size_t>(p.count);
  start.x.assign(count, 0);
  start.y.assign(count, 0);
  std::uint64_t attempt = 0;
  const std::uint64_t max_attempts = 1000 + 512 * static_cast<std::uint64_t>(p.count);
  for (const bool larger : {true, false})
    for (int k = 0; k < p.count; ++k) {
      const double radius = kind_of_disc(p, k).radius;
      const bool is_larger = is_second_kind(p, k) == (p.second_radius > 1);
      if (is_larger != larger) continue;
      for (;; ++attempt) {
        if (attempt > max_attempts) reject_fit(p);
        const Random4 random = philox(seed, places_stream, attempt);
        const double x = radius + (width - 2 * radius) * uniform_double(random.v[0], random.v[1]);
        const double y = radius + (height - 2 * radius) * uniform_double(random.v[2], random.v[3]);
        if (!places.is_free(x, y, radius, gap)) continue;
        places.add(x, y, radius);
        start.x[static_cast<std::size_t>(k)] = x;
        start.y[static_cast<std::size_t>(k)] = y;
        ++attempt;
        break;
      }
    }
}

struct Site {
  double x, y;
};

// On a triangular lattice, tight enough to leave one in eight sites empty if there is room for that: the gas then has
// holes to move into, and melts sooner.
void place_on_lattice(const Parameters& p, double width, double height, const DiscOccupancy& places, std::uint32_t seed,
                      Start& start) {
  const double min_spacing = 2 * p.radius + disc_gap(p);
  double row = std::sqrt(3.0) / 2, odd_shift = 0.5;
  const auto sites_of = [&](double spacing) {
    std::vector<Site> sites;
    const double room_x = width - 2 * p.radius, room_y = height - 2 * p.radius;
    const int rows = room_y >= 0 ? 1 + static_cast<int>(room_y / (row * spacing)) : 0;
    for (int j = 0; j < rows; ++j) {
      const double shift = j % 2 ? odd_shift * spacing : 0;
      for (int i = 0; shift + i * spacing <= room_x; ++i) {
        const Site site{p.radius + shift + i * spacing, p.radius + j * row * spacing};
        if (places.is_free(site.x, site.y, p.radius, disc_gap(p))) sites.push_back(site);
      }
    }
    return sites;
  };
  const auto wanted = static_cast<std::size_t>(p.count);
  double spacing = std::sqrt(width * height / (row * p.count) * (8.0 / 9));
  std::vector<Site> sites;
  for (;; spacing *= 0.995) {
    if (spacing < min_spacing) spacing = min_spacing;
    sites = sites_of(spacing);
    if (sites.size() >= wanted || spacing == min_spacing) break;
  }
  if (sites.size() < wanted) {
    // In a small box rows of equal length may hold more.
    row = 1;
    odd_shift = 0;
    sites = sites_of(spacing);
  }
  if (sites.size() < wanted) reject_fit(p);
  const double shake = 0.5 * (spacing - min_spacing);
  std::size_t left = sites.size(), needed = wanted;
  for (std::size_t k = 0; k < sites.size(); ++k, --left) {
    // Selection sampling: each site with the probability that leaves the right number.
    const Random4 chosen = philox(seed, sites_stream, k);
    if (uniform_double(chosen.v[0], chosen.v[1]) * static_cast<double>(left) >= static_cast<double>(needed)) continue;
    --needed;
    const Random4 random = philox(seed, shaking_stream, k);
    const double angle = 2 * std::numbers::pi * uniform_double(random.v[0], random.v[1]);
    const double far = shake * std::sqrt(uniform_double(random.v[2], random.v[3]));
    start.x.push_back(std::clamp(sites[k].x + far * cosine(angle), p.radius, width - p.radius));
    start.y.push_back(std::clamp(sites[k].y + far * sine(angle), p.radius, height - p.radius));
  }
}

// Shuffles ids, so that they do not depend on the position: a lattice is filled row by row.
void shuffle_numbers(std::uint32_t seed, Start& start) {
  for (std::size_t k = start.x.size(); k > 1; --k) {
    const Random4 random = philox(seed, numbers_stream, k);
    const auto other =
        std::min(k - 1, static_cast<std::size_t>(uniform_double(random.v[0], random.v[1]) * static_cast<double>(k)));
    std::swap(start.x[k - 1], start.x[other]);
    std::swap(start.y[k - 1], start.y[other]);
  }
}

void place_rack(const Parameters& p, double width, double height, Start& start) {
  const double spacing = 2.06 * p.radius + disc_gap(p), row = std::sqrt(3.0) / 2 * spacing;
  const double apex = 0.6 * width, middle = 0.5 * height;
  for (int k = 0, column = 0; k < p.count - 1; ++column)
    for (int j = 0; j <= column && k < p.count - 1; ++j, ++k) {
      start.x.push_back(apex + column * row);
      start.y.push_back(middle + (j - 0.5 * column) * spacing);
      if (start.x.back() > width - p.radius || start.y.back() < p.radius || start.y.back() > height - p.radius)
        reject_fit(p);
    }
  // Slightly off the axis: a break that is symmetric to the last bit would stay so.
  start.x.push_back(0.15 * width);
  start.y.push_back(middle + 0.05 * p.radius);
}

// Provisional positions until a file gives the real ones. They only have to be in the box.
void place_on_squares(const Parameters& p, double width, double height, Start& start) {
  const int across = std::max(1, static_cast<int>(std::ceil(std::sqrt(p.count * width / height))));
  const int up = (p.count + across - 1) / across;
  const auto place = [&](int k, int of, double extent) {
    return of == 1 ? 0.5 * extent : p.radius + (extent - 2 * p.radius) * k / (of - 1);
  };
  for (int k = 0; k < p.count; ++k) {
    start.x.push_back(place(k % across, across, width));
    start.y.push_back(place(k / across, up, height));
  }
}

void give_velocities(const Parameters& p, double width, std::uint32_t seed, Start& start) {
  const std::size_t count = start.x.size();
  start.vx.assign(count, 0);
  start.vy.assign(count, 0);
  if (p.arrangement == Arrangement::given) return;
  if (p.arrangement == Arrangement::rack) {
    start.vx[count - 1] = p.velocity_max;
    return;
  }
  const double deviation = p.velocity_max / std::sqrt(3.0);  // of a component, for both distributions
  for (std::size_t k = 0; k < count; ++k) {
    const Random4 random = philox(seed, velocities_stream, k);
    const double a = uniform_double(random.v[0], random.v[1]), b = uniform_double(random.v[2], random.v[3]);
    if (p.velocities == Velocities::uniform) {
      start.vx[k] = p.velocity_max * (2 * a - 1);
      start.vy[k] = p.velocity_max * (2 * b - 1);
    } else {
      // Box and Muller's pair; 1 - a is never 0.
      const double speed = deviation * std::sqrt(-2 * logarithm(1 - a)), angle = 2 * std::numbers::pi * b;
      start.vx[k] = speed * cosine(angle);
      start.vy[k] = speed * sine(angle);
    }
    if (p.arrangement == Arrangement::halves && start.x[k] > 0.5 * width) {
      start.vx[k] *= p.cold;
      start.vy[k] *= p.cold;
    }
  }
}

}  // namespace

Kind<double> kind_of_disc(const Parameters& p, int id) {
  if (!is_second_kind(p, id)) return {p.radius, 1};
  return {p.radius * p.second_radius, p.second_mass};
}

DiscOccupancy::DiscOccupancy(double width, double height, double largest_radius, std::size_t count)
    : width_(width), height_(height), largest_(largest_radius) {
  const double side = std::max(
      2 * largest_radius, std::sqrt(width * height / (2.0 * static_cast<double>(std::max<std::size_t>(count, 1)))));
  nx_ = std::max(1, static_cast<int>(width / side));
  ny_ = std::max(1, static_cast<int>(height / side));
  heads_.assign(static_cast<std::size_t>(nx_) * ny_, -1);
  places_.reserve(count);
}

int DiscOccupancy::cell(double position, double extent, int count) const {
  return std::clamp(static_cast<int>(position / extent * count), 0, count - 1);
}

void DiscOccupancy::add(double x, double y, double radius) {
  if (radius > largest_) {
    large_.push_back({x, y, radius, -1});
    return;
  }
  int& head = heads_[static_cast<std::size_t>(cell(y, height_, ny_)) * nx_ + cell(x, width_, nx_)];
  places_.push_back({x, y, radius, head});
  head = static_cast<int>(places_.size()) - 1;
}

bool DiscOccupancy::is_free(double x, double y, double radius, double gap) const {
  if (x < radius || x > width_ - radius || y < radius || y > height_ - radius) return false;
  const auto touches = [&](const Place& other) {
    const double dx = other.x - x, dy = other.y - y, apart = other.radius + radius + gap;
    return dx * dx + dy * dy < apart * apart;
  };
  for (const Place& other : large_)
    if (touches(other)) return false;
  const double reach = radius + largest_ + gap;
  const int x0 = cell(std::max(x - reach, 0.0), width_, nx_), x1 = cell(std::min(x + reach, width_), width_, nx_);
  const int y0 = cell(std::max(y - reach, 0.0), height_, ny_), y1 = cell(std::min(y + reach, height_), height_, ny_);
  for (int j = y0; j <= y1; ++j)
    for (int i = x0; i <= x1; ++i)
      for (int k = heads_[static_cast<std::size_t>(j) * nx_ + i]; k >= 0; k = places_[static_cast<std::size_t>(k)].next)
        if (touches(places_[static_cast<std::size_t>(k)])) return false;
  return true;
}

double disc_gap(const Parameters& p) {
  const double epsilon =
      p.precision == Precision::fp32 ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  return 4 * epsilon * p.box * std::max(1.0, p.aspect);
}

Start make_disc_start(const Parameters& p, std::uint32_t seed) {
  const double width = p.box, height = p.box * p.aspect;
  const bool scattered = p.arrangement == Arrangement::uniform || p.arrangement == Arrangement::halves;
  const bool two_kinds = scattered && p.second_share > 0;
  const double larger = p.radius * (two_kinds ? std::max(1.0, p.second_radius) : 1.0);
  const double largest = std::max(larger, p.heavy_radius);
  if (width < 2 * largest || height < 2 * largest)
    throw InputError("A box of {} by {} is too small for a disc of radius {}. Use a larger box or a smaller disc.",
                     in_lengths(width), in_lengths(height), in_lengths(largest));
  // N r² > L² is the paper's test. Whether the discs fit in a triangular lattice is found when it is made.
  if (static_cast<double>(p.count) * p.radius * p.radius > width * height) reject_fit(p);
  Start start;
  const auto count = static_cast<std::size_t>(p.count);
  start.x.reserve(count + 1);
  start.y.reserve(count + 1);
  if (p.arrangement == Arrangement::rack) {
    place_rack(p, width, height, start);
  } else if (p.arrangement == Arrangement::given) {
    place_on_squares(p, width, height, start);
  } else {
    DiscOccupancy places(width, height, larger, count);
    const double relative = two_kinds ? 1 + p.second_share * (p.second_radius * p.second_radius - 1) : 1;
    const double share = std::numbers::pi * p.radius * p.radius * relative * p.count / (width * height);
    if (p.heavy_radius > 0) places.add(0.5 * width, 0.5 * height, p.heavy_radius);
    if (two_kinds && p.second_radius != 1) {
      place_kinds_at_random(p, width, height, places, seed, start);
    } else if (share < random_until) {
      place_at_random(p, width, height, places, seed, start);
    } else {
      place_on_lattice(p, width, height, places, seed, start);
      shuffle_numbers(seed, start);
    }
  }
  give_velocities(p, width, seed, start);
  if (two_kinds && (p.second_radius != 1 || p.second_mass != 1))
    for (int k = 0; k < p.count; ++k) {
      const Kind<double> kind = kind_of_disc(p, k);
      start.radius.push_back(kind.radius);
      start.mass.push_back(kind.mass);
    }
  if (p.heavy_radius > 0) {
    if (start.radius.empty()) {
      start.radius.assign(start.x.size(), p.radius);
      start.mass.assign(start.x.size(), 1);
    }
    start.x.push_back(0.5 * width);
    start.y.push_back(0.5 * height);
    start.vx.push_back(0);
    start.vy.push_back(0);
    start.radius.push_back(p.heavy_radius);
    start.mass.push_back(p.heavy_mass);
  }
  return start;
}

}  // namespace perturb::particles
