// Requests and answers of HTTP as values.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perturb {

using HttpFields = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method;  // "GET", as sent
  std::string path;    // begins with "/"; not decoded, without the query
  std::string query;   // after "?", not decoded
  std::string host;    // with the port, if the client sent one
  std::string origin;  // empty: not sent
  HttpFields cookies;
  HttpFields fields;  // all header fields
  std::string body;
  std::string peer;  // IP address of the client, without the port

  // The first field, or cookie, of this name; empty: not sent. Names of fields ignore case.
  std::string_view field(std::string_view name) const;
  std::string_view cookie(std::string_view name) const;
};

// The server adds the length and what concerns the connection, and omits the body where the method is HEAD.
struct HttpAnswer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  HttpFields fields{};  // further ones; a line break in one makes the server answer 500 instead
  std::string body{};
};

// An answer that says why there is no other: one English sentence as plain text.
HttpAnswer plain_answer(int status, std::string sentence);

// The header fields of a file of the page: it is isolated, so that browsers give it threads, and asked for each time.
HttpFields page_fields();

// Whether the page that sent the request comes from this server: its origin is absent (no browser, or a plain GET) or
// names the same host and port as `host`. Other pages must not use a WebSocket with the cookies of this one.
bool same_origin(const HttpRequest& request);

}  // namespace perturb
