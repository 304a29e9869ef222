// The picture of the membrane, and what it shows at one point.
#pragma once

#include <string>

#include "cuda/core/backend/field.h"
#include "cuda/core/paint/camera.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/core/paint/pixels.h"
#include "cuda/core/paint/view_settings.h"
#include "cuda/membrane/model/oscillation.h"
#include "cuda/membrane/model/solution.h"
#include "cuda/membrane/view/paint.h"

namespace perturb::membrane {

// The quantity with this id. Throws InputError where there is none.
Shown membrane_shown(const std::string& id);

class FieldPicture {
 public:
  explicit FieldPicture(Backend& backend) : backend_(backend), probe_(backend, 1, "value of the field") {}

  // What a picture takes beside the solution.
  struct Look {
    const Parameters& parameters;  // today's: what is drawn over the picture
    double largest;                // the largest |u|
    std::uint32_t seed;
  };
  // Queued.
  void paint(Pixels pixels, const Camera& camera, const ViewSettings& view, const ColorTable& table, Solution& solution,
             const Oscillation& oscillation, const Look& look);

  // A field at a point of the square; waits.
  double height_at(double x, double y, const SolutionField& field);
  // The value of what is shown at a point of the square; waits.
  double value(Shown shown, double x, double y, const Solution& solution, const Oscillation& oscillation);

 private:
  Backend& backend_;
  Array<double> probe_;
};

// Of the quantities that are no number with a unit, what holds at a point of the square, in words; empty of the others.
std::string text_at(Shown shown, double x, double y, const Structure& structure, const Cover& cover);

}  // namespace perturb::membrane
