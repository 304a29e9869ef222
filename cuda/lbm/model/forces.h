// The force of the fluid on each body, by momentum exchange. The order of summation depends only on the walls, so the
// sums are bit-identical on both backends and for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/lbm/model/bodies.h"
#include "cuda/lbm/model/boundary_links.h"
#include "cuda/lbm/model/lattice.h"
#include "cuda/lbm/model/rigid_motion.h"
#include "cuda/lbm/model/walls.h"

namespace perturb::lbm {

struct Force {
  double x = 0, y = 0;  // to the right, upwards; lattice units
  double torque = 0;    // about the centre of the body's motion, counterclockwise
  bool turns = false;   // whether the body turns
};

// Motion of the walls of a body.
struct WallMotion {
  RigidMotion rigid;
  double more_x = 0, more_y = 0;  // force from covering and uncovering cells
};

// Uses no memory or time until the first request; bodies are then found once per change of walls.
class Forces {
 public:
  explicit Forces(Backend& backend) : backend_(backend) {}

  // The bodies among these walls, found again if the walls have changed. If memory runs out, returns the bodies without
  // forces. May wait for the device.
  std::shared_ptr<const Bodies> find(const StepParams& flow, const BoundaryLinks& boundary_links, Stream stream);

  // Whether find() would return the bodies that it has returned last.
  bool has_found(const BoundaryLinks& boundary_links, Stream stream) const {
    return bodies_ && walls_ == boundary_links.walls() && stream_ == stream;
  }

  // One that is read does not wait for the other.
  enum class Use { reading, history };
  // Queues the current sums over the bodies of the last find(). `motions`: one per Bodies::reported.
  void start(Use use, const Lattice& lattice, const WallCurve& curve, const std::vector<WallMotion>& motions);
  // Releases bodies and memory.
  void forget();
  bool ready(Use use) { return !queued(use).readback || queued(use).readback->ready(); }
  void wait(Use use) {
    if (queued(use).readback) queued(use).readback->wait();
  }
  void wait() {
    wait(Use::reading);
    wait(Use::history);
  }
  // The completed sums, one per Bodies::reported; empty if there were none.
  std::vector<Force> result(Use use) const;

 private:
  struct Queued {
    Array<double> sums;  // [part][3]
    std::unique_ptr<AsyncReadback> readback;
    std::vector<WallMotion> motions;  // for the sums that were started last
  };
  Queued& queued(Use use) { return queued_[static_cast<int>(use)]; }
  const Queued& queued(Use use) const { return queued_[static_cast<int>(use)]; }
  void make_lists();
  void release();

  Backend& backend_;
  std::shared_ptr<const Bodies> bodies_;
  std::uint64_t walls_ = 0;  // the walls that bodies_ belong to, as BoundaryLinks counts them; 0: none
  Stream stream_;
  // All rims in sequence, in parts of a few cells, each of one body; the sum of a part is three numbers.
  Array<RimCell> rims_;
  Array<int> begins_;       // index of each part's first cell; and the end
  Array<double> of_cells_;  // [cell][3]
  struct End {
    std::size_t cell, part;
  };
  std::vector<End> ends_;  // of the cells and parts of each body
  Queued queued_[2];
};

}  // namespace perturb::lbm
