// The server of HTTP and WebSockets, with clients that behave (by Boost.Beast) and clients that do not (plain sockets).
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "app/serve/net/http_server.h"
#include "tests/support/error_thrown_by.h"
#include "tests/support/files_scratch.h"
#include "tests/support/reach.h"
#include "tests/support/virtual_screen.h"

namespace perturb {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace websocket = boost::beast::websocket;
using asio::ip::tcp;
using std::chrono::milliseconds;

using Text = std::shared_ptr<const std::string>;
Text text_of(std::string text) { return std::make_shared<const std::string>(std::move(text)); }
std::shared_ptr<const std::vector<std::byte>> bytes_of(std::size_t count) {
  return std::make_shared<const std::vector<std::byte>>(count, std::byte{7});
}

// ---- a client that sends any bytes

class PlainClient {
 public:
  explicit PlainClient(int port) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    // Ends a hang.
    const timeval limit{120, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    const int small = 16 << 10;  // so that a client that does not read is noticed after a few messages
    setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
  }
  ~PlainClient() { hang_up(); }
  PlainClient(const PlainClient&) = delete;
  PlainClient& operator=(const PlainClient&) = delete;

  void hang_up() {
    if (socket_ >= 0) close(socket_);
    socket_ = -1;
  }
  // The server may have ended the connection before it has read all: false.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void end_sending() { shutdown(socket_, SHUT_WR); }
  // More bytes; empty at the end of the connection.
  std::string read() {
    std::array<char, 65536> part{};
    const ssize_t got = recv(socket_, part.data(), part.size(), 0);
    return got > 0 ? std::string(part.data(), static_cast<std::size_t>(got)) : std::string();
  }
  std::string read_all() {
    std::string all;
    for (std::string more = read(); !more.empty(); more = read()) all += more;
    return all;
  }
  // Up to the given number of bytes.
  std::string read_bytes(std::size_t count) {
    std::string all;
    while (all.size() < count) {
      std::string part(count - all.size(), '\0');
      const ssize_t got = recv(socket_, part.data(), part.size(), 0);
      if (got <= 0) break;
      all += part.substr(0, static_cast<std::size_t>(got));
    }
    return all;
  }
  // The head of an answer, with the empty line.
  std::string read_head() {
    std::string head;
    while (!head.ends_with("\r\n\r\n")) {
      const std::string one = read_bytes(1);
      if (one.empty()) break;
      head += one;
    }
    return head;
  }
  std::string ask(const std::string& request) {
    send(request);
    return read_all();
  }

  // ---- WebSocket
  std::string open_web_socket(const std::string& fields = "") {
    send(
        "GET /run HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
        fields + "\r\n");
    return read_head();
  }
  struct Frame {
    int kind = -1;  // -1: the connection has ended
    std::string content;
    int close_code() const {
      return kind != 8 || content.size() < 2
                 ? 0
                 : (static_cast<unsigned char>(content[0]) << 8 | static_cast<unsigned char>(content[1]));
    }
    std::string close_reason() const { return content.size() < 2 ? "" : content.substr(2); }
  };
  Frame read_frame() {
    const std::string head = read_bytes(2);
    if (head.size() < 2) return {};
    std::uint64_t size = static_cast<unsigned char>(head[1]);
    EXPECT_LT(size, 128u) << "a server does not mask";
    if (size >= 126) {
      const std::string more = read_bytes(size == 126 ? 2 : 8);
      size = 0;
      for (const char c : more) size = size << 8 | static_cast<unsigned char>(c);
    }
    return {head[0] & 15, read_bytes(size)};
  }
  Frame read_close() {
    Frame frame = read_frame();
    while (frame.kind >= 0 && frame.kind != 8) frame = read_frame();
    return frame;
  }

 private:
  int socket_;
};

// A frame of a client, with the mask 0.
std::string frame(int kind, const std::string& content, bool is_last = true, bool is_masked = true) {
  std::string bytes(1, static_cast<char>(kind | (is_last ? 0x80 : 0)));
  const int mask = is_masked ? 0x80 : 0;
  if (content.size() < 126) {
    bytes += static_cast<char>(mask | static_cast<int>(content.size()));
  } else {
    const bool is_long = content.size() > 65535;
    bytes += static_cast<char>(mask | (is_long ? 127 : 126));
    for (int shift = is_long ? 56 : 8; shift >= 0; shift -= 8)
      bytes += static_cast<char>(static_cast<std::uint64_t>(content.size()) >> shift & 255);
  }
  if (is_masked) bytes += std::string(4, '\0');
  return bytes + content;
}

// ---- a client by Beast

template <class Stream>
class Browser {
 public:
  template <class... More>
  explicit Browser(int port, More&... more) : stream_(context_, more...) {
    beast::get_lowest_layer(stream_).connect(
        tcp::endpoint(asio::ip::address_v4::loopback(), static_cast<unsigned short>(port)));
  }
  Stream& next_layer() { return stream_.next_layer(); }
  void open(const std::string& cookie = "") {
    stream_.set_option(websocket::stream_base::decorator([cookie](websocket::request_type& request) {
      if (!cookie.empty()) request.set(http::field::cookie, cookie);
    }));
    stream_.handshake("127.0.0.1", "/run");
  }
  void send(const std::string& text) {
    stream_.text(true);
    stream_.write(asio::buffer(text));
  }
  // The next message; after the end, "closed" with the code and the reason.
  std::string read() {
    beast::flat_buffer buffer;
    beast::error_code error;
    stream_.read(buffer, error);
    if (error == websocket::error::closed)
      return "closed " + std::to_string(stream_.reason().code) + ' ' + std::string(stream_.reason().reason.c_str());
    if (error) return "error " + error.message();
    return {static_cast<const char*>(buffer.data().data()), buffer.size()};
  }
  bool got_binary() const { return stream_.got_binary(); }
  void close() {
    beast::error_code ignored;
    stream_.close(websocket::close_code::normal, ignored);
  }

 private:
  asio::io_context context_;
  websocket::stream<Stream> stream_;
};
using PlainBrowser = Browser<tcp::socket>;

// ---- a server that notes what happens

class TestServer {
 public:
  explicit TestServer(const HttpServer::Options& options = {}) : server_(options, handlers()) {}
  ~TestServer() { server_.stop(); }

  int port() const { return server_.port(); }
  HttpServer& server() { return server_; }
  std::vector<std::shared_ptr<Connection>> open() {
    const std::lock_guard lock(mutex_);
    return open_;
  }
  std::shared_ptr<Connection> wait_for(std::size_t count) {
    EXPECT_TRUE(eventually([&] { return open().size() == count; }));
    return open().empty() ? nullptr : open().back();
  }
  int opened() const { return opened_; }
  int closed() const { return closed_; }
  std::vector<std::string> received() {
    const std::lock_guard lock(mutex_);
    return received_;
  }
  void expect_alive() {
    PlainClient client(port());
    const std::string answer = client.ask("GET /alive HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n")) << answer;
  }

 private:
  HttpServer::Handlers handlers() {
    HttpServer::Handlers all;
    all.http = [](const HttpRequest& request) {
      if (request.path == "/throw") throw Error("a secret of the program");
      HttpAnswer answer;
      if (request.path == "/split") answer.fields = {{"X-Test", "a\r\nSet-Cookie: b"}};
      answer.body = request.method + ' ' + request.path + '?' + request.query + ' ' + std::string(request.cookie("b")) +
                    ' ' + request.body + ' ' + request.peer;
      return answer;
    };
    all.accepts = [](const HttpRequest& request) -> std::optional<HttpAnswer> {
      if (request.field("X-Throw") == "1") throw Error("a secret of the program");
      if (!same_origin(request)) return plain_answer(403, "Another page must not connect.");
      return std::nullopt;
    };
    all.opened = [this](const std::shared_ptr<Connection>& connection, const HttpRequest& request) {
      EXPECT_EQ(request.path, "/run");
      const std::lock_guard lock(mutex_);
      ++opened_;
      open_.push_back(connection);
      cookies_.push_back(std::string(request.cookie("id")));
      if (request.cookie("id") == "throw") throw Error("a secret of the program");
    };
    all.received = [this](const std::shared_ptr<Connection>& connection, const std::string& text) {
      if (text == "throw") throw Error("a secret of the program");
      if (text == "close") connection->close(CloseCode::normal, std::string(121, '.') + "ä");
      {
        const std::lock_guard lock(mutex_);
        received_.push_back(text);
      }
      connection->send_text(text_of("echo " + text));
    };
    all.closed = [this](const std::shared_ptr<Connection>& connection) {
      EXPECT_FALSE(connection->send_text(text_of("late")));
      const std::lock_guard lock(mutex_);
      ++closed_;
      open_.erase(std::remove(open_.begin(), open_.end(), connection), open_.end());
    };
    return all;
  }

  std::mutex mutex_;
  std::atomic<int> opened_ = 0, closed_ = 0;
  std::vector<std::shared_ptr<Connection>> open_;
  std::vector<std::string> received_, cookies_;
  HttpServer server_;
};

HttpServer::Options with_limits(const std::function<void(HttpServer::Limits&)>& change) {
  HttpServer::Options options;
  change(options.limits);
  return options;
}

// ---- HTTP

TEST(HttpServer, AnswersRequestsOfOneConnectionInOrder) {
  TestServer server;
  PlainClient client(server.port());
  const std::string answer = client.ask(
      "GET /a%20b?q=1?2 HTTP/1.1\r\nHost: a\r\nCookie: a=1; b=2=3;c\r\n\r\n"
      "\r\nPOST /b HTTP/1.1\r\nhost: a\r\nContent-Length: 5\r\n\r\nhello"
      "POST /c HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"
      "HEAD /d HTTP/1.1\r\nHost: a\r\n\r\n"
      "BREW /e HTTP/1.0\r\n\r\n");
  std::string expected;
  for (const std::string body : {"GET /a%20b?q=1?2 2=3  127.0.0.1", "POST /b?  hello 127.0.0.1", "POST /c?   127.0.0.1",
                                 "HEAD /d?   127.0.0.1", "BREW /e?   127.0.0.1"}) {
    expected +=
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: " + std::to_string(body.size()) +
        "\r\nConnection: " + (body[0] == 'B' ? "close" : "keep-alive") + "\r\n\r\n" + (body[0] == 'H' ? "" : body);
  }
  EXPECT_EQ(answer, expected);
}

TEST(HttpServer, HidesFailuresOfHandlers) {
  TestServer server;
  for (const char* path : {"/throw", "/split"}) {
    PlainClient client(server.port());
    const std::string answer =
        client.ask(std::string("GET ") + path + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 500 ")) << answer;
    EXPECT_EQ(answer.find("secret"), std::string::npos) << answer;
    EXPECT_EQ(answer.find("Set-Cookie"), std::string::npos) << answer;
  }
}

TEST(HttpServer, RejectsWhatIsNoRequest) {
  TestServer server(with_limits([](HttpServer::Limits& limits) { limits.request = {2000, 1000}; }));
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\n";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"\x16\x03\x01\x02", "400"},
      {std::string("\0\1\2\r\n\r\n", 7), "400"},
      {"hello\r\n\r\n", "400"},
      {"GET / HTTP/2.0\r\n\r\n", "505"},
      {"GET / HTTP/1.1\r\n\r\n", "400"},
      {"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "400"},
      {"GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n", "400"},
      {"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "400"},
      {"GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n", "400"},
      {"GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(3000, 'x') + "\r\n\r\n", "431"},
      {"GET /" + std::string(1'000'000, 'x'), "431"},
      {"GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(1'000'000, 'x'), "431"},
      {head + "Content-Length: 1001\r\n\r\n", "413"},
      {head + "Content-Length: 99999999999999999999999\r\n\r\n", "400"},
      {head + "Content-Length: -1\r\n\r\n", "400"},
      {head + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "400"},
      {head + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", "411"},
  };
  for (const auto& [request, status] : cases) {
    PlainClient client(server.port());
    const std::string answer = client.ask(request);
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 " + status + ' ')) << request.substr(0, 80) << "\n" << answer;
    EXPECT_TRUE(answer.ends_with(".\n")) << answer;  // a sentence
    EXPECT_EQ(answer.find("Connection:"), answer.rfind("Connection:")) << "two answers to " << request.substr(0, 80);
  }
  server.expect_alive();
}

TEST(HttpServer, EndsRequestsThatTakeTooLong) {
  TestServer server(with_limits([](HttpServer::Limits& limits) { limits.wait = milliseconds(50); }));
  PlainClient silent(server.port());
  EXPECT_EQ(silent.read_all(), "");
  for (const char* part : {"GET / HT", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhel"}) {
    PlainClient half(server.port());
    const std::string answer = half.ask(part);
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 408 ")) << answer;
    EXPECT_TRUE(answer.ends_with("The request takes too long.\n")) << answer;
  }
}

TEST(HttpServer, SurvivesClientsThatHangUp) {
  TestServer server;
  for (const std::string request :
       {"", "G", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe"})
    for (const bool half : {false, true}) {
      PlainClient client(server.port());
      client.send(request);
      if (!half) continue;
      client.end_sending();
      client.read_all();
    }
  server.expect_alive();
}

TEST(HttpServer, LimitsConnectionsAndSaysSo) {
  const auto ask = [](int port) {
    PlainClient client(port);
    return client.ask("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  };
  for (const bool of_address : {false, true}) {
    TestServer server(with_limits(
        [&](HttpServer::Limits& limits) { (of_address ? limits.connections_per_address : limits.connections) = 3; }));
    std::vector<std::unique_ptr<PlainClient>> clients;
    for (int k = 0; k < 3; ++k) {
      clients.push_back(std::make_unique<PlainClient>(server.port()));
      EXPECT_TRUE(clients.back()->open_web_socket().starts_with("HTTP/1.1 101 "));
    }
    const std::string refused = ask(server.port());
    EXPECT_TRUE(refused.starts_with(of_address ? "HTTP/1.1 429 " : "HTTP/1.1 503 ")) << refused;
    EXPECT_NE(refused.find("Too many"), std::string::npos) << refused;
    clients.pop_back();
    EXPECT_TRUE(eventually([&] { return ask(server.port()).starts_with("HTTP/1.1 200 "); }));
  }
}

TEST(HttpServer, RefusesOnlySoManyAtATime) {
  TestServer server(with_limits([](HttpServer::Limits& limits) { limits.connections = 0; }));
  std::vector<std::unique_ptr<PlainClient>> clients;
  for (int k = 0; k < 60; ++k) clients.push_back(std::make_unique<PlainClient>(server.port()));
  EXPECT_EQ(clients.back()->read_all(), "");  // disconnected without a request
  EXPECT_TRUE(clients.front()->ask("GET / HTTP/1.1\r\nHost: a\r\n\r\n").starts_with("HTTP/1.1 503 "));
}

TEST(HttpServer, SendsLongAnswersWhole) {
  std::string content;
  for (int k = 0; content.size() < 1'000'000; ++k) content += std::to_string(k);
  HttpServer::Handlers handlers;
  handlers.http = [&](const HttpRequest&) {
    HttpAnswer answer;
    answer.body = content;
    return answer;
  };
  HttpServer server({}, handlers);
  PlainClient client(server.port());
  const std::string answer =
      client.ask("HEAD /a HTTP/1.1\r\nHost: a\r\n\r\nGET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  const std::string length = "\r\nContent-Length: " + std::to_string(content.size()) + "\r\n";
  const std::size_t second = answer.find("HTTP/1.1 200 OK", 1);
  ASSERT_NE(second, std::string::npos);
  EXPECT_NE(answer.substr(0, second).find(length), std::string::npos);
  EXPECT_TRUE(answer.substr(0, second).ends_with("\r\n\r\n"));
  EXPECT_NE(answer.substr(second, 600).find(length), std::string::npos);
  EXPECT_TRUE(answer.ends_with("\r\n\r\n" + content));
}

// ---- WebSockets

TEST(WebSocket, CarriesMessagesInOrder) {
  TestServer server;
  PlainBrowser browser(server.port());
  browser.open("id=7");
  for (int k = 0; k < 20; ++k) browser.send(std::to_string(k));
  for (int k = 0; k < 20; ++k) EXPECT_EQ(browser.read(), "echo " + std::to_string(k));
  EXPECT_EQ(server.received().size(), 20u);

  const auto connection = server.wait_for(1);
  EXPECT_EQ(connection->peer(), "127.0.0.1");
  EXPECT_TRUE(connection->send_text(text_of("first")));
  EXPECT_TRUE(connection->send_media(bytes_of(100'000)));
  EXPECT_TRUE(connection->send_text(text_of("")));
  EXPECT_EQ(browser.read(), "first");
  EXPECT_EQ(browser.read(), std::string(100'000, 7));
  EXPECT_TRUE(browser.got_binary());
  EXPECT_EQ(browser.read(), "");
  EXPECT_TRUE(eventually([&] { return connection->queued_bytes() == 0; }));
  browser.close();
  EXPECT_TRUE(eventually([&] { return server.closed() == 1; }));
  EXPECT_FALSE(connection->send_media(bytes_of(1)));
  EXPECT_EQ(server.opened(), 1);
}

TEST(WebSocket, TakesMessagesInParts) {
  TestServer server;
  PlainClient client(server.port());
  client.open_web_socket();
  client.send(frame(1, "a\xc3", false) + frame(9, "ping") + frame(0, "", false) +
              frame(0,
                    "\xa4"
                    "b"));
  EXPECT_EQ(client.read_frame().content, "ping");
  EXPECT_EQ(client.read_frame().content,
            "echo a\xc3\xa4"
            "b");
}

TEST(WebSocket, IsRefusedWithAnAnswer) {
  TestServer server;
  const std::vector<std::pair<std::string, std::string>> cases{
      {"Origin: http://other\r\n", "403"}, {"X-Throw: 1\r\n", "500"}, {"Origin: null\r\n", "403"}};
  for (const auto& [fields, status] : cases) {
    PlainClient client(server.port());
    EXPECT_TRUE(client.open_web_socket(fields).starts_with("HTTP/1.1 " + status)) << fields;
  }
  PlainClient own(server.port());
  EXPECT_TRUE(own.open_web_socket("Origin: http://a\r\n").starts_with("HTTP/1.1 101 "));
  PlainClient old(server.port());
  const std::string answer = old.ask(
      "GET /run HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
      "Sec-WebSocket-Version: 8\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 4")) << answer;
  PlainClient hasty(server.port());
  hasty.send(
      "GET /run HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n" +
      frame(1, "early"));
  EXPECT_TRUE(hasty.read_all().starts_with("HTTP/1.1 400 "));
  EXPECT_TRUE(eventually([&] { return server.opened() == 1; }));
}

TEST(WebSocket, SharesOneBufferBetweenClients) {
  TestServer server;
  std::vector<std::unique_ptr<PlainClient>> clients;
  for (int k = 0; k < 3; ++k) {
    clients.push_back(std::make_unique<PlainClient>(server.port()));
    clients.back()->open_web_socket();
  }
  server.wait_for(3);
  const Text text = text_of(std::string(2'000'000, 'x'));
  for (const auto& connection : server.open()) EXPECT_TRUE(connection->send_text(text));
  EXPECT_EQ(text.use_count(), 4);  // nothing is read yet, and the system does not take so much
  for (const auto& client : clients) EXPECT_EQ(client->read_frame().content.size(), text->size());
  EXPECT_TRUE(eventually([&] { return text.use_count() == 1; }));
}

TEST(WebSocket, DropsMediaOfASlowClientOnly) {
  TestServer server;
  PlainClient slow(server.port());
  slow.open_web_socket();
  const auto to_slow = server.wait_for(1);
  PlainBrowser quick(server.port());
  quick.open();
  const auto to_quick = server.wait_for(2);
  const auto frame_of_video = bytes_of(50'000);
  int taken = 0;
  for (int k = 0; k < 40; ++k) {
    ASSERT_TRUE(to_quick->send_media(frame_of_video));
    EXPECT_EQ(quick.read().size(), frame_of_video->size());
    EXPECT_TRUE(eventually([&] { return to_quick->queued_bytes() == 0; }));
    taken += to_slow->send_media(frame_of_video) ? 1 : 0;
    EXPECT_LE(to_slow->queued_bytes(), Connection::max_media_backlog + frame_of_video->size());
  }
  EXPECT_LT(taken, 40);
  EXPECT_GT(to_slow->queued_bytes(), Connection::max_media_backlog);
  // Texts still go, and arrive after the media that were taken.
  EXPECT_TRUE(to_slow->send_text(text_of("end")));
  for (int k = 0; k < taken; ++k) {
    const PlainClient::Frame media = slow.read_frame();
    EXPECT_EQ(media.kind, 2);
    EXPECT_EQ(media.content.size(), frame_of_video->size());
  }
  EXPECT_EQ(slow.read_frame().content, "end");
  EXPECT_TRUE(eventually([&] { return to_slow->queued_bytes() == 0; }));
}

TEST(WebSocket, DisconnectsAClientThatDoesNotRead) {
  TestServer server(with_limits([](HttpServer::Limits& limits) {
    limits.queued_bytes = 3'000'000;
    limits.farewell = milliseconds(120'000);  // this client reads again later
  }));
  PlainClient slow(server.port());
  slow.open_web_socket();
  const auto connection = server.wait_for(1);
  const Text text = text_of(std::string(1'000'000, 'x'));
  int taken = 0;
  while (connection->send_text(text)) ASSERT_LT(++taken, 1000);
  EXPECT_GE(taken, 3);
  EXPECT_FALSE(connection->send_text(text_of("more")));
  EXPECT_FALSE(connection->send_media(bytes_of(1)));
  const PlainClient::Frame end = slow.read_close();
  EXPECT_EQ(end.close_code(), 1008);
  EXPECT_EQ(end.close_reason(), "The connection is too slow: too many messages wait for it.");
  slow.send(frame(8, ""));
  slow.hang_up();
  EXPECT_TRUE(eventually([&] { return server.closed() == 1; }));
}

TEST(WebSocket, DoesNotWaitLongForAClientThatDoesNotRead) {
  TestServer server(with_limits([](HttpServer::Limits& limits) {
    limits.queued_bytes = 3'000'000;
    limits.farewell = milliseconds(50);
  }));
  PlainClient slow(server.port());
  slow.open_web_socket();
  const auto connection = server.wait_for(1);
  const Text text = text_of(std::string(1'000'000, 'x'));
  while (connection->send_text(text)) continue;
  EXPECT_TRUE(eventually([&] { return server.closed() == 1; }));
}

TEST(WebSocket, EndsWithAReasonWhenALimitIsBroken) {
  const HttpServer::Options options = with_limits([](HttpServer::Limits& limits) {
    limits.message_bytes = 1000;
    limits.messages_per_second = 5;
    limits.farewell = milliseconds(120'000);
  });
  std::string flood, pings;
  for (int k = 0; k < 2000; ++k) {
    flood += frame(1, "x");
    pings += frame(9, "x");
  }
  struct Case {
    std::string bytes;
    int code;
    std::string reason;
  };
  const std::vector<Case> cases{
      {frame(2, "x"), 1003, "Only messages of text can be sent to this server."},
      {frame(2, std::string(500'000, 'x')), 1003, "Only messages of text can be sent to this server."},
      {frame(1, std::string(1001, 'x')), 1009, "The message is too long."},
      {frame(1, std::string(500'000, 'x')), 1009, "The message is too long."},
      {frame(1, std::string(600, 'x'), false) + frame(0, std::string(600, 'x')), 1009, "The message is too long."},
      {flood, 1008, "Too many messages in a second."},
      {pings, 1008, "Too many messages in a second."},
      {frame(1, "throw"), 1011, "The server failed to handle this connection."},
      {frame(1, "close"), 1000, std::string(121, '.') + "ä"},
      // What no browser sends, Beast answers with the code alone.
      {frame(1, "\xff\xfe"), 1007, ""},
      {frame(1, "a\xc3"), 1007, ""},
      {frame(1, "x", true, false), 1002, ""},
      {frame(3, "x"), 1002, ""},
      {frame(0, "x"), 1002, ""},
      {frame(9, std::string(126, 'x')), 1002, ""},
      {frame(9, "x", false), 1002, ""},
      {frame(1, "x", false) + frame(1, "x"), 1002, ""},
      {std::string(64, '\xff'), 1002, ""},
      {"GET / HTTP/1.1\r\nHost: a\r\n\r\n", 1002, ""},
  };
  TestServer server(options);
  PlainBrowser other(server.port());
  other.open();
  int count = 0;
  for (const Case& one : cases) {
    PlainClient client(server.port());
    ASSERT_TRUE(client.open_web_socket().starts_with("HTTP/1.1 101 "));
    client.send(one.bytes);
    const PlainClient::Frame end = client.read_close();
    EXPECT_EQ(end.close_code(), one.code) << one.reason << ' ' << count;
    EXPECT_EQ(end.close_reason(), one.reason) << count;
    client.send(frame(8, ""));
    client.hang_up();
    ++count;
    EXPECT_TRUE(eventually([&] { return server.closed() == count; })) << count;
  }
  other.send("still here");
  EXPECT_EQ(other.read(), "echo still here");
}

TEST(WebSocket, EndsWhenTheHandlerOfItsBeginningFails) {
  TestServer server;
  PlainBrowser browser(server.port());
  browser.open("id=throw");
  EXPECT_EQ(browser.read(), "closed 1011 The server failed to handle this connection.");
  EXPECT_TRUE(eventually([&] { return server.closed() == 1; }));
}

TEST(WebSocket, CutsALongReasonBetweenCharacters) {
  TestServer server;
  PlainBrowser browser(server.port());
  browser.open();
  server.wait_for(1)->close(CloseCode::policy, std::string(122, '.') + "ä");
  EXPECT_EQ(browser.read(), "closed 1008 " + std::string(122, '.'));
}

TEST(WebSocket, SendsWhatIsQueuedBeforeItsEnd) {
  TestServer server;
  PlainBrowser browser(server.port());
  browser.open();
  const auto connection = server.wait_for(1);
  for (int k = 0; k < 50; ++k) EXPECT_TRUE(connection->send_text(text_of(std::to_string(k))));
  connection->close(CloseCode::policy, "You were removed.");
  connection->close(CloseCode::normal, "Only the first reason counts.");
  EXPECT_FALSE(connection->send_text(text_of("late")));
  for (int k = 0; k < 50; ++k) EXPECT_EQ(browser.read(), std::to_string(k));
  EXPECT_EQ(browser.read(), "closed 1008 You were removed.");
}

TEST(WebSocket, EndsWhenTheClientIsSilent) {
  TestServer server(with_limits([](HttpServer::Limits& limits) { limits.silence = milliseconds(100); }));
  PlainClient idle(server.port()), half(server.port());
  idle.open_web_socket();
  half.open_web_socket();
  half.send(frame(1, "half a frame").substr(0, 9));
  EXPECT_EQ(idle.read_frame().kind, 9);  // a ping, which it does not answer
  idle.read_all();
  half.read_all();
  EXPECT_TRUE(eventually([&] { return server.closed() == 2; }));
}

TEST(WebSocket, SurvivesRandomBytes) {
  TestServer server(with_limits([](HttpServer::Limits& limits) { limits.farewell = milliseconds(50); }));
  std::uint64_t state = 1;
  const auto random = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<unsigned>(state >> 33);
  };
  const std::string request = "POST /a?b HTTP/1.1\r\nHost: a\r\nCookie: a=b\r\nContent-Length: 5\r\n\r\nhello";
  const std::string message =
      frame(1, "hello") + frame(9, "x") + frame(1, std::string(200, 'y')) + frame(8, "\x03\xe8");
  for (int k = 0; k < reach(1000, 60); ++k) {
    PlainClient client(server.port());
    const bool is_web_socket = k % 2 == 0;
    if (is_web_socket) client.open_web_socket();
    std::string bytes = is_web_socket ? message : request;
    for (unsigned n = 1 + random() % 5; n > 0; --n) bytes[random() % bytes.size()] = static_cast<char>(random());
    client.send(bytes.substr(0, 1 + random() % bytes.size()));
    client.end_sending();
    client.read_all();
  }
  server.expect_alive();
  EXPECT_TRUE(eventually([&] { return server.closed() == server.opened(); }));
}

// ---- everything at once

TEST(HttpServer, ServesManyClientsWhileThreadsSend) {
  TestServer server;
  std::atomic<bool> ends = false;
  std::vector<std::thread> senders;
  for (int k = 0; k < 2; ++k)
    senders.emplace_back([&] {
      const auto media = bytes_of(20'000);
      while (!ends) {
        for (const auto& connection : server.open()) {
          connection->send_media(media);
          connection->send_text(text_of("tick"));
          if (connection->queued_bytes() > 1'000'000) connection->close(CloseCode::policy, "Too slow.");
        }
        std::this_thread::sleep_for(milliseconds(1));  // so that clients can read it all
      }
    });
  std::vector<std::thread> clients;
  std::atomic<int> echoes = 0;
  for (int k = 0; k < 4; ++k)
    clients.emplace_back([&, k] {
      for (int round = 0; round < 4; ++round) {
        if (k == 0) {
          PlainClient rude(server.port());
          rude.open_web_socket();
          rude.send(frame(1, std::string(round == 0 ? 5 : 70'000, '\xff')));
          continue;
        }
        PlainBrowser browser(server.port());
        browser.open();
        browser.send("hello");
        std::string text;
        do text = browser.read();
        while (text != "echo hello" && !text.starts_with("closed"));
        echoes += text == "echo hello" ? 1 : 0;
        if (round % 2 == 0) browser.close();
      }
    });
  for (std::thread& client : clients) client.join();
  ends = true;
  for (std::thread& sender : senders) sender.join();
  EXPECT_EQ(echoes, 12);
  EXPECT_TRUE(eventually([&] { return server.closed() == server.opened() && server.opened() == 16; }));
  server.expect_alive();
}

// ---- the end

TEST(HttpServer, TellsClientsThatItEnds) {
  auto server = std::make_unique<TestServer>();
  PlainBrowser browser(server->port());
  browser.open();
  PlainClient idle(server->port());
  const auto connection = server->wait_for(1);
  connection->send_text(text_of("last"));
  std::thread reader([&] {
    EXPECT_EQ(browser.read(), "last");
    EXPECT_EQ(browser.read(), "closed 1001 The server ends.");
  });
  server->server().stop();
  reader.join();
  EXPECT_EQ(server->closed(), 1);
  EXPECT_EQ(idle.read_all(), "");
  server->server().stop();
  const int port = server->port();
  server.reset();
  // A connection outlives its server.
  EXPECT_FALSE(connection->send_text(text_of("late")));
  EXPECT_EQ(connection->queued_bytes(), 0u);
  connection->close(CloseCode::normal, "late");
  HttpServer::Options options;
  options.port = port;
  TestServer next(options);
  EXPECT_EQ(next.port(), port);
}

TEST(HttpServer, EndsAlthoughClientsDoNotAnswer) {
  TestServer server(with_limits([](HttpServer::Limits& limits) { limits.farewell = milliseconds(50); }));
  PlainClient silent(server.port()), slow(server.port()), half(server.port());
  silent.open_web_socket();
  slow.open_web_socket();
  server.wait_for(2);
  for (const auto& connection : server.open()) connection->send_text(text_of(std::string(3'000'000, 'x')));
  half.send("GET / HT");
  server.server().stop();
  EXPECT_EQ(server.closed(), 2);
}

// ---- TLS

class Certificates : public ScratchFolder {
 protected:
  // Writes NAME.pem and NAME-key.pem.
  void make(const std::string& name, const char* password = nullptr) const {
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
    const std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), X509_free);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
    X509_set_pubkey(certificate.get(), key.get());
    X509_NAME* subject = X509_get_subject_name(certificate.get());
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("localhost"), -1, -1,
                               0);
    X509_set_issuer_name(certificate.get(), subject);
    ASSERT_NE(X509_sign(certificate.get(), key.get(), EVP_sha256()), 0);
    std::FILE* file = std::fopen(path(name + ".pem").c_str(), "w");
    PEM_write_X509(file, certificate.get());
    std::fclose(file);
    file = std::fopen(path(name + "-key.pem").c_str(), "w");
    PEM_write_PrivateKey(file, key.get(), password ? EVP_aes_128_cbc() : nullptr, nullptr, 0, nullptr,
                         const_cast<char*>(password));
    std::fclose(file);
  }
  HttpServer::Options with(const std::string& certificate, const std::string& key) const {
    HttpServer::Options options;
    options.certificate = certificate.empty() ? "" : path(certificate);
    options.key = key.empty() ? "" : path(key);
    return options;
  }
};

TEST_F(Certificates, EncryptRequestsAndWebSockets) {
  make("own");
  TestServer server(with("own.pem", "own-key.pem"));
  asio::ssl::context tls(asio::ssl::context::tls_client);
  tls.set_verify_mode(asio::ssl::verify_peer);
  tls.load_verify_file(path("own.pem"));
  {
    asio::io_context context;
    asio::ssl::stream<tcp::socket> stream(context, tls);
    stream.next_layer().connect(
        tcp::endpoint(asio::ip::address_v4::loopback(), static_cast<unsigned short>(server.port())));
    stream.handshake(asio::ssl::stream_base::client);
    for (const bool keeps : {true, false}) {
      http::request<http::string_body> request{http::verb::post, "/secure", 11, std::string(50'000, 'x')};
      request.set(http::field::host, "localhost");
      request.keep_alive(keeps);
      request.prepare_payload();
      http::write(stream, request);
      beast::flat_buffer buffer;
      http::response<http::string_body> answer;
      http::read(stream, buffer, answer);
      EXPECT_EQ(answer.result_int(), 200u);
      EXPECT_EQ(answer.body().size(), std::string("POST /secure?   127.0.0.1").size() + 50'000);
    }
    beast::error_code error;
    char more = 0;
    stream.read_some(asio::buffer(&more, 1), error);
    EXPECT_EQ(error, asio::error::eof) << error.message();  // ended by TLS, not cut off
  }
  Browser<asio::ssl::stream<tcp::socket>> browser(server.port(), tls);
  browser.next_layer().handshake(asio::ssl::stream_base::client);
  browser.open();
  browser.send("hello");
  EXPECT_EQ(browser.read(), "echo hello");
  const auto connection = server.wait_for(1);
  EXPECT_TRUE(connection->send_media(bytes_of(140'000)));
  EXPECT_EQ(browser.read(), std::string(140'000, 7));
  connection->close(CloseCode::policy, "You were removed.");
  EXPECT_EQ(browser.read(), "closed 1008 You were removed.");
  EXPECT_TRUE(eventually([&] { return server.closed() == 1; }));
}

TEST_F(Certificates, DoNotHarmClientsWithoutTls) {
  make("own");
  HttpServer::Options options = with("own.pem", "own-key.pem");
  options.limits.wait = milliseconds(50);
  TestServer server(options);
  PlainClient plain(server.port());
  const std::string answer = plain.ask("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 400 ")) << answer;
  EXPECT_TRUE(answer.ends_with("This server uses https: write https:// in front of its address.\n")) << answer;
  for (const std::string bytes : {"", "\x16", "\x16\x03\x01\x02\x00\x01", "\x01garbage"}) {
    PlainClient client(server.port());
    EXPECT_LT(client.ask(bytes).size(), 100u);  // at most an alert of TLS, then the end
  }
}

TEST_F(Certificates, MustBeReadableAndBelongToTheKey) {
  make("own");
  make("other");
  make("locked", "password");
  write("garbage.pem", "no certificate");
  const auto error = [&](const std::string& certificate, const std::string& key) {
    return error_thrown_by([&] { HttpServer server(with(certificate, key), {}); });
  };
  EXPECT_EQ(error("own.pem", ""),
            "Cannot serve by https: it needs a certificate and its key, and one is missing. Give both files.");
  EXPECT_EQ(error("", "own-key.pem"), error("own.pem", ""));
  EXPECT_NE(error("missing.pem", "own-key.pem").find("missing.pem"), std::string::npos);
  EXPECT_NE(error("own.pem", "missing.pem").find("missing.pem"), std::string::npos);
  EXPECT_NE(error("garbage.pem", "own-key.pem").find("\"BEGIN CERTIFICATE\""), std::string::npos);
  EXPECT_NE(error("own.pem", "garbage.pem").find("contains \"PRIVATE KEY\""), std::string::npos);
  EXPECT_NE(error("own.pem", "own.pem").find("contains \"PRIVATE KEY\""), std::string::npos);
  EXPECT_NE(error("own.pem", "other-key.pem").find("it does not belong to the certificate"), std::string::npos);
  EXPECT_NE(error("locked.pem", "locked-key.pem").find("protected by a password"), std::string::npos);
  EXPECT_EQ(error("own.pem", "own-key.pem"), "");
}

// ---- addresses

std::string error_at(const std::string& address, int port) {
  HttpServer::Options options;
  options.address = address;
  options.port = port;
  return error_thrown_by([&] { HttpServer server(options, {}); });
}

TEST(HttpServer, SaysWhyItCannotListen) {
  TestServer server;
  const std::string place = "127.0.0.1:" + std::to_string(server.port());
  EXPECT_EQ(error_at("127.0.0.1", server.port()), "Cannot serve at " + place +
                                                      ": another program uses this port. Choose another port, or end "
                                                      "that program.");
  EXPECT_NE(error_at("192.0.2.1", 0).find("this machine does not have this address"), std::string::npos);
  for (const char* address : {"", "localhost", "1.2.3", "256.1.1.1"})
    EXPECT_NE(error_at(address, 0).find("this is not an IP address"), std::string::npos) << address;
  for (const int port : {-1, 65536}) EXPECT_NE(error_at("127.0.0.1", port).find("0 to 65535"), std::string::npos);
}

TEST(HttpServer, SaysThatLowPortsNeedRights) {
  int first = 1024;
  std::ifstream("/proc/sys/net/ipv4/ip_unprivileged_port_start") >> first;
  if (first <= 80) GTEST_SKIP() << "here every user may use port 80";
  const uid_t own = geteuid();
  if (own == 0) {
    ASSERT_EQ(seteuid(65534), 0);
  }
  const std::string error = error_at("127.0.0.1", 80);
  if (own == 0) {
    ASSERT_EQ(seteuid(own), 0);
  }
  EXPECT_EQ(error, "Cannot serve at 127.0.0.1:80: only root may use ports below 1024. Choose a port from 1024 on.");
}

TEST(HttpServer, ListensToAllAddresses) {
  for (const char* address : {"0.0.0.0", "::"}) {
    if (std::string(address) == "::" && !std::filesystem::exists("/proc/net/if_inet6")) continue;
    HttpServer::Options options;
    options.address = address;
    TestServer server(options);
    PlainClient client(server.port());
    const std::string answer = client.ask("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    EXPECT_TRUE(answer.ends_with(" 127.0.0.1")) << answer;  // of the client; not ::ffff:127.0.0.1
  }
}

}  // namespace
}  // namespace perturb
