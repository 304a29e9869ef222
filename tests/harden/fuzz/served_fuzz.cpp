// Fuzzes what a pupil sends in a served run, a message per line. Each gets one answer, and the teacher's run continues.
#include <memory>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/run/backends.h"
#include "app/serve/people.h"
#include "app/serve/served_run.h"
#include "app/web/engine/shared_engine.h"
#include "tests/harden/fuzz/fuzz.h"

namespace {

using namespace perturb;
using fuzz::require;

// Stops the run after the answer to the last message.
class Pupil : public Connection {
 public:
  bool send_text(std::shared_ptr<const std::string> text) override {
    const nlohmann::json message = nlohmann::json::parse(*text);  // throws, which ends the target
    if (message.contains("push")) return true;
    require(message.contains("error") != message.contains("result"), "an answer with neither result nor error");
    if (message.contains("error")) fuzz::require_plain(message["error"].get<std::string>());
    if (--awaited == 0) stop->request_stop();
    return true;
  }
  bool send_media(std::shared_ptr<const std::vector<std::byte>>) override { return true; }
  std::size_t queued_bytes() const override { return 0; }
  void close(CloseCode, const std::string&) override { require(false, "a pupil is disconnected"); }
  const std::string& peer() const override { return peer_; }

  int awaited = 0;
  StopRequest* stop = nullptr;

 private:
  std::string peer_ = "10.0.0.1";
};

// A small tank.
struct Server {
  Server() {
    served.opened(pupil, people.with_cookie(people.join(people.code(), "Ada", "10.0.0.1", "").cookie).value());
    send(R"({"id":1,"call":"hello","with":{"video":"none"}})");
  }
  void open() {
    const char* const call = R"({"call":"open","with":{"scene":"wave/droplet","width":32,"height":32}})";
    require(engine.call(owner, call).find("\"error\"") == std::string::npos, "the scene does not open");
  }
  void send(std::string_view text) {
    ++pupil->awaited;
    served.received(pupil, std::string(text));
  }
  void run() {
    StopRequest stop;
    pupil->stop = &stop;
    served.run(stop);
    require(pupil->awaited == 0, "a message without an answer");
  }

  SharedEngine engine{make_backends("cpu", 1)};
  const int owner = engine.add_client(Role::owner);
  const bool is_open = (open(), true);
  People people;
  ServedRun served{engine, people, "http://127.0.0.1/join"};
  const std::shared_ptr<Pupil> pupil = std::make_shared<Pupil>();
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view left = fuzz::text_of(data, size);
  static Server server;
  // What pupils change adds up.
  static int inputs = 0;
  if (++inputs % 500 == 0) server.open();
  for (int lines = 0; lines < 20; ++lines) {
    const std::size_t end = left.find('\n');
    server.send(left.substr(0, end));
    if (end == std::string_view::npos) break;
    left.remove_prefix(end + 1);
  }
  server.run();
  return 0;
}
