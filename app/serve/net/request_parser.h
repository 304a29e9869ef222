// Reads requests of HTTP from bytes.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "app/serve/net/http_message.h"

namespace perturb {

// One request after another. One thread.
class RequestParser {
 public:
  struct Limits {
    std::size_t header_bytes = 16 << 10;
    std::size_t body_bytes = 64 << 10;
  };
  enum class State {
    waiting,   // nothing of a request has arrived
    reading,   // a part of one
    complete,  // request(), until next()
    rejected,  // rejection(): nothing else can be read from this connection
  };

  explicit RequestParser(const Limits& limits);
  ~RequestParser();

  // Takes bytes up to the end of the request at most, and returns how many.
  std::size_t take(std::string_view bytes);
  State state() const;

  HttpRequest& request();           // without the peer
  bool keeps_connection() const;    // whether the client may send another request
  bool asks_for_websocket() const;  // whether it asks to continue as a WebSocket
  const HttpAnswer& rejection() const;

  // Forgets the request.
  void next();

 private:
  struct Parts;
  Limits limits_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace perturb
