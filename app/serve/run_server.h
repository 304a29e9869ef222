// What serves a run to browsers: takes what the web server's thread reports, and handles it in order on its own thread.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "app/serve/net/http_server.h"
#include "app/serve/people.h"
#include "cuda/core/backend/stop.h"

namespace perturb {

class RunServer {
 public:
  using Json = nlohmann::ordered_json;
  using Clock = std::chrono::steady_clock;
  using Socket = std::shared_ptr<Connection>;

  virtual ~RunServer() = default;

  // From the server's thread. `person`: whose cookie the connection has.
  void opened(const Socket& socket, const Person& person);
  void received(const Socket& socket, std::string text);
  void closed(const Socket& socket);
  // The answer to a request of somebody who has joined; none: the page's files answer it.
  virtual std::optional<HttpAnswer> http(const HttpRequest&) { return std::nullopt; }

  // On its own thread, until the stop is requested: then tells everybody.
  virtual void run(const StopRequest& stop) = 0;

 protected:
  struct Event {
    enum class Kind { opened, received, closed } kind;
    Socket socket;
    Person person;     // opened
    std::string text;  // received
  };
  // Waits for events until this time, and handles those that have come. It returns a little later if there are many, so
  // that a flood of calls does not hold up the run.
  void handle_events(Clock::time_point until, Clock::duration at_least);
  virtual void handle(Event& event) = 0;
  // Any thread: whether anybody is connected.
  bool has_connections() const { return connections_ > 0; }

  // ---- texts of the protocol (docs/web.md, "A served run")
  static constexpr const char* objects_tool = "objects";  // in the list of tools: adding, moving and removing objects
  static const char* name_of(Role role);
  // Throws InputError if it is nested too deeply, and nlohmann::json::exception.
  static Json parse_request(const std::string& text);
  static std::string id_of(const Json& request);
  // {"error": ...} and {...} with the number of the request, without reading the text again.
  static std::string with_id(const std::string& id, const std::string& answer);
  static std::string text_of(const Json& json);
  static void send_text(const Socket& socket, const std::string& text);
  // As the call "allow" gives them, and as everybody is told.
  static Permissions permissions_from(Permissions allowed, const Json& args);
  static Json json_of_allowed(const Permissions& allowed, bool is_locked);
  // `locked`: ids of those who may not change the run.
  static Json json_of_people(const People& people, const std::set<int>& locked, bool shows_names,
                             const std::string& link);

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Event> events_;
  std::atomic<int> connections_{0};
};

}  // namespace perturb
