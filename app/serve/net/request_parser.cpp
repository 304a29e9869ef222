#include "app/serve/net/request_parser.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>  // Boost 1.74 uses std::exchange without including it

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/websocket/rfc6455.hpp>

namespace perturb {

namespace http = boost::beast::http;

struct RequestParser::Parts {
  http::request_parser<http::string_body> parser;
  std::string unparsed;  // an incomplete header
  HttpRequest request;
  std::optional<HttpAnswer> rejection;
  bool has_begun = false, keeps_connection = false, asks_for_websocket = false;
};

namespace {

HttpAnswer rejection_of(const boost::system::error_code& error) {
  if (error == http::error::header_limit || error == http::error::buffer_overflow)
    return plain_answer(431, "The header of the request is too long.");
  if (error == http::error::body_limit) return plain_answer(413, "The body of the request is too long.");
  if (error == http::error::bad_version) return plain_answer(505, "Only HTTP/1.0 and HTTP/1.1 can be used here.");
  return plain_answer(400, "This is not a request of HTTP.");
}

// "a=1; b=2"
void read_cookies(std::string_view text, HttpFields& cookies) {
  while (!text.empty()) {
    const std::size_t end = text.find(';');
    std::string_view one = text.substr(0, end);
    while (one.starts_with(' ')) one.remove_prefix(1);
    while (one.ends_with(' ')) one.remove_suffix(1);
    if (const std::size_t equals = one.find('='); equals != std::string_view::npos)
      cookies.emplace_back(one.substr(0, equals), one.substr(equals + 1));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Whether the header is complete. `error`: it is longer than the limit.
bool has_header(std::string_view bytes, std::size_t limit, boost::system::error_code& error) {
  const std::size_t end = bytes.substr(0, limit).find("\r\n\r\n");
  if (end == std::string_view::npos && bytes.size() >= limit) error = http::error::header_limit;
  return end != std::string_view::npos;
}

template <class Text>
std::string text_of(const Text& text) {
  return {text.data(), text.size()};
}

}  // namespace

RequestParser::RequestParser(const Limits& limits) : limits_(limits) { next(); }
RequestParser::~RequestParser() = default;

void RequestParser::next() {
  parts_ = std::make_unique<Parts>();
  parts_->parser.header_limit(static_cast<std::uint32_t>(limits_.header_bytes));
  parts_->parser.body_limit(limits_.body_bytes);
}

RequestParser::State RequestParser::state() const {
  if (parts_->rejection) return State::rejected;
  if (parts_->parser.is_done()) return State::complete;
  return parts_->has_begun ? State::reading : State::waiting;
}

HttpRequest& RequestParser::request() { return parts_->request; }
bool RequestParser::keeps_connection() const { return parts_->keeps_connection; }
bool RequestParser::asks_for_websocket() const { return parts_->asks_for_websocket; }
const HttpAnswer& RequestParser::rejection() const { return *parts_->rejection; }

std::size_t RequestParser::take(std::string_view bytes) {
  Parts& parts = *parts_;
  if (bytes.empty() || parts.rejection || parts.parser.is_done()) return 0;
  // An empty line before a request is ignored: old clients sent one after a body.
  if (!parts.has_begun) {
    std::size_t blank = 0;
    while (blank < bytes.size() && (bytes[blank] == '\r' || bytes[blank] == '\n')) ++blank;
    if (blank > 0) return blank;
  }
  // A method begins with a letter: other protocols are noticed at once.
  if (!parts.has_begun && !is_letter(bytes.front())) {
    parts.rejection = rejection_of(http::error::bad_method);
    return bytes.size();
  }
  parts.has_begun = true;
  parts.unparsed += bytes;
  boost::system::error_code error;
  std::size_t used = 0;
  // The parser gets whole headers: what it rejects in a part of one depends on how the bytes arrive.
  if (parts.parser.is_header_done() || has_header(parts.unparsed, limits_.header_bytes, error)) {
    while (!error && used < parts.unparsed.size() && !parts.parser.is_done()) {
      const auto rest = boost::asio::buffer(parts.unparsed.data() + used, parts.unparsed.size() - used);
      const std::size_t more = parts.parser.put(rest, error);
      used += more;
      // No browser sends a body in chunks, whose lines and trailers would need limits of their own.
      if (!error && parts.parser.chunked()) {
        parts.rejection = plain_answer(411, "A request has to state the length of its body.");
        return bytes.size();
      }
      if (more == 0) break;
    }
    if (error == http::error::need_more) error = {};
  }
  if (error) {
    parts.rejection = rejection_of(error);
    return bytes.size();
  }
  parts.unparsed.erase(0, used);
  if (!parts.parser.is_done()) return bytes.size();
  // What follows the request is left to the caller.
  const std::size_t taken = bytes.size() - std::min(bytes.size(), parts.unparsed.size());
  parts.unparsed.clear();

  auto& message = parts.parser.get();
  HttpRequest& request = parts.request;
  request.method = text_of(message.method_string());
  const std::string target = text_of(message.target());
  const std::size_t question = target.find('?');
  request.path = target.substr(0, question);
  if (question != std::string::npos) request.query = target.substr(question + 1);
  int hosts = 0;
  for (const auto& field : message) {
    request.fields.emplace_back(text_of(field.name_string()), text_of(field.value()));
    if (field.name() == http::field::host) {
      request.host = request.fields.back().second;
      ++hosts;
    } else if (field.name() == http::field::origin) {
      request.origin = request.fields.back().second;
    } else if (field.name() == http::field::cookie) {
      read_cookies(request.fields.back().second, request.cookies);
    }
  }
  request.body = std::move(message.body());
  parts.keeps_connection = message.keep_alive();
  parts.asks_for_websocket = boost::beast::websocket::is_upgrade(message);
  if (!request.path.starts_with('/'))
    parts.rejection = plain_answer(400, "The path of a request begins with a slash.");
  else if (hosts > 1 || (hosts == 0 && message.version() == 11))
    parts.rejection = plain_answer(400, "A request of HTTP/1.1 has one field \"Host\".");
  return taken;
}

}  // namespace perturb
