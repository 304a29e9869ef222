// Interaction and sums over nodes on CPU threads, in vector registers. Only the host compiler compiles this file, also
// in a CUDA build (sources.cmake), because nvcc does not support vector types.
//
//   interaction   Several partners of a fiber side by side. They are distributed to packs by their distance, so that
//                 most packs need only one of the two recursions: all their outer points are far from all their
//                 sources, or all are near.
//   sums          The nodes of a fiber side by side, one source after the other.
//   far sums      Fibers that are neighbours in space side by side, one source after the other.
#include <algorithm>
#include <array>
#include <vector>

#include "cuda/core/backend/cpu_backend.h"
#include "cuda/fibers/model/interaction.h"
#include "cuda/fibers/model/levels.h"
#include "cuda/fibers/model/nodes.h"

namespace perturb::fibers::detail {

namespace {

constexpr int lanes = native_lanes;

// A fiber l as a partner of m.
struct Partner {
  int fiber;
  double distance;  // between centres, over the half-length of l
  Vector3<double> separation;
};

Partner partner_of(const Poses& poses, int m, int l) {
  const Vector3<double> d = fiber_separation(poses.position + 3 * m, poses.position + 3 * l, poses.box);
  const double distance = std::sqrt(dot(d, d));
  return {l, poses.unequal() ? distance / poses.half_length[l] : distance, d};
}

// Theta of m and `lanes` partners.
template <Starts starts, int K, bool unequal, class Real>
void interact(const Partner* partners, int m, const Poses& poses, const FiberRule& rule, double doublet,
              Pack<Real, lanes>* theta) {
  using P = Pack<Real, lanes>;
  constexpr int columns = (K + 1) * tensor;
  const P zero(Real(0));
  Vector3<P> separation{zero, zero, zero}, t = separation;
  P half(Real(1));
  const auto nearest = [&](const Partner& p) {
    if constexpr (unequal) return p.distance - poses.half_length[m] / poses.half_length[p.fiber];
    return p.distance - 1;
  };
  double min_distance = nearest(partners[0]);
  for (int lane = 0; lane < lanes; ++lane) {
    const Partner& p = partners[lane];
    const double* const l = poses.tangent + 3 * p.fiber;
    separation.x.set(lane, static_cast<Real>(p.separation.x));
    t.x.set(lane, static_cast<Real>(l[0]));
    separation.y.set(lane, static_cast<Real>(p.separation.y));
    t.y.set(lane, static_cast<Real>(l[1]));
    separation.z.set(lane, static_cast<Real>(p.separation.z));
    t.z.set(lane, static_cast<Real>(l[2]));
    if constexpr (unequal) half.set(lane, static_cast<Real>(poses.half_length[p.fiber]));
    min_distance = std::min(min_distance, nearest(p));
  }
  const double nearest_point = std::max(0.0, min_distance);
  const int first = starts == Starts::stable ? first_index(nearest_point * nearest_point) : last_moment;
  const double* const axis = (unequal ? poses.half_axis : poses.tangent) + 3 * m;
  const Vector3<P> own{P(static_cast<Real>(axis[0])), P(static_cast<Real>(axis[1])), P(static_cast<Real>(axis[2]))};
  std::fill(theta, theta + columns * (K + 1), P(Real(0)));
  for (int q = 0; q < rule.points; ++q) {
    P g[K + 1][tensor];
    const Vector3<P> r = add_scaled(separation, P(static_cast<Real>(rule.node[q])), own);
    if constexpr (unequal)
      inner_integral<starts, K>(r, t, half, P(static_cast<Real>(doublet)), first, g);
    else
      inner_integral<starts, K>(r, t, P(static_cast<Real>(doublet)), first, g);
    const P* const column = &g[0][0];
    for (int n = 0; n <= K; ++n) {
      const P weight(static_cast<Real>(rule.weight[q][n]));
      P* const row = theta + n * columns;
      for (int c = 0; c < columns; ++c) row[c] = multiply_add(weight, column[c], row[c]);
    }
  }
}

template <Starts starts, int K, bool unequal, class Real>
void interact_all(CpuBackend& cpu, const Layout& layout, Part part, const Poses& poses, const FiberRule& rule,
                  double doublet, Real* theta) {
  constexpr int numbers = tensor * (K + 1) * (K + 1);
  const auto rows = [&](int begin, int end) {
    std::vector<Partner> partners;
    Pack<Real, lanes> result[numbers];
    for (int r = begin; r < end; ++r) {
      // Rows of a triangle differ in length: taken from both ends alternately, equal blocks have equal work.
      const int m = r % 2 == 0 ? r / 2 : layout.fibers - 1 - r / 2;
      const int tile_m = m / layout.tile;
      partners.clear();
      for (int tile_l = layout.mirrored ? tile_m : 0; tile_l < layout.tiles; ++tile_l) {
        const long long pair = layout.tile_pair(tile_m, tile_l);
        if (pair < part.first || pair >= part.first + part.count) continue;
        for (int l = tile_l * layout.tile; l < (tile_l + 1) * layout.tile; ++l) {
          if (layout.holds(m, l)) partners.push_back(partner_of(poses, m, l));
        }
      }
      if (partners.empty()) continue;
      std::sort(partners.begin(), partners.end(), [](const Partner& a, const Partner& b) {
        return a.distance < b.distance || (a.distance == b.distance && a.fiber < b.fiber);
      });
      const std::size_t count = partners.size();
      while (partners.size() % lanes != 0) partners.push_back(partners.back());
      for (std::size_t p = 0; p < count; p += lanes) {
        interact<starts, K, unequal>(&partners[p], m, poses, rule, doublet, result);
        for (int lane = 0; lane < lanes && p + static_cast<std::size_t>(lane) < count; ++lane) {
          const int l = partners[p + static_cast<std::size_t>(lane)].fiber;
          Real* const to = theta + layout.row(layout.tile_pair(tile_m, l / layout.tile) - part.first, m % layout.tile) +
                           l % layout.tile;
          const Real* const from = reinterpret_cast<const Real*>(result) + lane;
          for (int c = 0; c < numbers; ++c) to[c * layout.tile] = from[c * lanes];
        }
      }
    }
  };
  cpu.pool().for_row_blocks(layout.fibers, 1, RowBlock(rows));
}

template <Starts starts, class Real>
auto interact_all_of(int order, bool unequal) {
  return order == 5 ? (unequal ? interact_all<starts, 5, true, Real> : interact_all<starts, 5, false, Real>)
                    : (unequal ? interact_all<starts, 8, true, Real> : interact_all<starts, 8, false, Real>);
}

// Theta of the pairs of a list: packs of partners of one fiber.
template <int K, bool unequal, class Real>
void interact_list(CpuBackend& cpu, const Pair* pairs, int count, const Poses& poses, const FiberRule& rule,
                   double doublet, Real* theta) {
  constexpr int numbers = tensor * (K + 1) * (K + 1);
  std::vector<int> begins;  // of the packs
  for (int p = 0, begin = 0; p <= count; ++p)
    if (p == count || p - begin == lanes || pairs[p].m != pairs[begin].m) {
      begins.push_back(begin);
      begin = p;
    }
  const auto packs = [&](int first, int last) {
    Partner partners[lanes];
    Pack<Real, lanes> result[numbers];
    for (int g = first; g < last; ++g) {
      const std::size_t own = static_cast<std::size_t>(g);
      const int begin = begins[own], size = (own + 1 < begins.size() ? begins[own + 1] : count) - begin;
      const int m = pairs[begin].m;
      for (int lane = 0; lane < lanes; ++lane) {
        const int l = pairs[begin + std::min(lane, size - 1)].l;
        partners[lane] = partner_of(poses, m, l);
      }
      interact<Starts::stable, K, unequal>(partners, m, poses, rule, doublet, result);
      for (int lane = 0; lane < size; ++lane) {
        Real* const to = theta + static_cast<std::size_t>(begin + lane) * numbers;
        const Real* const from = reinterpret_cast<const Real*>(result) + lane;
        for (int c = 0; c < numbers; ++c) to[c] = from[c * lanes];
      }
    }
  };
  cpu.pool().for_row_blocks(static_cast<int>(begins.size()), 8, RowBlock(packs));
}

template <Product product, int K, bool mirrored, class Real>
void multiply_tiles(CpuBackend& cpu, const Layout& layout, Part part, const Real* theta, const double* f,
                    double* partials) {
  using P = Pack<double, lanes>;
  constexpr int values = 3 * (K + 1);
  const auto run = [&](int begin, int end) {
    for (int step = begin; step < end; ++step) {
      const long long pair = part.first + step;
      int tile_m = 0, tile_l = 0;
      layout.tiles_of(pair, tile_m, tile_l);
      Vector3<P> f_l[K + 1], y_l[K + 1];
      for (int k = 0; k <= K; ++k) {
        y_l[k] = {P(0.0), P(0.0), P(0.0)};
        f_l[k] = y_l[k];
        for (int lane = 0; lane < lanes; ++lane) {
          const int l = tile_l * lanes + lane;
          if (l >= layout.fibers) continue;
          const double* const own = f + static_cast<std::size_t>(l) * values + 3 * k;
          f_l[k].x.set(lane, own[0]);
          f_l[k].y.set(lane, own[1]);
          f_l[k].z.set(lane, own[2]);
        }
      }
      for (int row = 0; row < lanes; ++row) {
        const int m = tile_m * lanes + row;
        double* const to = partials + layout.partial_of_row(pair, row);
        if (m >= layout.fibers) {
          std::fill(to, to + values, 0.0);
          continue;
        }
        Vector3<P> f_m[K + 1], y_m[K + 1];
        for (int k = 0; k <= K; ++k) {
          const double* const own = f + static_cast<std::size_t>(m) * values + 3 * k;
          f_m[k] = {P(own[0]), P(own[1]), P(own[2])};
          y_m[k] = {P(0.0), P(0.0), P(0.0)};
        }
        const Real* const tensors = theta + layout.row(step, row);
        const auto load = [&](int n, int k, P(&g)[tensor]) {
          const Real* from = tensors + Layout::component(K, n, k) * lanes;
          for (int c = 0; c < tensor; ++c, from += lanes) {
            if constexpr (sizeof(Real) == sizeof(double)) {
              __builtin_memcpy(&g[c], from, sizeof(P));
            } else {
              for (int lane = 0; lane < lanes; ++lane) g[c].set(lane, static_cast<double>(from[lane]));
            }
          }
        };
        pair_product<product, K, mirrored>(load, f_m, f_l, y_m, y_l);
        const auto sum = [](const P& p) {
          double total = 0;
          for (int lane = 0; lane < lanes; ++lane) total += p[lane];
          return total;
        };
        for (int n = 0; n <= K; ++n) {
          to[3 * n] = sum(y_m[n].x);
          to[3 * n + 1] = sum(y_m[n].y);
          to[3 * n + 2] = sum(y_m[n].z);
        }
      }
      if constexpr (mirrored) {
        for (int lane = 0; lane < lanes; ++lane) {
          double* const to = partials + layout.partial_of_column(pair, 0, lane);
          for (int n = 0; n <= K; ++n) {
            to[3 * n] = y_l[n].x[lane];
            to[3 * n + 1] = y_l[n].y[lane];
            to[3 * n + 2] = y_l[n].z[lane];
          }
        }
      }
    }
  };
  cpu.pool().for_row_blocks(static_cast<int>(part.count), 8, RowBlock(run));
}

template <Product product, class Real>
void multiply(CpuBackend& cpu, const Layout& layout, Part part, const Real* theta, const double* f, double* partials) {
  if (layout.order == 5)
    (layout.mirrored ? multiply_tiles<product, 5, true, Real>
                     : multiply_tiles<product, 5, false, Real>)(cpu, layout, part, theta, f, partials);
  else
    (layout.mirrored ? multiply_tiles<product, 8, true, Real>
                     : multiply_tiles<product, 8, false, Real>)(cpu, layout, part, theta, f, partials);
}

}  // namespace

int tile_cpu() { return lanes; }

template <class Real>
void interaction_cpu(Backend& backend, Kernel kernel, const Layout& layout, Part part, const Poses& poses,
                     const FiberRule& rule, double doublet, Real* theta) {
  auto& cpu = static_cast<CpuBackend&>(backend);
  const KernelTimer timer(backend, "fibers.interaction");
  const auto run = kernel == Kernel::recursion ? interact_all_of<Starts::published, Real>(layout.order, poses.unequal())
                                               : interact_all_of<Starts::stable, Real>(layout.order, poses.unequal());
  run(cpu, layout, part, poses, rule, doublet, theta);
}

template <class Real>
void product_cpu(Backend& backend, Product product, const Layout& layout, Part part, const Real* theta, const double* f,
                 double* partials) {
  auto& cpu = static_cast<CpuBackend&>(backend);
  const KernelTimer timer(backend, "fibers.product");
  switch (product) {
    case Product::weights:
      return multiply<Product::weights>(cpu, layout, part, theta, f, partials);
    case Product::forces:
      return multiply<Product::forces>(cpu, layout, part, theta, f, partials);
    case Product::velocities:
      return multiply<Product::velocities>(cpu, layout, part, theta, f, partials);
  }
}

template <class Real>
void pair_tensors_cpu(Backend& backend, const Pair* pairs, int count, int order, const Poses& poses,
                      const FiberRule& rule, double doublet, Real* theta) {
  auto& cpu = static_cast<CpuBackend&>(backend);
  const KernelTimer timer(backend, "fibers.interaction");
  const auto run = order == 5 ? (poses.unequal() ? interact_list<5, true, Real> : interact_list<5, false, Real>)
                              : (poses.unequal() ? interact_list<8, true, Real> : interact_list<8, false, Real>);
  run(cpu, pairs, count, poses, rule, doublet, theta);
}

template void pair_tensors_cpu(Backend&, const Pair*, int, int, const Poses&, const FiberRule&, double, float*);
template void pair_tensors_cpu(Backend&, const Pair*, int, int, const Poses&, const FiberRule&, double, double*);
template void interaction_cpu(Backend&, Kernel, const Layout&, Part, const Poses&, const FiberRule&, double, double*);
template void interaction_cpu(Backend&, Kernel, const Layout&, Part, const Poses&, const FiberRule&, double, float*);
template void product_cpu(Backend&, Product, const Layout&, Part, const double*, const double*, double*);
template void product_cpu(Backend&, Product, const Layout&, Part, const float*, const double*, double*);

// ---- sums over nodes

namespace {

// The numbers of one vector register.
template <class Real>
constexpr int lanes_of = native_lanes* static_cast<int>(sizeof(double) / sizeof(Real));

// The flow at `packs` registers of target nodes of fibers m.
template <int packs, class Real>
void sum_nodes(CpuBackend& cpu, const NodeView<Real>& view, double* flow) {
  constexpr int width = lanes_of<Real>;
  using P = Pack<Real, width>;
  const P doublet(static_cast<Real>(view.doublet)), minus3(static_cast<Real>(-3 * view.doublet)), zero(Real(0));
  const Real box = static_cast<Real>(view.box);
  constexpr int together = packs >= 4 ? 1 : 4 / packs;
  const auto add_nodes = [&]<int count>(const Node<Real>* nodes, const Vector3<P>(&base)[packs],
                                        Vector3<P>(&u)[packs]) {
    Vector3<P> r[count][packs];
    P inverse[count][packs];
    PERTURB_UNROLL
    for (int p = 0; p < count; ++p) {
      const Vector3<P> place{P(nodes[p].place.x), P(nodes[p].place.y), P(nodes[p].place.z)};
      PERTURB_UNROLL
      for (int k = 0; k < packs; ++k) {
        r[p][k] = base[k] - place;
        inverse[p][k] = reciprocal_root(dot(r[p][k], r[p][k]));
      }
    }
    PERTURB_UNROLL
    for (int p = 0; p < count; ++p) {
      const Vector3<P> force{P(nodes[p].force.x), P(nodes[p].force.y), P(nodes[p].force.z)};
      PERTURB_UNROLL
      for (int k = 0; k < packs; ++k) add_node_flow(r[p][k], inverse[p][k], force, doublet, minus3, u[k]);
    }
  };
  const auto rows = [&](int begin, int end) {
    for (int m = begin; m < end; ++m) {
      const double* const t = view.half_axis + 3 * static_cast<std::size_t>(m);
      const auto centre = Centre<Real>::of(view.position + 3 * static_cast<std::size_t>(m));
      Vector3<P> own[packs] = {};
      NodeSum<P> total[packs];
      for (int k = 0; k < packs; ++k) {
        for (int lane = 0; lane < width; ++lane) {
          // Lanes beyond the last node repeat it; they are not stored.
          const double s = view.node[std::min(k * width + lane, view.points - 1)];
          own[k].x.set(lane, static_cast<Real>(s * t[0]));
          own[k].y.set(lane, static_cast<Real>(s * t[1]));
          own[k].z.set(lane, static_cast<Real>(s * t[2]));
        }
        total[k] = {{zero, zero, zero}, {zero, zero, zero}};
      }
      const auto add_fiber = [&](int l) {
        const auto other = Centre<Real>::of(view.position + 3 * static_cast<std::size_t>(l));
        const Vector3<Real> d = centre_separation(centre, other, box);
        Vector3<P> base[packs], u[packs];
        for (int k = 0; k < packs; ++k) {
          base[k] = {own[k].x + P(d.x), own[k].y + P(d.y), own[k].z + P(d.z)};
          u[k] = {zero, zero, zero};
        }
        const Node<Real>* const nodes =
            view.nodes + static_cast<std::size_t>(l) * static_cast<std::size_t>(view.points);
        // Several nodes at a time: a root takes long, and several of them overlap.
        int p = 0;
        for (; p + together <= view.points; p += together) add_nodes.template operator()<together>(nodes + p, base, u);
        for (; p < view.points; ++p) add_nodes.template operator()<1>(nodes + p, base, u);
        for (int k = 0; k < packs; ++k) total[k].add(u[k]);
      };
      if (view.partners != nullptr) {
        for (int at = view.begin[m]; at < view.begin[m + 1]; ++at) add_fiber(view.partners[at]);
      } else {
        const std::uint32_t* const mask =
            view.mask + static_cast<std::size_t>(m) * static_cast<std::size_t>(view.words);
        for (int l = 0; l < view.fibers; ++l)
          if (((mask[l / 32] >> (l % 32)) & 1u) == 0) add_fiber(l);
      }
      double* const to = flow + 3 * static_cast<std::size_t>(m) * static_cast<std::size_t>(view.points);
      for (int q = 0; q < view.points; ++q) {
        const Vector3<P>& sum = total[q / width].sum;
        to[3 * q] = static_cast<double>(sum.x[q % width]);
        to[3 * q + 1] = static_cast<double>(sum.y[q % width]);
        to[3 * q + 2] = static_cast<double>(sum.z[q % width]);
      }
    }
  };
  cpu.pool().for_row_blocks(view.fibers, 1, RowBlock(rows));
}

}  // namespace

template <class Real>
void node_sums_cpu(Backend& backend, const NodeView<Real>& view, int, double* flow) {
  auto& cpu = static_cast<CpuBackend&>(backend);
  const KernelTimer timer(backend, "fibers.nodes");
  const int packs = (view.points + lanes_of<Real> - 1) / lanes_of<Real>;
  if (packs <= 1) return sum_nodes<1>(cpu, view, flow);
  if (packs <= 2) return sum_nodes<2>(cpu, view, flow);
  if (packs <= 4) return sum_nodes<4>(cpu, view, flow);
  return sum_nodes<8>(cpu, view, flow);
}

template void node_sums_cpu(Backend&, const NodeView<float>&, int, double*);
template void node_sums_cpu(Backend&, const NodeView<double>&, int, double*);

// ---- far sums

namespace {

// A register of target fibers, neighbours in space, and one source after the other. Lanes whose pair has another level
// are computed too, and not added.
template <int points>
void sum_far(CpuBackend& cpu, const FarView& view, double* flow) {
  constexpr int width = lanes_of<float>;
  using P = Pack<float, width>;
  const P doublet(static_cast<float>(view.doublet)), minus3(static_cast<float>(-3 * view.doublet)), zero(0.f);
  const double box = view.poses.box;
  const auto run = [&](int begin, int end) {
    for (int task = begin; task < end; ++task) {
      const int block = task / view.chunks, chunk = task % view.chunks;
      int fibers[width];
      double x[3][width], half[width], total[points][3][width] = {};
      Vector3<P> t;
      for (int lane = 0; lane < width; ++lane) {
        // Lanes beyond the last fiber repeat it; they are not stored.
        const int m = view.order[std::min(block * width + lane, view.fibers - 1)];
        const double* const axis = view.poses.half_axes() + 3 * static_cast<std::size_t>(m);
        fibers[lane] = m;
        half[lane] = view.poses.unequal() ? view.poses.half_length[m] : 1.0;
        for (std::size_t c = 0; c < 3; ++c) x[c][lane] = view.poses.position[3 * static_cast<std::size_t>(m) + c];
        t.x.set(lane, static_cast<float>(axis[0]));
        t.y.set(lane, static_cast<float>(axis[1]));
        t.z.set(lane, static_cast<float>(axis[2]));
      }
      for (int at = view.first_source(chunk); at < view.first_source(chunk + 1); ++at) {
        const int l = view.order[at];
        const double* const source = view.poses.position + 3 * static_cast<std::size_t>(l);
        const double half_l = view.poses.unequal() ? view.poses.half_length[l] : 1.0;
        double d[3][width];
        for (int c = 0; c < 3; ++c)
          for (int lane = 0; lane < width; ++lane) d[c][lane] = x[c][lane] - source[c];
        if (box > 0)
          for (int c = 0; c < 3; ++c)
            for (int lane = 0; lane < width; ++lane) d[c][lane] -= box * ::rint(d[c][lane] / box);
        float level[width], single[3][width];  // level: 1 in lanes of this one, else 0
        float any = 0;
        for (int lane = 0; lane < width; ++lane) {
          const double d2 =
              multiply_add(d[0][lane], d[0][lane], multiply_add(d[1][lane], d[1][lane], d[2][lane] * d[2][lane]));
          const double longer = half[lane] > half_l ? half[lane] : half_l, near = view.begin * longer,
                       far = view.end * longer;
          level[lane] = !(d2 < near * near) && !(d2 >= far * far) ? 1.f : 0.f;
          any += level[lane];
          for (int c = 0; c < 3; ++c) single[c][lane] = static_cast<float>(d[c][lane]);
        }
        if (any == 0) continue;
        Vector3<P> separation, u[points];
        P in;
        __builtin_memcpy(&separation.x, single[0], sizeof(P));
        __builtin_memcpy(&separation.y, single[1], sizeof(P));
        __builtin_memcpy(&separation.z, single[2], sizeof(P));
        __builtin_memcpy(&in, level, sizeof(P));
        for (int q = 0; q < points; ++q) u[q] = {zero, zero, zero};
        add_far_fiber<points, 2>(separation, t, view.node, view.nodes + static_cast<std::size_t>(at) * points, doublet,
                                 minus3, u);
        const auto mask = at_least(in, P(1.f));
        for (int q = 0; q < points; ++q) {
          const P parts[3] = {select(mask, u[q].x, zero), select(mask, u[q].y, zero), select(mask, u[q].z, zero)};
          for (int c = 0; c < 3; ++c) {
            float part[width];
            __builtin_memcpy(part, &parts[c], sizeof(P));
            for (int lane = 0; lane < width; ++lane) total[q][c][lane] += static_cast<double>(part[lane]);
          }
        }
      }
      for (int lane = 0; lane < width && block * width + lane < view.fibers; ++lane)
        for (int q = 0; q < points; ++q) {
          double* const to = flow + 3 * ((static_cast<std::size_t>(chunk) * static_cast<std::size_t>(view.fibers) +
                                          static_cast<std::size_t>(fibers[lane])) *
                                             points +
                                         static_cast<std::size_t>(q));
          for (int c = 0; c < 3; ++c) to[c] = total[q][c][lane];
        }
    }
  };
  cpu.pool().for_row_blocks((view.fibers + width - 1) / width * view.chunks, 1, RowBlock(run));
}

}  // namespace

void far_sums_cpu(Backend& backend, const FarView& view, double* flow) {
  static_assert(far_points[0] == 6 && far_points[1] == 4);
  auto& cpu = static_cast<CpuBackend&>(backend);
  const KernelTimer timer(backend, "fibers.far");
  (view.points == 6 ? sum_far<6> : sum_far<4>)(cpu, view, flow);
}

}  // namespace perturb::fibers::detail
