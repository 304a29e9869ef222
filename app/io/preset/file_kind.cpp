#include "app/io/preset/file_kind.h"

#include "app/io/files/folders.h"
#include "app/io/files/text_file.h"
#include "app/io/preset/toml_reader.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace {
const std::vector<std::string> image_endings = {"png", "jpg", "jpeg", "bmp"};
}  // namespace

const std::vector<std::string>& endings_of_states() {
  static const std::vector<std::string> all = {"perturb", "h5", "hdf5"};
  return all;
}

const std::vector<std::string>& endings_of_files() {
  static const std::vector<std::string> all = {"perturb", "h5", "hdf5", "toml", "png", "jpg", "jpeg", "bmp", "h"};
  return all;
}

FileKind kind_of_file(const std::string& path) {
  if (has_ending(path, endings_of_states())) return FileKind::state;
  if (has_ending(path, image_endings)) return FileKind::image;
  if (has_ending(path, {"h"})) return FileKind::kernel;
  if (has_ending(path, {"csv", "txt"})) return FileKind::colormap;
  if (!has_ending(path, {"toml"}))
    throw InputError(
        "Cannot open \"{}\": unsupported file type. Use a state (.perturb), a preset, script or lesson "
        "(.toml), an image (.png, .jpg, .bmp), colours (.csv, .txt) or the text of a kernel (.h).",
        path);
  const toml::table table = parse_toml(read_text_file(path, "file"), path);
  if (table.contains("step")) return FileKind::lesson;
  if (table.contains("event") || table.contains("start")) return FileKind::script;
  return FileKind::preset;
}

}  // namespace perturb
