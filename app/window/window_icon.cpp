#include "app/window/window_icon.h"

#include <span>

#include "app/io/image/png_reader.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/embedded.h"

namespace perturb {

std::span<const EmbeddedFile> embedded_icon();

Picture window_icon() {
  Picture picture;
  if (!read_color_png(embedded_icon().front().text, picture)) throw Error("internal: the icon is no picture");
  return picture;
}

}  // namespace perturb
