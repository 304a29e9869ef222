#include "app/serve/net/join_code.h"

#include <cerrno>
#include <cstddef>
#include <cstring>

#include <sys/random.h>

#include "cuda/core/backend/check.h"

namespace perturb {
namespace {

constexpr std::string_view code_characters = "34679CDFGHJKLMNPQRTVWXY";

}  // namespace

std::string make_code(int characters) {
  std::string code;
  while (code.size() < static_cast<std::size_t>(characters)) {
    unsigned char byte = 0;
    const ssize_t got = getrandom(&byte, 1, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got != 1) throw Error("Cannot make a code: the system has no random numbers ({}).", std::strerror(errno));
    // All multiples of the number of characters that fit into a byte: the others would make some more frequent.
    if (byte < 256 / code_characters.size() * code_characters.size())
      code += code_characters[byte % code_characters.size()];
  }
  return code;
}

std::string tidy_code(std::string_view typed) {
  std::string code;
  for (const char c : typed) {
    if (c == ' ' || c == '-' || c == '\t') continue;
    code += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return code;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  // The length of a code is no secret.
  if (a.size() != b.size()) return false;
  volatile unsigned char difference = 0;  // volatile: the compiler must not leave the loop early
  for (std::size_t k = 0; k < a.size(); ++k)
    difference = static_cast<unsigned char>(difference | static_cast<unsigned char>(a[k] ^ b[k]));
  return difference == 0;
}

}  // namespace perturb
