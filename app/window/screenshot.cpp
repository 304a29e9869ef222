#include "app/window/screenshot.h"

#include <cstddef>
#include <string>

#include "app/io/image/image.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

// The part of an image that a viewport shows.
Picture cut_out(const Picture& whole, const Viewport& part) {
  Picture picture{part.width, part.height, {}};
  for (int row = 0; row < part.height; ++row) {
    const auto start = whole.pixels.begin() + (static_cast<std::ptrdiff_t>(part.y + row) * whole.width + part.x);
    picture.pixels.insert(picture.pixels.end(), start, start + part.width);
  }
  return picture;
}

}  // namespace

Picture read_viewport(const GlContext& context, const Viewport& viewport) {
  return cut_out(context.read_back(), viewport);
}

void save_screenshot(const GlContext& context, const Viewport& viewport, Session& session) {
  const std::string path = session.output().unused(".png", OutputFolders::Kind::picture);
  try {
    save_png(read_viewport(context, viewport), path);
    session.output().show_saved("Picture saved", path);
  } catch (const Error& error) {
    session.show_error(std::string(error.what()) + " Choose another folder with " +
                       shown_chord(UiCommand::output_folder) + ".");
  }
}

}  // namespace perturb
