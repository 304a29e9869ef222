#include "app/window_icon.h"

#include <span>

#include "app/pictures/png_reader.h"
#include "cuda/core/check.h"
#include "cuda/core/embedded.h"

namespace perturb {

std::span<const EmbeddedFile> embedded_icon();

Picture window_icon() {
  Picture picture;
  if (!read_color_png(embedded_icon().front().text, picture)) throw Error("internal: the icon is no picture");
  return picture;
}

}  // namespace perturb
