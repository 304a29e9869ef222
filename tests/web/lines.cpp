// The page's engine as a native program, for comparisons: reads requests as lines and writes answers as lines.
//
//   perturb_web_lines [THREADS]
//
//   {"call": "open", "with": {...}}    is answered as in a browser
//   paint WIDTH HEIGHT                 {"hash": "..."} of the pixels
//   bytes FILE                         writes the output of "save" to the file
//   load FILE                          reads it, and loads it
//   fused                              {"fused": ...}: whether products are fused with sums, which no browser does
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>

#include "app/web/engine/engine.h"
#include "cuda/core/backend/host_device.h"

namespace {

// FNV-1a, computed by the tests in node as well.
std::string hash_of(std::span<const std::uint32_t> pixels) {
  std::uint32_t hash = 0x811c9dc5u;
  for (const std::uint32_t pixel : pixels)
    for (int k = 0; k < 4; ++k) hash = (hash ^ (pixel >> (8 * k) & 255u)) * 0x01000193u;
  return std::to_string(hash);
}

}  // namespace

int main(int count, char** words) {
  perturb::WebEngine engine(count > 1 ? std::atoi(words[1]) : 1);
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream parts(line);
    std::string word, file;
    parts >> word;
    if (word == "paint") {
      int width = 0, height = 0;
      parts >> width >> height;
      std::cout << "{\"hash\": \"" << hash_of(engine.paint(width, height)) << "\"}" << std::endl;
    } else if (word == "bytes") {
      parts >> file;
      std::ofstream(file, std::ios::binary)
          .write(reinterpret_cast<const char*>(engine.bytes().data()),
                 static_cast<std::streamsize>(engine.bytes().size()));
      std::cout << "{}" << std::endl;
    } else if (word == "load") {
      parts >> file;
      std::ifstream from(file, std::ios::binary);
      const std::string text((std::istreambuf_iterator<char>(from)), std::istreambuf_iterator<char>());
      const auto* begin = reinterpret_cast<const std::byte*>(text.data());
      engine.bytes().assign(begin, begin + text.size());
      std::cout << engine.call("{\"call\": \"load\"}") << std::endl;
    } else if (word == "fused") {
      const double once = 1 + 1.0 / (1 << 30);
      std::cout << (perturb::multiply_add(once, once, -once * once) != 0 ? "{\"fused\": true}" : "{\"fused\": false}")
                << std::endl;
    } else {
      std::cout << engine.call(line) << std::endl;
    }
  }
}
