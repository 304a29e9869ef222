// The image of the membrane, and the shown value at one point.
#pragma once

#include <string>

#include "cuda/core/backend/field.h"
#include "cuda/core/paint/camera.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/core/paint/pixels.h"
#include "cuda/membrane/model/motion.h"
#include "cuda/membrane/model/solution.h"
#include "cuda/membrane/view/paint.h"

namespace perturb::membrane {

// The quantity with this id. Throws InputError if there is none.
Shown membrane_shown(const std::string& id);

class FieldPicture {
 public:
  explicit FieldPicture(Backend& backend) : backend_(backend), probe_(backend, 1, "value of the field") {}

  // Input of an image in addition to the solution.
  struct Look {
    const Parameters& parameters;  // current ones, for what is drawn over the field
    double largest;                // the largest |u|
    std::uint32_t seed;
  };
  // Queued.
  void paint(Pixels pixels, const Camera& camera, const ViewSettings& view, const ColorTable& table, Solution& solution,
             const Oscillation& oscillation, const Look& look);

  // A field at a point of the square; waits.
  double height_at(double x, double y, const SolutionField& field);
  // The shown value at a point of the square; waits.
  double value(Shown shown, double x, double y, const Solution& solution, const Oscillation& oscillation);

 private:
  Backend& backend_;
  Array<double> probe_;
};

// For quantities that are not a number with a unit: a description at a point of the square; otherwise empty.
Message text_at(Shown shown, double x, double y, const Structure& structure, const Cover& cover);

}  // namespace perturb::membrane
