#include "app/serve/net/http_server.h"

#include <algorithm>
#include <array>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>  // Boost 1.74 uses std::exchange without including it

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "app/io/files/start_thread.h"
#include "app/serve/net/certificate.h"
#include "cuda/core/backend/check.h"

namespace perturb {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace websocket = boost::beast::websocket;
using asio::ip::tcp;
using ErrorCode = boost::system::error_code;
using Clock = std::chrono::steady_clock;

}  // namespace

// Types of members of the server: not in an anonymous namespace, because a unity build would warn.
namespace serving {

// A TCP connection with or without TLS. One type for both: Beast's WebSocket is compiled once.
class TcpStream {
 public:
  using executor_type = tcp::socket::executor_type;
  using Tls = asio::ssl::stream<tcp::socket&>;

  explicit TcpStream(tcp::socket socket) : socket_(std::move(socket)) {}
  TcpStream(const TcpStream&) = delete;
  TcpStream& operator=(const TcpStream&) = delete;

  void encrypt(asio::ssl::context& context) { tls_ = std::make_unique<Tls>(socket_, context); }
  Tls* tls() { return tls_.get(); }
  tcp::socket& socket() { return socket_; }
  executor_type get_executor() { return socket_.get_executor(); }

  template <class Buffers, class Handler>
  void async_read_some(const Buffers& buffers, Handler&& handler) {
    if (tls_)
      tls_->async_read_some(buffers, std::forward<Handler>(handler));
    else
      socket_.async_read_some(buffers, std::forward<Handler>(handler));
  }
  template <class Buffers, class Handler>
  void async_write_some(const Buffers& buffers, Handler&& handler) {
    if (tls_)
      tls_->async_write_some(buffers, std::forward<Handler>(handler));
    else
      socket_.async_write_some(buffers, std::forward<Handler>(handler));
  }

 private:
  tcp::socket socket_;
  std::unique_ptr<Tls> tls_;
};

// Called by Beast at the end of a WebSocket.
template <class Handler>
void async_teardown(beast::role_type role, TcpStream& stream, Handler&& handler) {
  if (stream.tls())
    stream.tls()->async_shutdown(std::forward<Handler>(handler));
  else
    websocket::async_teardown(role, stream.socket(), std::forward<Handler>(handler));
}

void beast_close_socket(TcpStream& stream) {
  ErrorCode ignored;
  stream.socket().close(ignored);
}

// What a connection sends next.
struct Outgoing {
  asio::const_buffer data;
  std::shared_ptr<const void> owner;  // keeps `data`
  bool is_text = false;
};
struct Farewell {
  CloseCode code = CloseCode::normal;
  std::string reason;
};

}  // namespace serving

namespace {

using serving::Farewell;
using serving::Outgoing;
using serving::TcpStream;

// The reason of a close frame has at most 123 bytes, and is UTF-8.
std::string close_reason_of(std::string text) {
  constexpr std::size_t most = 123;
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  text.resize(end);
  return text;
}

bool has_control_character(const std::string& text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return (c >= 0 && c < ' ' && c != '\t') || c == '\x7f'; });
}

std::string head_of(const HttpAnswer& answer, std::size_t bytes, bool keep) {
  std::string head = "HTTP/1.1 " + std::to_string(answer.status) + ' ';
  const auto reason = http::obsolete_reason(http::int_to_status(static_cast<unsigned>(answer.status)));
  head.append(reason.data(), reason.size());
  head += "\r\n";
  const auto add = [&](const std::string& name, const std::string& value) { head += name + ": " + value + "\r\n"; };
  if (!answer.type.empty()) add("Content-Type", answer.type);
  for (const auto& [name, value] : answer.fields) add(name, value);
  if (answer.status != 304 && answer.status != 204) add("Content-Length", std::to_string(bytes));
  add("Connection", keep ? "keep-alive" : "close");
  return head + "\r\n";
}

// ---- listening

std::string place_of(const HttpServer::Options& options) {
  const bool is_v6 = options.address.find(':') != std::string::npos;
  return (is_v6 ? '[' + options.address + ']' : options.address) + ':' + std::to_string(options.port);
}

[[noreturn]] void cannot_listen(const HttpServer::Options& options, const ErrorCode& error) {
  const std::string place = place_of(options);
  if (error == asio::error::address_in_use)
    throw InputError("Cannot serve at {}: another program uses this port. Choose another port, or end that program.",
                     place);
  if (error == boost::system::errc::address_not_available)
    throw InputError(
        "Cannot serve at {}: this machine does not have this address. Choose 0.0.0.0 for all its addresses, or "
        "127.0.0.1 for this machine only.",
        place);
  if (error == asio::error::access_denied)
    throw InputError("Cannot serve at {}: only root may use ports below 1024. Choose a port from 1024 on.", place);
  throw InputError("Cannot serve at {}: {}. Choose another address or port.", place, error.message());
}

tcp::endpoint endpoint_of(const HttpServer::Options& options) {
  if (options.port < 0 || options.port > 65535)
    throw InputError("Cannot serve at port {}: ports are numbers from 0 to 65535. Choose one from 1024 on.",
                     options.port);
  ErrorCode error;
  const auto address = asio::ip::make_address(options.address, error);
  if (error)
    throw InputError(
        "Cannot serve at \"{}\": this is not an IP address. Choose 0.0.0.0 for all addresses of this machine, or "
        "127.0.0.1 for this machine only.",
        options.address);
  return {address, static_cast<unsigned short>(options.port)};
}

void listen(tcp::acceptor& acceptor, const HttpServer::Options& options) {
  const tcp::endpoint endpoint = endpoint_of(options);
  ErrorCode error;
  const auto check = [&] {
    if (error) cannot_listen(options, error);
  };
  acceptor.open(endpoint.protocol(), error);
  check();
  // A port whose last connections have just ended is free.
  acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  check();
  if (endpoint.address().is_v6()) {
    acceptor.set_option(asio::ip::v6_only(false), error);  // "::" includes IPv4
    check();
  }
  acceptor.bind(endpoint, error);
  check();
  acceptor.listen(tcp::acceptor::max_listen_connections, error);
  check();
}

std::unique_ptr<asio::ssl::context> make_tls(const HttpServer::Options& options) {
  TlsContext context = make_tls_context(options.certificate, options.key);
  return context ? std::make_unique<asio::ssl::context>(context.release()) : nullptr;
}

}  // namespace

// All members belong to the server's thread once it runs.
struct HttpServer::Core {
  class Session;
  class WebSocket;

  Core(const Options& given, Handlers to_call) : options(given), handlers(std::move(to_call)), tls(make_tls(options)) {
    listen(acceptor, options);
    port = acceptor.local_endpoint().port();
    accept();
    thread = start_thread([this] { run(); });
  }

  void run();
  void accept();
  void admit(tcp::socket socket);
  void begin_stop();

  const Options options;
  const Handlers handlers;
  std::unique_ptr<asio::ssl::context> tls;
  asio::io_context context{1};
  tcp::acceptor acceptor{context};
  asio::steady_timer pause{context}, last_call{context};
  std::set<Session*> sessions;
  std::map<std::string, int> admitted;  // number of connections by address, without those that are only told why not
  int all_admitted = 0, all_refused = 0;
  bool is_stopping = false;
  int port = 0;
  std::thread thread;
};

// What other threads see of a WebSocket: its queue. It outlives the session, and even the server.
class HttpServer::Core::WebSocket final : public Connection,
                                          public std::enable_shared_from_this<HttpServer::Core::WebSocket> {
 public:
  WebSocket(asio::io_context& context, Session& session, std::string peer, std::size_t max_queued)
      : context_(context), session_(&session), peer_(std::move(peer)), max_queued_(max_queued) {}

  bool send_text(std::shared_ptr<const std::string> text) override {
    const asio::const_buffer data = asio::buffer(*text);
    return push({data, std::move(text), true});
  }
  bool send_media(std::shared_ptr<const std::vector<std::byte>> bytes) override {
    const asio::const_buffer data(bytes->data(), bytes->size());
    return push({data, std::move(bytes), false});
  }
  std::size_t queued_bytes() const override {
    const std::lock_guard lock(mutex_);
    return queued_;
  }
  void close(CloseCode code, const std::string& reason) override {
    const std::lock_guard lock(mutex_);
    if (!has_ended_) request_close(code, reason);
  }
  const std::string& peer() const override { return peer_; }

  // ---- for the session, on the server's thread
  bool is_closing() const {
    const std::lock_guard lock(mutex_);
    return farewell_.has_value();
  }
  std::optional<Outgoing> take() {
    const std::lock_guard lock(mutex_);
    if (queue_.empty()) {
      is_awake_ = false;
      return std::nullopt;
    }
    Outgoing next = std::move(queue_.front());
    queue_.pop_front();
    return next;
  }
  void wrote(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    queued_ -= std::min(queued_, bytes);
  }
  Farewell farewell() const {
    const std::lock_guard lock(mutex_);
    return farewell_.value_or(Farewell{});
  }
  void end() {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    session_ = nullptr;
    queue_.clear();
    queued_ = 0;
  }

 private:
  bool push(Outgoing message) {
    const std::lock_guard lock(mutex_);
    if (has_ended_ || farewell_) return false;
    const std::size_t bytes = message.data.size();
    if (!message.is_text && (queued_ > max_media_backlog || queued_ + bytes > max_queued_)) return false;
    if (queued_ + bytes > max_queued_) {
      queue_.clear();
      request_close(CloseCode::policy, "The connection is too slow: too many messages wait for it.");
      return false;
    }
    queue_.push_back(std::move(message));
    queued_ += bytes;
    if (!is_awake_) {
      wake();
      is_awake_ = true;
    }
    return true;
  }
  void request_close(CloseCode code, const std::string& reason) {
    if (farewell_) return;
    farewell_ = Farewell{code, close_reason_of(reason)};
    // Also while a message is being written: the session then starts to count the time.
    wake();
  }
  void wake();  // posted before the end, so the context exists

  asio::io_context& context_;
  Session* session_;  // used on the server's thread only
  const std::string peer_;
  const std::size_t max_queued_;

  mutable std::mutex mutex_;
  std::deque<Outgoing> queue_;
  std::size_t queued_ = 0;            // of the queue and the message that is being written
  std::optional<Farewell> farewell_;  // set: close() was called
  bool is_awake_ = false;             // the session is writing, or will look at the queue
  bool has_ended_ = false;
};

// One TCP connection: the handshake of TLS, requests, perhaps a WebSocket. Every operation that is under way keeps the
// session; with the last one it ends.
class HttpServer::Core::Session : public std::enable_shared_from_this<HttpServer::Core::Session> {
 public:
  // `refusal`: the only answer.
  Session(Core& core, tcp::socket socket, std::string peer, std::optional<HttpAnswer> refusal)
      : core_(core),
        peer_(std::move(peer)),
        is_refused_(refusal.has_value()),
        refusal_(std::move(refusal)),
        stream_(std::move(socket)),
        deadline_(core.context),
        parser_(core.options.limits.request) {
    core_.sessions.insert(this);
    if (is_refused_) {
      ++core_.all_refused;
    } else {
      ++core_.all_admitted;
      ++core_.admitted[peer_];
    }
  }

  ~Session() {
    core_.sessions.erase(this);
    if (is_refused_) {
      --core_.all_refused;
    } else {
      --core_.all_admitted;
      if (--core_.admitted[peer_] == 0) core_.admitted.erase(peer_);
    }
    if (core_.is_stopping && core_.sessions.empty()) core_.last_call.cancel();
    if (!web_socket_) return;
    web_socket_->end();
    try {
      if (core_.handlers.closed) core_.handlers.closed(web_socket_);
    } catch (...) {  // there is no client left to send it to
    }
  }

  void start() {
    set_deadline(limits().wait);
    if (!core_.tls) return read_requests();
    socket().async_wait(tcp::socket::wait_read, [self = shared_from_this()](ErrorCode error) {
      if (error) return self->finish();
      self->start_tls();
    });
  }

  void begin_stop() {
    if (web_socket_)
      web_socket_->close(CloseCode::going_away, "The server ends.");
    else if (phase_ == Phase::handshake ||
             (phase_ == Phase::reading && parser_.state() == RequestParser::State::waiting))
      finish();
  }

  // Closes the socket: all operations end.
  void finish() {
    phase_ = Phase::finished;
    clear_deadline();
    ErrorCode ignored;
    socket().close(ignored);
  }

  // Sends what is queued for the WebSocket, then its end.
  void flush() {
    if (phase_ == Phase::finished || has_begun_close_) return;
    const bool is_closing = web_socket_->is_closing();
    if (is_closing && phase_ != Phase::parting) {
      phase_ = Phase::parting;
      set_deadline(limits().farewell);
    }
    if (is_writing_ || has_write_failed_) return;
    std::optional<Outgoing> next = web_socket_->take();
    if (next) return write(std::move(*next));
    if (!is_closing) return;
    has_begun_close_ = true;
    const Farewell farewell = web_socket_->farewell();
    const auto code = static_cast<websocket::close_code>(farewell.code);
    stream_.async_close({code, farewell.reason}, [self = shared_from_this()](ErrorCode) { self->finish(); });
  }

 private:
  enum class Phase { handshake, reading, answering, web_socket, parting, finished };

  const Limits& limits() const { return core_.options.limits; }
  TcpStream& stream() { return stream_.next_layer(); }
  tcp::socket& socket() { return stream().socket(); }

  // ---- time limits
  void set_deadline(std::chrono::milliseconds time) {
    deadline_.expires_after(time);
    deadline_.async_wait([weak = weak_from_this()](ErrorCode error) {
      const auto self = weak.lock();
      // One that was moved after it had passed is not due.
      if (!error && self && self->deadline_.expiry() <= Clock::now()) self->on_deadline();
    });
  }
  void clear_deadline() { deadline_.expires_at(Clock::time_point::max()); }
  void on_deadline() {
    if (phase_ == Phase::reading && parser_.state() == RequestParser::State::reading) {
      is_late_ = true;
      ErrorCode ignored;
      socket().cancel(ignored);  // the read ends, and is_late_ is answered
    } else {
      finish();
    }
  }

  // ---- TLS
  void start_tls() {
    char first = 0;
    if (recv(socket().native_handle(), &first, 1, MSG_PEEK | MSG_DONTWAIT) != 1) return finish();
    // A handshake begins with the byte 22, a request of HTTP with its method.
    if (first >= 'A' && first <= 'Z') {
      refusal_ = plain_answer(400, "This server uses https: write https:// in front of its address.");
      return read_requests();
    }
    stream().encrypt(*core_.tls);
    stream().tls()->async_handshake(asio::ssl::stream_base::server, [self = shared_from_this()](ErrorCode error) {
      if (error) return self->finish();
      self->read_requests();
    });
  }

  // ---- HTTP
  void read_requests() {
    phase_ = Phase::reading;
    if (core_.is_stopping) return finish();
    set_deadline(limits().wait);
    parse();
  }

  void parse() {
    const bool was_waiting = parser_.state() == RequestParser::State::waiting;
    while (!unread_.empty() && !has_result()) unread_.remove_prefix(parser_.take(unread_));
    if (parser_.state() == RequestParser::State::rejected) return answer(parser_.rejection(), false);
    if (parser_.state() == RequestParser::State::complete) return handle();
    // The time for a request counts from its first byte.
    if (was_waiting && parser_.state() == RequestParser::State::reading) set_deadline(limits().wait);
    stream().async_read_some(asio::buffer(input_), [self = shared_from_this()](ErrorCode error, std::size_t bytes) {
      self->on_read(error, bytes);
    });
  }
  bool has_result() const {
    return parser_.state() == RequestParser::State::rejected || parser_.state() == RequestParser::State::complete;
  }
  void on_read(ErrorCode error, std::size_t bytes) {
    if (is_late_ && phase_ == Phase::reading) return answer(plain_answer(408, "The request takes too long."), false);
    if (error) return finish();
    unread_ = {input_.data(), bytes};
    parse();
  }

  void handle() {
    HttpRequest& request = parser_.request();
    request.peer = peer_;
    if (refusal_) return answer(*refusal_, false);
    if (parser_.asks_for_websocket()) return accept_web_socket();
    HttpAnswer made;
    try {
      made = core_.handlers.http ? core_.handlers.http(request) : plain_answer(404, "There is no such page.");
    } catch (...) {
      made = failed();
    }
    answer(std::move(made), parser_.keeps_connection());
  }

  static HttpAnswer failed() { return plain_answer(500, "The server failed to answer this request."); }

  void answer(HttpAnswer given, bool keep) {
    phase_ = Phase::answering;
    answer_ = std::move(given);
    keeps_ = keep && !core_.is_stopping;
    const bool is_malformed = has_control_character(answer_.type) ||
                              std::any_of(answer_.fields.begin(), answer_.fields.end(), [](const auto& field) {
                                return has_control_character(field.first) || has_control_character(field.second);
                              });
    if (is_malformed) answer_ = failed();
    head_ = head_of(answer_, answer_.body.size(), keeps_);
    const bool without_body = parser_.request().method == "HEAD" || answer_.status == 304 || answer_.status == 204;
    if (without_body) answer_.body.clear();
    set_deadline(limits().wait);
    const std::array<asio::const_buffer, 2> buffers{asio::buffer(head_), asio::buffer(answer_.body)};
    asio::async_write(stream(), buffers, [self = shared_from_this()](ErrorCode error, std::size_t) {
      if (error) return self->finish();
      self->end_answer();
    });
  }

  void end_answer() {
    answer_ = {};
    if (!keeps_) return part();
    parser_.next();
    read_requests();
  }

  // Closing a socket while bytes of the client arrive would discard the answer before the client has read it.
  void part() {
    phase_ = Phase::parting;
    set_deadline(limits().farewell);
    if (!stream().tls()) return drain();
    stream().tls()->async_shutdown([self = shared_from_this()](ErrorCode) { self->drain(); });
  }
  void drain() {
    ErrorCode ignored;
    socket().shutdown(tcp::socket::shutdown_send, ignored);
    socket().async_read_some(asio::buffer(input_), [self = shared_from_this()](ErrorCode error, std::size_t) {
      if (error) return self->finish();
      self->drain();
    });
  }

  // ---- WebSocket
  void accept_web_socket() {
    std::optional<HttpAnswer> refusal;
    try {
      refusal = core_.handlers.accepts ? core_.handlers.accepts(parser_.request())
                                       : plain_answer(404, "There is no WebSocket here.");
    } catch (...) {
      refusal = failed();
    }
    if (!refusal && !unread_.empty())
      refusal = plain_answer(400, "A client of a WebSocket waits for the answer before it sends messages.");
    if (refusal) return answer(std::move(*refusal), false);

    phase_ = Phase::web_socket;
    const HttpRequest& request = parser_.request();
    http::request<http::empty_body> message{http::verb::get, request.path, 11};
    for (const char* name : {"Host", "Connection", "Upgrade", "Sec-WebSocket-Key", "Sec-WebSocket-Version"})
      if (const std::string_view value = request.field(name); !value.empty())
        message.set(name, beast::string_view(value.data(), value.size()));
    websocket::stream_base::timeout timeout{};
    timeout.handshake_timeout = limits().wait;
    timeout.idle_timeout = limits().silence;
    timeout.keep_alive_pings = true;
    stream_.set_option(timeout);
    stream_.set_option(websocket::stream_base::decorator(
        [](websocket::response_type& answer) { answer.set(http::field::server, "Perturb"); }));
    stream_.read_message_max(0);   // checked here, with a reason for the client
    stream_.auto_fragment(false);  // a message is one frame, written from the caller's buffer
    stream_.control_callback([this](websocket::frame_type, beast::string_view) { count_message(); });
    set_deadline(limits().wait);
    stream_.async_accept(message, [self = shared_from_this()](ErrorCode error) { self->on_accepted(error); });
  }

  void on_accepted(ErrorCode error) {
    if (phase_ == Phase::finished) return;
    if (error) return part();  // Beast has answered why
    clear_deadline();
    tokens_ = limits().messages_per_second;
    counted_at_ = Clock::now();
    web_socket_ = std::make_shared<WebSocket>(core_.context, *this, peer_, limits().queued_bytes);
    call([&] {
      if (core_.handlers.opened) core_.handlers.opened(web_socket_, parser_.request());
    });
    parser_.next();
    if (core_.is_stopping) begin_stop();
    read_message();
  }

  // A handler of the WebSocket. Its failure ends this connection only.
  template <class Call>
  void call(const Call& handler) {
    try {
      handler();
    } catch (...) {
      web_socket_->close(CloseCode::internal_error, "The server failed to handle this connection.");
    }
  }

  void read_message() {
    // While it closes, Beast reads up to the client's close frame itself.
    if (web_socket_->is_closing()) return flush();
    const std::size_t room = limits().message_bytes + 1 - std::min(message_.size(), limits().message_bytes);
    stream_.async_read_some(message_, std::min<std::size_t>(room, 16 << 10),
                            [self = shared_from_this()](ErrorCode error, std::size_t) { self->on_message(error); });
  }

  void on_message(ErrorCode error) {
    if (error) {
      // The closing handshake, if it has begun, ends the session.
      if (!has_begun_close_) finish();
      return;
    }
    if (!stream_.got_text()) {
      web_socket_->close(CloseCode::unsupported_data, "Only messages of text can be sent to this server.");
    } else if (message_.size() > limits().message_bytes) {
      web_socket_->close(CloseCode::too_big, "The message is too long.");
    } else if (stream_.is_message_done() && count_message() && !web_socket_->is_closing()) {
      std::string text(static_cast<const char*>(message_.data().data()), message_.size());
      message_.consume(message_.size());
      call([&] {
        if (core_.handlers.received) core_.handlers.received(web_socket_, std::move(text));
      });
    }
    read_message();
  }

  // Messages, pings and pongs use up tokens, which time gives back.
  bool count_message() {
    if (!web_socket_) return true;
    const Clock::time_point now = Clock::now();
    const double passed = std::chrono::duration<double>(now - counted_at_).count();
    counted_at_ = now;
    tokens_ = std::min(tokens_ + passed * limits().messages_per_second, limits().messages_per_second);
    if (tokens_ < 1) {
      web_socket_->close(CloseCode::policy, "Too many messages in a second.");
      return false;
    }
    tokens_ -= 1;
    return true;
  }

  void write(Outgoing message) {
    is_writing_ = true;
    stream_.text(message.is_text);
    // The handler keeps the buffer.
    const asio::const_buffer data = message.data;
    stream_.async_write(data, [self = shared_from_this(), kept = std::move(message)](ErrorCode error, std::size_t) {
      self->is_writing_ = false;
      self->web_socket_->wrote(kept.data.size());
      if (!error) return self->flush();
      // The read also ends, after Beast has sent what is wrong. It must not take for ever.
      self->has_write_failed_ = true;
      if (self->phase_ == Phase::finished) return;
      self->phase_ = Phase::parting;
      self->set_deadline(self->limits().farewell);
    });
  }

  Core& core_;
  const std::string peer_;
  const bool is_refused_;
  std::optional<HttpAnswer> refusal_;
  websocket::stream<TcpStream, false> stream_;  // without compression; requests use its next layer
  asio::steady_timer deadline_;
  Phase phase_ = Phase::handshake;

  std::array<char, 8192> input_{};
  std::string_view unread_;  // of input_
  RequestParser parser_;
  bool is_late_ = false;
  HttpAnswer answer_;
  std::string head_;
  bool keeps_ = false;

  std::shared_ptr<WebSocket> web_socket_;
  beast::flat_buffer message_;
  double tokens_ = 0;
  Clock::time_point counted_at_;
  bool is_writing_ = false, has_write_failed_ = false, has_begun_close_ = false;
};

void HttpServer::Core::WebSocket::wake() {
  asio::post(context_, [self = shared_from_this()] {
    if (!self->session_) return;
    // The session may end while it is flushed.
    const std::shared_ptr<Session> session = self->session_->shared_from_this();
    session->flush();
  });
}

void HttpServer::Core::run() {
  while (true) {
    try {
      context.run();
      return;
    } catch (...) {  // such as no memory: it ends the session whose operation threw
    }
  }
}

void HttpServer::Core::accept() {
  acceptor.async_accept([this](ErrorCode error, tcp::socket socket) {
    if (is_stopping) return;
    if (!error) {
      try {
        admit(std::move(socket));
      } catch (...) {  // no memory for this one
      }
    }
    if (!error || error == asio::error::connection_aborted) return accept();
    // No file descriptors: the client waits until one is free.
    pause.expires_after(std::chrono::milliseconds(100));
    pause.async_wait([this](ErrorCode) {
      if (!is_stopping) accept();
    });
  });
}

void HttpServer::Core::admit(tcp::socket socket) {
  ErrorCode error;
  const tcp::endpoint endpoint = socket.remote_endpoint(error);
  if (error) return;  // it is gone already
  asio::ip::address address = endpoint.address();
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    address = asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
  const std::string peer = address.to_string();

  socket.set_option(tcp::no_delay(true), error);
#if defined(TCP_NOTSENT_LOWAT)
  // Otherwise the system takes megabytes for a slow client, and its video lags by seconds before a frame is dropped.
  const int unsent = 64 << 10;
  setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof unsent);
#endif

  // Those beyond a limit get an answer, but there are not many of them at a time.
  constexpr int max_refused = 32;
  std::optional<HttpAnswer> refusal;
  const auto own = admitted.find(peer);
  if (all_admitted >= options.limits.connections)
    refusal = plain_answer(503, "Too many are connected to this server. Try again later.");
  else if (own != admitted.end() && own->second >= options.limits.connections_per_address)
    refusal = plain_answer(429, "Too many connections come from this address. Close other windows.");
  if (refusal && all_refused >= max_refused) return;
  std::make_shared<Session>(*this, std::move(socket), peer, std::move(refusal))->start();
}

void HttpServer::Core::begin_stop() {
  is_stopping = true;
  ErrorCode ignored;
  acceptor.close(ignored);
  pause.cancel();
  const std::set<Session*> all = sessions;
  // A session ends when its operations return, not while it is told here.
  for (Session* session : all) session->begin_stop();
  if (sessions.empty()) return;
  last_call.expires_after(options.limits.farewell);
  last_call.async_wait([this](ErrorCode error) {
    if (error) return;
    for (Session* session : std::set<Session*>(sessions)) session->finish();
  });
}

HttpServer::HttpServer(const Options& options, Handlers handlers)
    : core_(std::make_unique<Core>(options, std::move(handlers))) {}

HttpServer::~HttpServer() { stop(); }

int HttpServer::port() const { return core_->port; }

void HttpServer::stop() {
  if (!core_->thread.joinable()) return;
  PERTURB_ASSERT(core_->thread.get_id() != std::this_thread::get_id());
  asio::post(core_->context, [core = core_.get()] { core->begin_stop(); });
  core_->thread.join();
}

}  // namespace perturb
