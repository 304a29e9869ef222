#include "app/serve/net/static_files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cuda/core/backend/check.h"

namespace perturb {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 21> mime_types{{
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".mjs", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".json", "application/json"},
    {".webmanifest", "application/manifest+json"},
    {".wasm", "application/wasm"},
    {".po", "text/plain; charset=utf-8"},
    {".txt", "text/plain; charset=utf-8"},
    {".md", "text/markdown; charset=utf-8"},
    {".csv", "text/csv; charset=utf-8"},
    {".toml", "application/toml"},
    {".xml", "application/xml"},
    {".png", "image/png"},
    {".webp", "image/webp"},
    {".jpg", "image/jpeg"},
    {".svg", "image/svg+xml"},
    {".ico", "image/x-icon"},
    {".woff2", "font/woff2"},
    {".mp4", "video/mp4"},
    {".wav", "audio/wav"},
}};

std::string mime_type_of(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  for (const auto& [ending, type] : mime_types)
    if (extension == ending) return std::string(type);
  return "application/octet-stream";
}

int value_of_hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// The path of a file relative to the folder; nothing if it could name a file elsewhere: encoded slashes and NULs,
// backslashes, names that begin with a dot (so "." and ".." too), empty names.
std::optional<std::string> relative_path(std::string_view path) {
  if (!path.starts_with('/')) return std::nullopt;
  std::string decoded;
  for (std::size_t k = 1; k < path.size(); ++k) {
    char c = path[k];
    if (c == '%') {
      if (k + 2 >= path.size()) return std::nullopt;
      const int high = value_of_hex(path[k + 1]), low = value_of_hex(path[k + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      c = static_cast<char>(16 * high + low);
      if (c == '/') return std::nullopt;
      k += 2;
    }
    if (c == '\0' || c == '\\') return std::nullopt;
    decoded += c;
  }
  if (decoded.empty() || decoded.ends_with('/')) decoded += "index.html";
  std::string_view rest = decoded;
  while (true) {
    const std::size_t slash = rest.find('/');
    const std::string_view name = rest.substr(0, slash);
    if (name.empty() || name.starts_with('.')) return std::nullopt;
    if (slash == std::string_view::npos) return decoded;
    rest.remove_prefix(slash + 1);
  }
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  void reset(int number) {
    if (number_ >= 0) close(number_);
    number_ = number;
  }
  int get() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

// The file of this path, which has no links, opened name by name: a name that is replaced by a link meanwhile is not
// followed. Negative: there is none.
int open_within(const std::string& root, const std::filesystem::path& path) {
  Descriptor at(open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (at.get() < 0) return -1;
  for (auto name = path.begin(); name != path.end(); ++name) {
    const bool is_last = std::next(name) == path.end();
    // Not to wait for the other end of a pipe, which is rejected below.
    const int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | (is_last ? O_NONBLOCK : O_DIRECTORY);
    at.reset(openat(at.get(), name->c_str(), flags));
    if (at.get() < 0) return -1;
  }
  return at.release();
}

std::string hex(std::uint64_t value) {
  std::string digits;
  for (; value != 0 || digits.empty(); value /= 16) digits.insert(digits.begin(), "0123456789abcdef"[value % 16]);
  return digits;
}

// Whether a list of entity tags (If-None-Match) contains this one. A "W/" before a tag makes no difference here.
bool lists_tag(std::string_view list, std::string_view tag) {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    std::string_view one = list.substr(0, comma);
    while (one.starts_with(' ') || one.starts_with('\t')) one.remove_prefix(1);
    while (one.ends_with(' ') || one.ends_with('\t')) one.remove_suffix(1);
    if (one.starts_with("W/")) one.remove_prefix(2);
    if (one == "*" || one == tag) return true;
    if (comma == std::string_view::npos) break;
    list.remove_prefix(comma + 1);
  }
  return false;
}

HttpAnswer page_answer(HttpAnswer answer) {
  answer.fields = StaticFiles::page_fields();
  return answer;
}

}  // namespace

StaticFiles::StaticFiles(const std::string& folder) {
  std::error_code error;
  root_ = std::filesystem::canonical(folder, error).string();
  if (!error && !std::filesystem::is_directory(root_, error) && !error)
    error = std::make_error_code(std::errc::not_a_directory);
  if (!error && access(root_.c_str(), R_OK | X_OK) != 0) error = std::error_code(errno, std::generic_category());
  if (error)
    throw InputError("Cannot serve the files of \"{}\": {}. Choose a folder that exists and that you may read.", folder,
                     error.message());
}

HttpFields StaticFiles::page_fields() {
  return {{"Cross-Origin-Opener-Policy", "same-origin"},
          {"Cross-Origin-Embedder-Policy", "require-corp"},
          {"Cache-Control", "no-cache"},
          {"X-Content-Type-Options", "nosniff"}};
}

HttpAnswer StaticFiles::answer(const HttpRequest& request) const {
  if (request.method != "GET" && request.method != "HEAD") {
    HttpAnswer refusal = page_answer(plain_answer(405, "Files can only be read."));
    refusal.fields.emplace_back("Allow", "GET, HEAD");
    return refusal;
  }
  const auto missing = [] { return page_answer(plain_answer(404, "There is no such page.")); };
  const std::optional<std::string> asked = relative_path(request.path);
  if (!asked) return missing();
  // Links within the folder are resolved here, and those that lead out of it rejected.
  std::error_code error;
  const std::filesystem::path path = std::filesystem::canonical(std::filesystem::path(root_) / *asked, error);
  if (error) return missing();
  const std::filesystem::path inside = path.lexically_relative(root_);
  if (inside.empty() || *inside.begin() == ".." || *inside.begin() == ".") return missing();
  const int descriptor = open_within(root_, inside);
  if (descriptor < 0) return missing();
  struct stat about {};
  if (fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode)) {
    close(descriptor);
    return missing();
  }
  const auto bytes = static_cast<std::size_t>(about.st_size);
  HttpAnswer answer;
  answer.file = std::make_shared<const OpenFile>(descriptor, bytes);
  answer.fields = page_fields();
  const std::string tag = '"' + hex(bytes) + '-' + hex(static_cast<std::uint64_t>(about.st_mtim.tv_sec)) + '-' +
                          hex(static_cast<std::uint64_t>(about.st_mtim.tv_nsec)) + '"';
  answer.fields.emplace_back("ETag", tag);
  if (lists_tag(request.field("If-None-Match"), tag)) {
    answer.status = 304;
    answer.type.clear();
    answer.file.reset();
    return answer;
  }
  answer.type = mime_type_of(*asked);
  return answer;
}

}  // namespace perturb
