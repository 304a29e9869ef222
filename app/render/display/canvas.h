// The image of a simulation in OpenGL: from the kernels through the pixel buffer to the screen.
#pragma once

#include <memory>
#include <string>

#include "app/render/display/pixel_buffer.h"
#include "app/render/display/screen_quad.h"
#include "cuda/core/paint/pixels.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

// Needs the GL context current, always on the same thread.
class Canvas {
 public:
  explicit Canvas(bool interop) : interop_(interop) {}

  // The mapped memory of the next image, and the colours of `colormap`, valid until unmap(). Painting may happen on
  // another thread in between; map() and unmap() use the backend, which no other thread may use meanwhile.
  struct MappedImage {
    Pixels pixels;
    const ColorTable& table;
  };
  MappedImage map(Backend& backend, const std::string& colormap, int width, int height);
  void unmap();
  bool is_mapped() const { return mapped_; }
  // Maps, paints and unmaps. `view` has all automatic settings resolved (ViewController::resolved).
  void paint(Simulation& simulation, const Camera& camera, const ViewSettings& view, int width, int height);
  // Clears the framebuffer and draws the image into its part of it. `finish`: waits for the newest image if necessary.
  // Black before the first one.
  void draw(const Viewport& viewport, bool finish);

  // How pixels reach the screen, and why no faster path is used; known after the first paint().
  std::string path() const { return buffer_ ? name_of(buffer_->path()) : ""; }
  const Message& note() const { return note_; }

 private:
  bool interop_;
  const Backend* backend_ = nullptr;  // of the buffer and the table
  std::unique_ptr<PixelBuffer> buffer_;
  std::unique_ptr<ColorTable> table_;
  std::unique_ptr<ScreenQuad> quad_;
  Message note_;
  bool mapped_ = false;
};

}  // namespace perturb
