#include "app/serve/run_server.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "app/web/engine/request.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

constexpr std::int64_t max_id = std::int64_t{1} << 53;  // that JavaScript counts to
constexpr int max_depth = 32;                           // of a request's JSON: it is copied by recursion
// Requests that wait while a step takes long; more than a class makes in a second.
constexpr std::size_t max_events = 5000;

// Null, or the ids in the list.
std::optional<std::set<std::string>> ids_in(const nlohmann::ordered_json& list) {
  if (list.is_null()) return std::nullopt;
  std::set<std::string> ids;
  for (const auto& id : list) ids.insert(id.get<std::string>());
  return ids;
}

}  // namespace

void RunServer::opened(const Socket& socket, const Person& person) {
  const std::lock_guard lock(mutex_);
  events_.push_back({Event::Kind::opened, socket, person, {}});
  ++connections_;
  wake_.notify_one();
}

void RunServer::received(const Socket& socket, std::string text) {
  const std::lock_guard lock(mutex_);
  if (events_.size() >= max_events) {
    socket->close(CloseCode::policy, "The run is busy with the requests of others. Try again in a minute.");
    return;
  }
  events_.push_back({Event::Kind::received, socket, {}, std::move(text)});
  wake_.notify_one();
}

void RunServer::closed(const Socket& socket) {
  const std::lock_guard lock(mutex_);
  events_.push_back({Event::Kind::closed, socket, {}, {}});
  --connections_;
  wake_.notify_one();
}

void RunServer::handle_events(Clock::time_point until, Clock::duration at_least) {
  std::unique_lock lock(mutex_);
  // Now and then, also without an event: the stop may have been requested.
  wake_.wait_until(lock, until, [this] { return !events_.empty(); });
  const auto end = std::max(until, Clock::now() + at_least);
  while (!events_.empty() && Clock::now() < end) {
    Event event = std::move(events_.front());
    events_.pop_front();
    lock.unlock();
    handle(event);
    lock.lock();
  }
}

// ---- texts

const char* RunServer::name_of(Role role) {
  if (role == Role::spectator) return "spectator";
  return role == Role::pupil ? "pupil" : "teacher";
}

RunServer::Json RunServer::parse_request(const std::string& text) {
  return Json::parse(text, [](int depth, Json::parse_event_t, Json&) {
    if (depth > max_depth) throw InputError("Cannot read the request. Reload the page.");
    return true;
  });
}

std::string RunServer::id_of(const Json& request) { return std::to_string(int_in(request, "id", 0, max_id)); }

std::string RunServer::with_id(const std::string& id, const std::string& answer) {
  if (answer.starts_with("{\"error\":")) return "{\"id\":" + id + "," + answer.substr(1);
  return "{\"id\":" + id + ",\"result\":" + answer + "}";
}

std::string RunServer::text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

void RunServer::send_text(const Socket& socket, const std::string& text) {
  socket->send_text(std::make_shared<const std::string>(text));
}

Permissions RunServer::permissions_from(Permissions allowed, const Json& args) {
  // (Not find_in(): null is a value here.)
  if (args.contains("tools")) {
    allowed.tools = ids_in(args["tools"]);
    allowed.objects = !allowed.tools || allowed.tools->erase(objects_tool) > 0;
  }
  if (args.contains("parameters")) allowed.parameters = ids_in(args["parameters"]);
  return allowed;
}

RunServer::Json RunServer::json_of_allowed(const Permissions& allowed, bool is_locked) {
  Json tools = nullptr, parameters = nullptr;
  if (allowed.tools) {
    tools = *allowed.tools;
    if (allowed.objects) tools.push_back(objects_tool);
  }
  if (allowed.parameters) parameters = *allowed.parameters;
  return {
      {"push", "allowed"}, {"tools", std::move(tools)}, {"parameters", std::move(parameters)}, {"locked", is_locked}};
}

RunServer::Json RunServer::json_of_people(const People& people, const std::set<int>& locked, bool shows_names,
                                          const std::string& link) {
  Json list = Json::array();
  for (const Person& person : people.all())
    list.push_back({{"id", person.id},
                    {"name", person.name},
                    {"role", name_of(person.role)},
                    {"connected", person.connections > 0},
                    {"locked", locked.contains(person.id)}});
  return {
      {"push", "people"}, {"people", std::move(list)}, {"names", shows_names}, {"link", link}, {"code", people.code()}};
}

}  // namespace perturb
