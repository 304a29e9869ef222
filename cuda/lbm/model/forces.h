// The force of the fluid on each body, by momentum exchange, in an order that depends on the walls alone: so the sums
// are the same to the bit on both backends and with any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/core/backend/readback.h"
#include "cuda/lbm/model/bodies.h"
#include "cuda/lbm/model/boundary_links.h"
#include "cuda/lbm/model/lattice.h"
#include "cuda/lbm/model/outline.h"

namespace perturb::lbm {

struct Force {
  double x = 0, y = 0;  // to the right, upwards; lattice units
};

// The density that the answer of a moving wall reckons with: with one for all its links a closed body adds no mass.
constexpr float moving_density = 1.f;

// How the walls of a body move.
struct WallMotion {
  float ux = 0, uy = 0;           // cell/step
  double more_x = 0, more_y = 0;  // the force by what it covers and uncovers
};

// Keeps nothing and costs nothing until it is asked; then bodies are found once for all times that the walls are these.
class Forces {
 public:
  explicit Forces(Backend& backend) : backend_(backend) {}

  // The bodies among these walls, found anew where they are others. Where memory runs out the bodies are told, but no
  // forces on them. May wait for the device.
  std::shared_ptr<const Bodies> find(const StepParams& flow, const BoundaryLinks& boundary_links, Stream stream);

  // Queues the sums of this moment over the bodies of the last find(). Of these number `moving` moves, if there is one.
  void start(const Lattice& lattice, const WallCurve& curve, std::size_t moving, const WallMotion& motion);
  // Lets bodies and memory go.
  void forget();
  bool ready() { return !readback_ || readback_->ready(); }
  void wait() {
    if (readback_) readback_->wait();
  }
  // Of the sums that came back, one of each of Bodies::told; empty where there were none.
  std::vector<Force> result() const;

 private:
  void make_lists();
  void release();

  Backend& backend_;
  std::shared_ptr<const Bodies> bodies_;
  std::uint64_t walls_ = 0;  // the walls that bodies_ are of, as BoundaryLinks counts them; 0: none
  Stream stream_;
  // All rims one after the other in parts of a few cells, each of one body; a part's sum is two numbers.
  Array<RimCell> rims_;
  Array<int> begins_;              // where each part begins; and the end
  Array<double> sums_;             // [part][2]
  std::vector<std::size_t> ends_;  // the part behind the last one of each body
  std::unique_ptr<AsyncReadback> readback_;
  std::size_t moving_ = 0;
  WallMotion motion_;  // of the sums that were started last
};

}  // namespace perturb::lbm
