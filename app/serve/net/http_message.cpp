#include "app/serve/net/http_message.h"

#include <algorithm>

namespace perturb {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

std::string_view HttpRequest::field(std::string_view name) const {
  for (const auto& [own, value] : fields)
    if (equal_ignoring_case(own, name)) return value;
  return {};
}

std::string_view HttpRequest::cookie(std::string_view name) const {
  for (const auto& [own, value] : cookies)
    if (own == name) return value;
  return {};
}

HttpAnswer plain_answer(int status, std::string sentence) {
  HttpAnswer answer;
  answer.status = status;
  answer.fields = {{"Cache-Control", "no-store"}, {"X-Content-Type-Options", "nosniff"}};
  answer.body = std::move(sentence) + "\n";
  return answer;
}

HttpFields page_fields() {
  return {{"Cross-Origin-Opener-Policy", "same-origin"},
          {"Cross-Origin-Embedder-Policy", "require-corp"},
          {"Cache-Control", "no-cache"},
          {"X-Content-Type-Options", "nosniff"}};
}

bool same_origin(const HttpRequest& request) {
  if (request.origin.empty()) return true;
  const std::size_t scheme = request.origin.find("://");  // missing in "null", which a page in a sandbox sends
  if (scheme == std::string::npos || request.host.empty()) return false;
  return equal_ignoring_case(std::string_view(request.origin).substr(scheme + 3), request.host);
}

}  // namespace perturb
