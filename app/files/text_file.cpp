#include "app/files/text_file.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "cuda/core/check.h"

namespace perturb {

namespace fs = std::filesystem;

std::string read_text_file(const std::string& path, const std::string& what) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) throw InputError("There is no " + what + " \"" + path + "\".");
  if (fs::is_directory(path, ignored)) throw InputError("The " + what + " \"" + path + "\" is a folder: name a file.");
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file.good() && !file.eof())
    throw InputError("The " + what + " \"" + path + "\" cannot be read: check its permissions.");
  return text;
}

}  // namespace perturb
