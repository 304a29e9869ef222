#include "app/io/files/colormap_file.h"

#include <filesystem>

#include "app/io/files/folders.h"
#include "app/io/files/text_file.h"

namespace perturb {

const Colormap& load_colormap_file(const std::string& path) {
  constexpr std::size_t max_bytes = std::size_t{1} << 20;
  const std::string name = std::filesystem::path(path).filename().string();
  return add_colormap(parse_colormap(name, read_text_file(path, "file of colours", max_bytes)));
}

const Colormap& colormap_of_option(const std::string& text) {
  return text.find_first_of("./") == std::string::npos ? find_colormap(text) : load_colormap_file(text);
}

void require_colormap(const std::string& id, const std::string& file) {
  find_colormap(id);
  if (missing_colormap(id).empty()) return;
  const std::string path = resolve_relative_path(file, id);
  std::error_code ignored;
  if (!path.empty() && std::filesystem::is_regular_file(path, ignored)) load_colormap_file(path);
}

}  // namespace perturb
