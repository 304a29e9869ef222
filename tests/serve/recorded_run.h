// A served run with connections that only record, for tests.
#pragma once

#include <algorithm>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/serve/people.h"
#include "app/serve/run_server.h"
#include "app/serve/video/video_message.h"
#include "cuda/core/backend/stop.h"

namespace perturb {

using ServedJson = nlohmann::ordered_json;

// The fields of a binary message's header.
struct Medium {
  std::shared_ptr<const std::vector<std::byte>> bytes;

  std::uint64_t field(std::size_t position, std::size_t size) const {
    std::uint64_t number = 0;
    for (std::size_t k = size; k-- > 0;) number = number << 8 | std::to_integer<std::uint64_t>(bytes->at(position + k));
    return number;
  }
  MessageKind kind() const { return static_cast<MessageKind>(field(0, 1)); }
  bool is_key() const { return field(1, 1) == 1; }
  std::uint64_t number() const { return field(4, 4); }
  double step() const { return std::bit_cast<double>(field(8, 8)); }
  std::string_view file() const {
    const auto from = static_cast<std::size_t>(field(2, 2));
    return {reinterpret_cast<const char*>(bytes->data()) + from, bytes->size() - from};
  }
};

// Records what it is sent.
class RecordedConnection : public Connection {
 public:
  explicit RecordedConnection(std::function<void()> on_sent) : on_sent_(std::move(on_sent)) {}

  bool send_text(std::shared_ptr<const std::string> text) override {
    if (close_code) return false;
    const ServedJson json = ServedJson::parse(*text);
    (json.value("push", "") == "end" ? ends : texts).push_back(json);
    on_sent_();
    return true;
  }
  bool send_media(std::shared_ptr<const std::vector<std::byte>> bytes) override {
    if (refuses_media || close_code) {
      ++refused;
      on_sent_();
      return false;
    }
    media.push_back({std::move(bytes)});
    on_sent_();
    return true;
  }
  std::size_t queued_bytes() const override { return refuses_media ? max_media_backlog + 1 : 0; }
  void close(CloseCode code, const std::string& reason) override {
    close_code = code;
    EXPECT_NE(reason, "");
    on_sent_();
  }
  const std::string& peer() const override { return peer_; }

  const ServedJson* answer(int id) const {
    for (const ServedJson& text : texts)
      if (text.contains("id") && text["id"] == id) return &text;
    return nullptr;
  }
  std::vector<ServedJson> pushes(const std::string& name) const {
    std::vector<ServedJson> found;
    for (const ServedJson& text : texts)
      if (text.value("push", "") == name) found.push_back(text);
    return found;
  }
  long count(MessageKind kind) const {
    return std::count_if(media.begin(), media.end(), [&](const Medium& one) { return one.kind() == kind; });
  }

  std::vector<ServedJson> texts, ends;
  std::vector<Medium> media;
  bool refuses_media = false;
  int refused = 0;
  std::optional<CloseCode> close_code;

 private:
  std::function<void()> on_sent_;
  std::string peer_ = "10.0.0.1";
};

// Browsers of a served run, and the messages that they get.
class RecordedRun : public testing::Test {
 protected:
  using Json = ServedJson;
  struct Browser {
    std::shared_ptr<RecordedConnection> socket;
    Person person;
  };

  Browser open(const Person& person) {
    Browser browser{std::make_shared<RecordedConnection>([this] {
                      if (stop_ && is_reached_()) stop_->request_stop();
                    }),
                    person};
    served_->opened(browser.socket, person);
    return browser;
  }
  Person join(const std::string& name) {
    const std::string code = name.empty() ? "teacher-" + people_.secret() : people_.code();
    return people_.with_cookie(people_.join(code, name, "10.0.0.1", "").cookie).value();
  }
  Person join_to_watch() {
    const People::Joined joined =
        people_.join(people_.code(), "", "10.0.0.1", "", People::Clock::now(), Role::spectator);
    return people_.with_cookie(joined.cookie).value();
  }
  // A pupil of this name, or a teacher without one, that gets pictures in this way.
  Browser enter(const std::string& name, const std::string& video = "none") { return enter(join(name), video); }
  Browser enter(const Person& person, const std::string& video = "none") {
    Browser browser = open(person);
    done(browser, "hello", {{"video", video}});
    return browser;
  }

  // Runs until something that is sent makes the condition true. A minute is only reached by a fault.
  void run_until(const std::function<bool()>& is_reached) {
    if (is_reached()) return;
    StopRequest stop;
    is_reached_ = is_reached;
    stop_ = &stop;
    std::mutex mutex;
    std::condition_variable_any never;
    {
      const std::jthread watch([&](const std::stop_token& ends) {
        std::unique_lock lock(mutex);
        never.wait_for(lock, ends, std::chrono::minutes(1), [] { return false; });
        stop.request_stop();
      });
      served_->run(stop);
    }
    stop_ = nullptr;
    EXPECT_TRUE(is_reached());
  }
  Json call(const Browser& browser, const std::string& name, const Json& with = Json::object()) {
    const int id = ++last_id_;
    served_->received(browser.socket, Json{{"id", id}, {"call", name}, {"with", with}}.dump());
    run_until([&] { return browser.socket->answer(id); });
    const Json* answer = browser.socket->answer(id);
    return answer ? *answer : Json{{"error", "no answer"}};
  }
  Json done(const Browser& browser, const std::string& name, const Json& with = Json::object()) {
    const Json answer = call(browser, name, with);
    EXPECT_TRUE(answer.contains("result")) << name << ": " << answer.dump().substr(0, 300);
    return answer.value("result", Json());
  }
  std::string refusal(const Browser& browser, const std::string& name, const Json& with = Json::object()) {
    const Json answer = call(browser, name, with);
    EXPECT_TRUE(!answer.contains("error") || (answer["kind"] == "input" && answer.contains("message"))) << answer;
    return answer.value("error", "");
  }
  void close(const Browser& browser) { served_->closed(browser.socket); }
  static Json event(const char* tool, const char* phase, double x, double y) {
    return {{"tool", tool}, {"phase", phase}, {"x", x}, {"y", y}, {"width", 400}, {"height", 400}};
  }
  People people_;
  std::unique_ptr<RunServer> served_;
  StopRequest* stop_ = nullptr;
  std::function<bool()> is_reached_;
  int last_id_ = 0;
};

}  // namespace perturb
