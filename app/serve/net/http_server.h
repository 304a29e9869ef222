// A server of HTTP and WebSockets, with or without TLS, for tens of browsers of a class.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/serve/net/http_message.h"
#include "app/serve/net/request_parser.h"

namespace perturb {

// Codes of RFC 6455 that end a WebSocket. The browser passes the code and the reason to the page.
enum class CloseCode : unsigned short {
  normal = 1000,
  going_away = 1001,        // the server ends
  unsupported_data = 1003,  // a message that is not text
  policy = 1008,            // the client broke a limit, or is not wanted
  too_big = 1009,
  internal_error = 1011,
};

// One WebSocket. All functions can be called from any thread, at any time: also after its end, then without effect.
// Messages arrive in the order of the calls. Buffers are shared, never copied; they must not change afterwards.
class Connection {
 public:
  virtual ~Connection() = default;

  // Never dropped: a client that does not read for so long that Limits::queued_bytes are exceeded is disconnected.
  // False: the connection has ended, or is about to.
  virtual bool send_text(std::shared_ptr<const std::string> text) = 0;
  // A binary message that may be dropped, such as a frame of a video. False: it was, because more than
  // `max_media_backlog` bytes are queued, or as for a text.
  virtual bool send_media(std::shared_ptr<const std::vector<std::byte>> bytes) = 0;
  static constexpr std::size_t max_media_backlog = 150'000;
  // Of texts and media that the system has not taken yet. It takes little more than the network transmits.
  virtual std::size_t queued_bytes() const = 0;
  // Ends the connection after what is queued. `reason`: an English sentence; what exceeds 123 bytes is cut off.
  virtual void close(CloseCode code, const std::string& reason) = 0;
  // IP address of the client, without the port.
  virtual const std::string& peer() const = 0;
};

class HttpServer {
 public:
  struct Limits {
    // A browser that loads a page has six. A school may have one address for all its devices.
    int connections = 500;
    int connections_per_address = 250;
    RequestParser::Limits request{};
    std::size_t message_bytes = 64 << 10;
    double messages_per_second = 200;           // per connection, and as many at once
    std::size_t queued_bytes = 4'000'000;       // per connection, of texts and media
    std::chrono::milliseconds wait{15'000};     // for a handshake, a request, or a part of an answer to be taken
    std::chrono::milliseconds silence{40'000};  // of a WebSocket whose client does not even answer pings
    std::chrono::milliseconds farewell{2'000};  // for the client to receive why it is disconnected
  };

  struct Options {
    std::string address = "127.0.0.1";  // an IP address of this machine; 0.0.0.0 or ::, all of them
    int port = 0;                       // 0: any free one
    std::string certificate, key;       // PEM files for https, the certificate with its chain; both empty: http
    Limits limits{};
  };

  // Called on the server's thread, one at a time, so they must be quick. An exception is answered by status 500, or
  // ends the WebSocket; its message is not sent.
  struct Handlers {
    std::function<HttpAnswer(const HttpRequest&)> http;
    // Whether a request may become a WebSocket; otherwise the answer that refuses it.
    std::function<std::optional<HttpAnswer>(const HttpRequest&)> accepts;
    std::function<void(const std::shared_ptr<Connection>&, const HttpRequest&)> opened;
    std::function<void(const std::shared_ptr<Connection>&, std::string text)> received;
    // Once for each that was opened; nothing is received afterwards.
    std::function<void(const std::shared_ptr<Connection>&)> closed;
  };

  // Listens from then on. Throws InputError if it cannot listen at this address and port, or use the certificate; Error
  // if there is no thread.
  HttpServer(const Options& options, Handlers handlers);
  ~HttpServer();  // stop()
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const;
  // Closes the WebSockets with `going_away` after what is queued, waits for it at most Limits::farewell, and ends the
  // thread: no handler is called afterwards. Not to be called from a handler.
  void stop();

 private:
  struct Core;
  std::unique_ptr<Core> core_;
};

}  // namespace perturb
