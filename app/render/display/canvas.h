// The picture of a simulation in OpenGL's hands: from kernels through the pixel buffer to the screen.
#pragma once

#include <memory>
#include <string>

#include "app/render/display/pixel_buffer.h"
#include "app/render/display/screen_quad.h"
#include "cuda/core/paint/picture.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

// Needs the GL context current, always on the same thread.
class Canvas {
 public:
  explicit Canvas(bool interop) : interop_(interop) {}

  // The memory that the next picture goes to, and the colours of `colormap`, until unmap(). Between the two whoever
  // paints may do so on another thread; map() and unmap() use the backend, which nobody else may do meanwhile.
  struct MappedImage {
    Pixels pixels;
    const ColorTable& table;
  };
  MappedImage map(Backend& backend, const std::string& colormap, int width, int height);
  void unmap();
  bool is_mapped() const { return mapped_; }
  // Lend, paint, take back. `view` has nothing left open (ViewController::resolved).
  void paint(Simulation& simulation, const Camera& camera, const ViewSettings& view, int width, int height);
  // Clears the framebuffer and draws the picture into its part of it. `finish`: the newest picture, even if
  // that has to be waited for. Black before the first one.
  void draw(const Viewport& viewport, bool finish);

  // How pixels reach the screen, and why not in a better way; known after the first paint().
  std::string path() const { return buffer_ ? name_of(buffer_->path()) : ""; }
  const std::string& note() const { return note_; }

 private:
  bool interop_;
  std::unique_ptr<PixelBuffer> buffer_;
  std::unique_ptr<ColorTable> table_;
  std::unique_ptr<ScreenQuad> quad_;
  std::string note_;
  bool mapped_ = false;
};

}  // namespace perturb
