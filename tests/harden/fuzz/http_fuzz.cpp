// Fuzzes requests of HTTP, as bytes of a connection.
#include <string>

#include "app/serve/net/join_code.h"
#include "app/serve/net/request_parser.h"
#include "tests/harden/fuzz/fuzz.h"

namespace {

using namespace perturb;
using fuzz::require;

// The requests of a connection as one text, given `part` bytes at a time.
std::string read_all(std::string_view bytes, std::size_t part) {
  const RequestParser::Limits limits{600, 300};
  RequestParser parser(limits);
  std::string all;
  while (!bytes.empty()) {
    const std::size_t taken = parser.take(bytes.substr(0, part));
    const RequestParser::State state = parser.state();
    require(taken > 0 || state == RequestParser::State::complete, "nothing is taken");
    bytes.remove_prefix(taken);
    if (state == RequestParser::State::rejected) {
      const HttpAnswer& answer = parser.rejection();
      require(answer.status >= 400 && answer.status < 600, "a rejection without its status");
      fuzz::require_plain(answer.body);
      return all + std::to_string(answer.status);
    }
    if (state != RequestParser::State::complete) continue;
    HttpRequest& request = parser.request();
    require(request.path.starts_with('/'), "a path without its slash");
    require(request.body.size() <= limits.body_bytes, "a body beyond the limit");
    same_origin(request);
    for (const auto& [name, value] : request.cookies) equal_in_constant_time(tidy_code(value), "34679C");
    all += request.method + ' ' + request.path + ' ' + request.query + ' ' + request.host + ' ' + request.body + ' ' +
           (parser.asks_for_websocket() ? " websocket" : "") + '\n';
    for (const auto& [name, value] : request.fields) all += name + '=' + value + '\n';
    if (!parser.keeps_connection()) return all;
    parser.next();
  }
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::text_of(data, size);
  const std::string whole = read_all(bytes, bytes.size());
  // How the network divides the bytes makes no difference, except which of two errors comes first.
  const std::string parts = read_all(bytes, 7);
  const auto requests = [](const std::string& all) { return all.substr(0, all.rfind('\n') + 1); };
  require(requests(whole) == requests(parts), "requests depend on how their bytes arrive");
  return 0;
}
