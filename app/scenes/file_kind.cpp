#include "app/scenes/file_kind.h"

#include "app/files/folder_listing.h"
#include "app/files/text_file.h"
#include "app/scenes/table_reader.h"
#include "cuda/core/check.h"

namespace perturb {

namespace {
const std::vector<std::string> image_endings = {"png", "jpg", "jpeg", "bmp"};
}  // namespace

const std::vector<std::string>& endings_of_files() {
  static const std::vector<std::string> all = {"h5", "perturb", "toml", "png", "jpg", "jpeg", "bmp"};
  return all;
}

FileKind kind_of_file(const std::string& path) {
  if (has_ending(path, {"h5", "perturb"})) return FileKind::state;
  if (has_ending(path, image_endings)) return FileKind::image;
  if (!has_ending(path, {"toml"}))
    throw InputError(
        "\"" + path +
        "\" is nothing that can be opened: states (.h5, .perturb), presets, scripts and lessons (.toml) and images "
        "(.png, .jpg, .bmp) can.");
  const toml::table table = parse_toml(read_text_file(path, "file"), path);
  if (table.contains("step")) return FileKind::lesson;
  if (table.contains("event") || table.contains("start")) return FileKind::script;
  return FileKind::preset;
}

}  // namespace perturb
