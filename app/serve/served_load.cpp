#include "app/serve/served_load.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "app/io/files/start_thread.h"
#include "app/run/backends.h"
#include "app/serve/net/http_server.h"
#include "app/serve/people.h"
#include "app/serve/served_run.h"
#include "app/serve/video/video_encoder.h"
#include "app/web/engine/shared_engine.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/stop.h"
#include "cuda/core/timing/timing_duration.h"

namespace perturb {

namespace {

using Json = nlohmann::ordered_json;

constexpr double timed_seconds = 2;  // of frames that are painted and encoded
constexpr const char* cookie_name = "bench";

// The server of `perturb serve`, without the page: clients are let in by the cookie alone.
class LoopbackServer {
 public:
  LoopbackServer(SharedEngine& engine, int clients)
      : served_(engine, people_, "http://127.0.0.1/"), server_({}, handlers()) {
    for (int k = 0; k < clients; ++k)
      cookies_.push_back(people_.join(people_.code(), "Client " + std::to_string(k + 1), "127.0.0.1", "").cookie);
  }
  ~LoopbackServer() { server_.stop(); }
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  ServedRun& served() { return served_; }
  int port() const { return server_.port(); }
  std::vector<std::string> cookies() const {
    std::vector<std::string> fields;
    for (const std::string& cookie : cookies_) fields.push_back(std::string(cookie_name) + "=" + cookie);
    return fields;
  }

 private:
  HttpServer::Handlers handlers() {
    HttpServer::Handlers all;
    const auto person = [this](const HttpRequest& request) {
      return people_.with_cookie(std::string(request.cookie(cookie_name)));
    };
    all.accepts = [person](const HttpRequest& request) -> std::optional<HttpAnswer> {
      if (!person(request)) return plain_answer(403, "Join first.");
      return std::nullopt;
    };
    all.opened = [this, person](const std::shared_ptr<Connection>& connection, const HttpRequest& request) {
      served_.opened(connection, person(request).value());
    };
    all.received = [this](const std::shared_ptr<Connection>& connection, std::string text) {
      served_.received(connection, std::move(text));
    };
    all.closed = [this](const std::shared_ptr<Connection>& connection) { served_.closed(connection); };
    return all;
  }

  People people_;
  std::vector<std::string> cookies_;
  ServedRun served_;
  HttpServer server_;  // last: its handlers use the others
};

// Runs the server while `work` runs on another thread.
void serve_during(ServedRun& served, const std::function<void()>& work) {
  StopRequest stop;
  std::exception_ptr failure;
  std::thread thread = start_thread([&] {
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
    stop.request_stop();
  });
  std::exception_ptr own_failure;
  try {
    served.run(stop);
  } catch (...) {
    own_failure = std::current_exception();
  }
  thread.join();
  if (own_failure) std::rethrow_exception(own_failure);
  if (failure) std::rethrow_exception(failure);
}

void serve_for(ServedRun& served, double seconds) {
  serve_during(served, [seconds] { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); });
}

double seconds_between(const ResourceUse& begin, const ResourceUse& end) {
  return std::chrono::duration<double>(end.time - begin.time).count();
}

void measure_alone(ServedRun& served, SharedEngine& engine, const ServedLoad& load, ServedFigures& figures) {
  serve_for(served, load.warm_up_seconds);
  const auto steps = [&] { return static_cast<double>(engine.run().status()->steps); };
  const double first = steps();
  const ResourceUse begin = ResourceUse::now();
  serve_for(served, load.seconds_alone);
  const ResourceUse end = ResourceUse::now();
  const double seconds = seconds_between(begin, end);
  figures.cores_alone = (end.process_seconds - begin.process_seconds) / seconds;
  figures.steps_per_second_alone = (steps() - first) / seconds;
}

// Paints and encodes frames as the server does, with its steps between them.
void time_frames(SharedEngine& engine, ServedFigures& figures) {
  const int width = figures.load.width, height = figures.load.height;
  VideoEncoder encoder(width, height, ServedRun::frames_per_second);
  const double rate = std::max(figures.frame_rate, 1.0);
  const auto steps = std::max<std::int64_t>(1, std::llround(figures.steps_per_second / rate));
  const int frames = std::max(1, static_cast<int>(timing_duration(timed_seconds) * ServedRun::frames_per_second));
  for (int k = 0; k < frames; ++k) {
    engine.advance(steps, 1000 / rate);
    const ResourceUse begin = ResourceUse::now();
    const std::span<const std::uint32_t> picture = engine.paint(width, height);
    const ResourceUse painted = ResourceUse::now();
    encoder.encode(picture);
    const ResourceUse encoded = ResourceUse::now();
    figures.paint_seconds += (painted.process_seconds - begin.process_seconds) / frames;
    figures.encode_seconds += (encoded.process_seconds - painted.process_seconds) / frames;
  }
}

}  // namespace

ServedFigures measure_served_run(const ServedLoad& load) {
  if (const Message why = VideoEncoder::why_not(); !why.empty()) throw Error(why);
  SharedEngine engine(make_backends(load.backend, load.threads));
  const int owner = engine.add_client(Role::owner);
  const Json opened = Json::parse(engine.call(owner, Json{{"call", "open"}, {"with", load.opening}}.dump()));
  if (opened.contains("error")) throw InputError("{}", opened["error"].get<std::string>());

  ServedFigures figures;
  const Backend& backend = engine.run().backend();
  figures.backend = backend.id();
  figures.device = backend.device_name();
  figures.threads = backend.threads();
  figures.run_width = engine.run().experiment().setup().width;
  figures.run_height = engine.run().experiment().setup().height;
  {
    LoopbackServer server(engine, load.clients);
    if (load.steps_per_frame > 0) server.served().set_speed(load.steps_per_frame);
    measure_alone(server.served(), engine, load, figures);
    LoadPlan plan;
    plan.port = server.port();
    plan.cookies = server.cookies();
    plan.tool = load.tool;
    plan.seconds = load.seconds;
    plan.warm_up_seconds = load.warm_up_seconds;
    plan.longest_poke_seconds = load.longest_poke_seconds;
    serve_during(server.served(), [&] { figures.load = run_load(plan); });
  }
  const ResourceUse &begin = figures.load.begin, &end = figures.load.end;
  figures.seconds = seconds_between(begin, end);
  const auto rate = [&](double amount) { return amount / figures.seconds; };
  const double process = end.process_seconds - begin.process_seconds;
  const double clients = end.thread_seconds - begin.thread_seconds;
  figures.cores = rate(process - clients);
  figures.cores_of_clients = rate(clients);
  figures.cores_of_others = std::max(0.0, rate(end.machine_seconds - begin.machine_seconds - process));
  figures.frame_rate = rate(figures.load.frames_made);
  figures.steps_per_second = rate(figures.load.steps_taken);
  time_frames(engine, figures);
  return figures;
}

}  // namespace perturb
