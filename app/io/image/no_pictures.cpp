// Image files in a build without image libraries (web page): the browser decodes them.
#include "app/io/image/image.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

[[noreturn]] void reject_picture(const std::string& path) {
  throw InputError("Cannot read or write the image \"{}\" in the browser. Open the scene in the desktop program.",
                   path);
}

}  // namespace

void save_png(const Picture&, const std::string& path) { reject_picture(path); }
std::shared_ptr<const GreyImage> load_grey_image(const std::string& path) { reject_picture(path); }
void save_grey_png(const GreyImage&, const std::string& path) { reject_picture(path); }

}  // namespace perturb
