// A file that was embedded into the binary at build time.
#pragma once

#include <span>
#include <string_view>

namespace perturb {

struct EmbeddedFile {
  std::string_view name;  // path relative to its base folder: "wave/rain.toml"
  std::string_view text;  // the bytes, followed by a zero that is not counted
};

}  // namespace perturb
