// An image of a field of cells, described for a painter that cannot call the simulations': the shader of the web page
// (app/web/page/field_canvas.js), which computes the colours of their painters.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "cuda/core/backend/host_device.h"
#include "cuda/core/backend/view.h"
#include "cuda/core/math/geometry.h"
#include "cuda/core/paint/camera.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/core/paint/sampling.h"

namespace perturb {

// Lengths are in cells.
struct FieldImage {
  enum class Shading {
    table,       // the colour of the value
    light,       // water in the sun, by the slope of the values
    light_table  // the colour of the slope towards the sun
  };
  enum class Cover {
    none,
    medium,   // negative (-0 included) in a wall; its absolute value is a speed, which shades the colour if `shades`
    distance  // from the outline of walls, negative in a wall
  };
  // The mark of a hard source.
  struct Ring {
    CellSegment around;
    float radius;
  };

  // An image of this size, whose pixels sample a grid of this size. Keeps the memory of a previous image.
  void begin(const PixelSampler& sampler, int image_width, int image_height, int grid_width, int grid_height);
  // Whether the cells are so few that copying them costs less than painting the pixels.
  bool is_small() const;
  // Makes room for the cells of the part.
  View2D<float> view_of(std::vector<float>& cells) const {
    cells.resize(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows));
    return {cells.data(), columns, rows, columns};
  }

  int image_width = 0, image_height = 0, width = 0, height = 0;
  // The part of the grid that the image shows, with the cells around it that its pixels sample.
  int left = 0, low = 0, columns = 0, rows = 0;
  float scale_x = 1, scale_y = 1;  // cells per pixel
  int taps_x = 1, taps_y = 1;      // the most cells that a pixel covers along x and y
  // For the pixels of a row of the image: their centres, then the first cell of each, then the second, ..., then the
  // share of the first (0: not covered), of the second, ...; the same for those of a column. Passed as numbers, because
  // another order of rounding would move a pixel to another cell.
  std::vector<float> x, y;
  bool linear = false;  // between cells; otherwise the mean of the cells

  std::vector<float> values, cover;  // of the part, row by row
  Cover cover_is = Cover::none;
  bool shades = false;
  Shading shading = Shading::table;
  ColorScale scale;
  float slope_per_difference = 0;  // of the values of the cells on both sides of a cell
  float exaggeration = 1;          // of slopes, for `light`
  std::vector<Ring> rings;
  std::optional<GridPoint> probe;
  float mark_size = 1;  // of the probe's mark and of streamlines: their unit in pixels
  // Values at the corners of the part's cells, columns + 1 in a row; lines where they are a multiple of the step.
  std::vector<float> stream;
  float stream_step = 0;  // 0: no lines
  // For each square of the image with this side in pixels, row by row, the arrow in its middle: its direction, and half
  // its length in pixels (0: none), and 0.
  std::vector<float> arrows;
  int arrow_side = 0;  // 0: no arrows
};

// Writes the cells of the part that the image shows: a functor for parallel_for over its columns and rows.
template <class Cells>
struct CopyCells {
  Cells cells;
  View2D<float> to;
  int left, low;
  PERTURB_HD void operator()(int i, int j) const { to(i, j) = static_cast<float>(cells(left + i, low + j)); }
};

// Implemented by simulations that paint fields of cells.
class FieldImageSource {
 public:
  // Describes what paint() would draw in an image of this size. Returns false where the description has no means for
  // that, or where copying the cells costs more than painting.
  virtual bool describe_image(FieldImage& image, int width, int height, const Camera& camera, const ViewSettings& view,
                              const ColorTable& table) = 0;

 protected:
  ~FieldImageSource() = default;
};

}  // namespace perturb
