#include "app/serve/load_clients.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string_view>
#include <utility>  // Boost 1.74 uses std::exchange without including it

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <nlohmann/json.hpp>

#include "app/serve/video/video_decoder.h"
#include "app/serve/video/video_message.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = boost::beast::websocket;
using asio::ip::tcp;
using ErrorCode = boost::system::error_code;
using LoadClock = std::chrono::steady_clock;
using LoadJson = nlohmann::json;
using std::chrono::milliseconds;

constexpr int longest_wait = 60;                    // seconds, for the first pictures of all clients
constexpr double wait_step = 0.005;                 // seconds
constexpr int min_pause = 400, max_pause = 600;     // milliseconds between pokes: at all times of a frame
constexpr int square = 16;                          // half of its side around a poke, in pixels
constexpr double min_place = 0.1, max_place = 0.9;  // of the picture, where it is poked

double seconds_between(LoadClock::time_point from, LoadClock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

void expire_after(asio::steady_timer& timer, double seconds) {
  timer.expires_after(std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds)));
}

// The header of a binary message (video_message.h).
struct MediaHeader {
  MessageKind kind;
  bool is_key;
  std::size_t position;
  std::uint32_t number;
  double step;
};

MediaHeader header_of(std::span<const std::byte> message) {
  if (message.size() < message_header_bytes) throw Error("The server has sent a message that is too short.");
  const auto field = [&](std::size_t position, std::size_t size) {
    std::uint64_t value = 0;
    for (std::size_t k = size; k-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(message[position + k]);
    return value;
  };
  return {static_cast<MessageKind>(field(0, 1)), field(1, 1) == 1, static_cast<std::size_t>(field(2, 2)),
          static_cast<std::uint32_t>(field(4, 4)), std::bit_cast<double>(field(8, 8))};
}

class LoadClient {
 public:
  std::function<void(std::string_view)> on_text;
  std::function<void(const MediaHeader&, std::span<const std::byte>)> on_media;

  explicit LoadClient(asio::io_context& context) : stream_(context) {}

  // Waits for the server.
  void open(int port, const std::string& cookie) {
    tcp::socket& socket = stream_.next_layer();
    ErrorCode error;
    socket.connect({asio::ip::address_v4::loopback(), static_cast<unsigned short>(port)}, error);
    if (!error) socket.set_option(tcp::no_delay(true), error);
    stream_.set_option(websocket::stream_base::decorator(
        [&](websocket::request_type& request) { request.set(beast::http::field::cookie, cookie); }));
    if (!error) stream_.handshake("127.0.0.1", "/run", error);
    if (error) throw Error("A client cannot connect to the server: {}.", error.message());
  }

  // One at a time: the answer to the one before must have come.
  void call(int id, const char* name, const LoadJson& with) {
    text_ = LoadJson{{"id", id}, {"call", name}, {"with", with}}.dump();
    stream_.text(true);
    stream_.async_write(asio::buffer(text_), [](ErrorCode, std::size_t) {});  // the read ends too
  }

  void read() {
    stream_.async_read(message_, [this](ErrorCode error, std::size_t) {
      if (error) {
        const beast::string_view reason = stream_.reason().reason;
        counts_.end = reason.empty() ? error.message() : std::string(reason.data(), reason.size());
        return;
      }
      take_message();
      message_.consume(message_.size());
      read();
    });
  }

  bool has_frame_or_end() const { return last_ || !counts_.end.empty(); }
  // Of the last frame.
  const MediaHeader& last() const { return *last_; }

  void begin_counting() {
    counts_ = {0, 0, 0, 0, counts_.end};
    last_time_ = LoadClock::now();
  }
  ClientCounts counts() {
    note_gap();
    return counts_;
  }

 private:
  void take_message() {
    const std::string_view bytes(static_cast<const char*>(message_.data().data()), message_.size());
    counts_.bytes += static_cast<std::int64_t>(bytes.size());
    if (stream_.got_text()) {
      if (on_text) on_text(bytes);
      return;
    }
    const auto message = std::as_bytes(std::span(bytes));
    const MediaHeader header = header_of(message);
    if (header.kind == MessageKind::fragment) take_fragment(header);
    if (on_media) on_media(header, message);
  }
  void take_fragment(const MediaHeader& header) {
    if (last_) counts_.skipped += std::max<std::int64_t>(0, std::int64_t{header.number} - last_->number - 1);
    note_gap();
    ++counts_.frames;
    last_ = header;
    last_time_ = LoadClock::now();
  }
  void note_gap() {
    if (last_) counts_.longest_gap = std::max(counts_.longest_gap, seconds_between(last_time_, LoadClock::now()));
  }

  websocket::stream<tcp::socket, false> stream_;  // without compression
  beast::flat_buffer message_;
  std::string text_;
  ClientCounts counts_;
  std::optional<MediaHeader> last_;
  LoadClock::time_point last_time_{};
};

// Pokes by the first client, and what it sees of them.
class Poker {
 public:
  Poker(asio::io_context& context, LoadClient& client, const LoadPlan& plan)
      : client_(client), plan_(plan), timer_(context) {}

  void set_picture(const LoadJson& picture) {
    width_ = picture.at("width").get<int>();
    height_ = picture.at("height").get<int>();
  }
  void begin() {
    is_active_ = true;
    choose_next();
  }
  // Calls `done` after the last poke: without slow ones the times would look better than they are.
  void end(std::function<void()> done) {
    is_active_ = false;
    on_end_ = std::move(done);
    if (pressed_) return;
    timer_.cancel();
    on_end_();
  }
  void take_into(LoadResult& result) {
    result.pokes = std::move(pokes_);
    result.lost_pokes = lost_;
    result.width = width_;
    result.height = height_;
  }

  void take_answer(const LoadJson& answer) {
    if (answer.contains("error")) throw Error("The server refuses a poke: {}", answer["error"].get<std::string>());
    if (answer.at("id") != press_ || !pressed_) return;
    answered_ = LoadClock::now();
    applied_at_ = answer.at("result").at("status").at("steps").get<double>();
  }

  void take_media(const MediaHeader& header, std::span<const std::byte> message) {
    if (header.kind == MessageKind::start) decoder_.emplace(message.subspan(header.position, header.number));
    if (header.kind != MessageKind::fragment || !decoder_) return;
    const DecodedLuma frame = decoder_->decode(message.subspan(header.position));
    const LoadClock::time_point now = LoadClock::now();
    // (A frame of the same step may have the poke already, where the run is slower than its frames.)
    double& change = pressed_ ? change_ : noise_;
    change = std::max(pressed_ ? change : 0, changed_since_last(frame));
    if (!applied_at_ || header.step <= *applied_at_) return;
    pokes_.push_back({seconds_between(*pressed_, now), seconds_between(*pressed_, answered_), change_, noise_});
    release();
  }

 private:
  void choose_next() {
    std::uniform_real_distribution<double> place(min_place, max_place);
    x_ = static_cast<int>(place(random_) * width_);
    y_ = static_cast<int>(place(random_) * height_);
    last_square_.clear();
    press_after(milliseconds(std::uniform_int_distribution(min_pause, max_pause)(random_)));
  }
  // Not before a frame has shown what the place looks like without the poke.
  void press_after(milliseconds pause) {
    timer_.expires_after(pause);
    timer_.async_wait([this](ErrorCode error) {
      if (error || !is_active_) return;
      if (last_square_.empty())
        press_after(milliseconds(5));
      else
        press();
    });
  }
  void press() {
    press_ = ++last_id_;
    pressed_ = LoadClock::now();
    change_ = 0;
    call("press");
    expire_after(timer_, plan_.longest_poke_seconds);
    timer_.async_wait([this](ErrorCode error) {
      if (error || !pressed_) return;
      ++lost_;
      release();
    });
  }
  void release() {
    pressed_.reset();
    applied_at_.reset();
    ++last_id_;
    call("release");
    if (is_active_)
      choose_next();
    else
      on_end_();
  }
  void call(const char* phase) {
    client_.call(
        last_id_, "gesture",
        {{"tool", plan_.tool}, {"phase", phase}, {"x", x_}, {"y", y_}, {"width", width_}, {"height", height_}});
  }
  // Of the square around the next poke; 0 at the first frame there.
  double changed_since_last(const DecodedLuma& frame) {
    std::vector<std::uint8_t> now;
    for (int j = std::max(0, y_ - square); j < std::min(frame.height, y_ + square); ++j) {
      const std::uint8_t* row = frame.data + static_cast<std::size_t>(j) * frame.stride;
      now.insert(now.end(), row + std::max(0, x_ - square), row + std::min(frame.width, x_ + square));
    }
    double sum = 0;
    const bool is_comparable = !now.empty() && now.size() == last_square_.size();
    if (is_comparable)
      for (std::size_t k = 0; k < now.size(); ++k) sum += std::abs(now[k] - last_square_[k]);
    last_square_ = std::move(now);
    return is_comparable ? sum / static_cast<double>(last_square_.size()) : 0;
  }

  LoadClient& client_;
  const LoadPlan& plan_;
  asio::steady_timer timer_;
  std::optional<VideoDecoder> decoder_;
  std::mt19937 random_{1};
  int width_ = 0, height_ = 0, x_ = 0, y_ = 0;
  bool is_active_ = false;
  int last_id_ = 1, press_ = 0;  // 1 is the hello
  std::optional<LoadClock::time_point> pressed_;
  LoadClock::time_point answered_{};
  std::optional<double> applied_at_;  // the step of the press, after the answer
  double noise_ = 0, change_ = 0;     // of the last frame before the press; since then
  std::vector<std::uint8_t> last_square_;
  std::vector<PokeTime> pokes_;
  int lost_ = 0;
  std::function<void()> on_end_;
};

class Load {
 public:
  explicit Load(const LoadPlan& plan) : plan_(plan) {
    for (const std::string& cookie : plan.cookies) {
      clients_.push_back(std::make_unique<LoadClient>(context_));
      clients_.back()->open(plan.port, cookie);
    }
    LoadClient& first = *clients_.front();
    poker_.emplace(context_, first, plan_);
    first.on_text = [this](std::string_view text) {
      if (!text.starts_with("{\"id\":")) return;
      const LoadJson answer = LoadJson::parse(text);
      if (answer.at("id") == 1)
        poker_->set_picture(answer.at("result").at("picture"));
      else
        poker_->take_answer(answer);
    };
    first.on_media = [this](const auto& header, const auto& message) { poker_->take_media(header, message); };
  }

  LoadResult run() {
    hello_ = LoadClock::now();
    for (const auto& client : clients_) {
      client->read();
      client->call(1, "hello", {{"video", "webcodecs"}});
    }
    wait_for_frames();
    context_.run();  // until end()
    return std::move(result_);
  }

 private:
  void wait_for_frames() {
    result_.join_seconds = seconds_between(hello_, LoadClock::now());
    const bool all = std::all_of(clients_.begin(), clients_.end(), [](const auto& c) { return c->has_frame_or_end(); });
    if (all && !clients_.front()->counts().end.empty()) throw Error("The server has ended the connection of a client.");
    if (all) return then_after(plan_.warm_up_seconds, [this] { begin(); });
    if (result_.join_seconds > longest_wait)
      throw Error("After {} seconds not all clients have got a picture.", longest_wait);
    then_after(wait_step, [this] { wait_for_frames(); });
  }
  void begin() {
    for (const auto& client : clients_) client->begin_counting();
    first_ = clients_.front()->last();
    result_.begin = ResourceUse::now();
    poker_->begin();
    then_after(plan_.seconds, [this] { end(); });
  }
  void end() {
    result_.end = ResourceUse::now();
    result_.frames_made = clients_.front()->last().number - first_.number;
    result_.steps_taken = clients_.front()->last().step - first_.step;
    for (const auto& client : clients_) result_.clients.push_back(client->counts());
    poker_->end([this] {
      poker_->take_into(result_);
      context_.stop();
    });
  }
  void then_after(double seconds, const std::function<void()>& next) {
    expire_after(timer_, seconds);
    timer_.async_wait([next](ErrorCode error) {
      if (!error) next();
    });
  }

  const LoadPlan& plan_;
  asio::io_context context_{1};
  std::vector<std::unique_ptr<LoadClient>> clients_;
  std::optional<Poker> poker_;
  asio::steady_timer timer_{context_};
  LoadClock::time_point hello_{};
  MediaHeader first_{};
  LoadResult result_;
};

}  // namespace

LoadResult run_load(const LoadPlan& plan) {
  PERTURB_ASSERT(!plan.cookies.empty());
  return Load(plan).run();
}

}  // namespace perturb
