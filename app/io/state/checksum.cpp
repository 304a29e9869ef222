#include "app/io/state/checksum.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

#include <unistd.h>

#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

constexpr std::string_view checksum_header_name = "perturb-seal ";

std::string checksum_header_line(std::uint64_t checksum, std::uint64_t bytes) {
  char line[80];
  std::snprintf(line, sizeof line, "xxh64=%016llx bytes=%llu\n", static_cast<unsigned long long>(checksum),
                static_cast<unsigned long long>(bytes));
  return std::string(checksum_header_name) + line;
}

std::size_t read_some(int file, std::span<std::byte> into, std::uint64_t from) {
  std::size_t got = 0;
  while (got < into.size()) {
    const ssize_t n = pread(file, into.data() + got, into.size() - got, static_cast<off_t>(from + got));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw InputError("it is unreadable ({}). Check the disk, or use another copy", std::strerror(errno));
    if (n == 0) break;
    got += static_cast<std::size_t>(n);
  }
  return got;
}

// Checksum of everything after the header block.
std::uint64_t checksum_of(int file, std::uint64_t bytes) {
  std::vector<std::byte> piece(std::min<std::uint64_t>(bytes, std::uint64_t{1} << 20));
  XxHash64 checksum;
  for (std::uint64_t done = 0; done < bytes;) {
    const std::size_t got = read_some(file, std::span(piece).first(std::min<std::uint64_t>(piece.size(), bytes - done)),
                                      checksum_header_bytes + done);
    if (got == 0) break;
    checksum.add(std::span(piece).first(got));
    done += got;
  }
  return checksum.value();
}

}  // namespace

void write_checksum_header(std::span<std::byte> file) {
  const auto rest = file.subspan(checksum_header_bytes);
  XxHash64 checksum;
  checksum.add(rest);
  const std::string line = checksum_header_line(checksum.value(), rest.size());
  std::fill_n(file.begin(), checksum_header_bytes, std::byte{0});
  std::memcpy(file.data(), line.data(), line.size());
}

void verify_checksum_header(int file, std::uint64_t size) {
  std::byte block[checksum_header_bytes] = {};
  read_some(file, block, 0);
  // The block ends with a zero, so a line ends within it whatever it contains.
  block[checksum_header_bytes - 1] = std::byte{0};
  const std::string line = reinterpret_cast<const char*>(block);
  if (!line.starts_with(checksum_header_name)) return;

  const std::uint64_t rest = size > checksum_header_bytes ? size - checksum_header_bytes : 0;
  std::uint64_t promised = 0;
  const std::size_t at = line.rfind("bytes=");
  if (at != std::string::npos) std::from_chars(line.data() + at + 6, line.data() + line.size(), promised);
  if (rest < promised)
    throw InputError("it is truncated: {} bytes are missing at the end. Use another copy", promised - rest);
  if (rest == promised && line == checksum_header_line(checksum_of(file, rest), rest)) return;
  throw InputError(
      "its checksum is wrong: it is damaged, or another program changed it. Use another copy. If the change was "
      "intended, overwrite the first byte of the file to skip the checksum");
}

}  // namespace perturb
