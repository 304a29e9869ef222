#include "app/web/engine/engine.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/web/engine/calls.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/stop.h"

namespace perturb {

namespace {

struct WebCall {
  const char* name;
  WebJson (*handler)(WebRun& web, const WebJson& args);
  Role least;              // that may use it
  bool is_shared = false;  // is_shared_call()
};

WebJson call_for_person(WebRun& web, const WebJson& args);

// The calls of pupils check what the client may use of them (WebRun::require_tool and the others).
constexpr WebCall web_calls[] = {
    {"catalog", call_catalog, Role::spectator},
    {"add_texts", call_add_texts, Role::owner},  // for all languages of the program
    {"add_colors", call_add_colors, Role::owner},
    {"translate", call_translate, Role::spectator},
    {"verify", call_verify, Role::owner},  // takes minutes
    {"open", call_open, Role::teacher, true},
    {"scene", call_scene, Role::spectator},  // what a link contains, without files: a client can keep the scene
    {"status", call_status, Role::spectator},
    {"advance", call_advance, Role::owner},
    {"checksum", call_checksum, Role::owner},
    {"for_person", call_for_person, Role::owner},
    {"look", call_diagnostics, Role::spectator},  // waits for the device; of instruments it reads what all see
    {"field", call_field, Role::owner},           // addresses in memory
    {"view", call_view, Role::teacher, true},
    {"locate", call_locate, Role::spectator},
    {"overlay", call_overlay, Role::spectator},
    {"describe", call_describe, Role::spectator},
    {"gesture", call_gesture, Role::pupil, true},
    {"act", call_act, Role::pupil, true},
    {"drag_object", call_drag_object, Role::pupil, true},
    {"set", call_set, Role::pupil, true},
    {"sing", call_sing, Role::pupil},  // of the parameter that it sets
    {"restart", call_restart, Role::teacher, true},
    {"undo", call_undo, Role::teacher},
    {"redo", call_redo, Role::teacher},
    {"return_to_step", call_return_to_step, Role::teacher},
    {"restore_last_good", call_restore_last_good, Role::teacher},
    {"find_remedy", call_find_remedy, Role::teacher},  // takes as long as some replays
    {"apply_remedy", call_apply_remedy, Role::teacher},
    {"place", call_place, Role::pupil, true},
    {"count", call_count, Role::teacher},
    {"kernel", call_kernel, Role::teacher},
    {"add_instrument", call_add_instrument, Role::teacher},
    {"drag_instrument", call_drag_instrument, Role::teacher},
    {"change_instrument", call_change_instrument, Role::teacher},
    {"remove_instrument", call_remove_instrument, Role::teacher},
    {"sound", call_sound, Role::teacher},  // 48 000 numbers per second as text: for one client, not for a class
    {"use_image", call_use_image, Role::owner},
    {"save", call_save, Role::owner},
    {"load", call_load, Role::owner},
    {"script", call_script, Role::teacher},            // names the files from which a run was begun
    {"lesson_open", call_lesson_open, Role::teacher},  // of a shared run: for all
    {"lesson_step", call_lesson_step, Role::teacher},
    {"lesson_answer", call_lesson_answer, Role::pupil},  // only a teacher's may choose a kernel
    {"lesson_look", call_lesson_update, Role::spectator},
    {"lesson_sheet", call_lesson_sheet, Role::spectator},
    {"lab_report", call_lab_report, Role::spectator},  // with the client's own image
    {"lesson_close", call_lesson_close, Role::teacher},
    {"teacher_sheet", call_teacher_sheet, Role::teacher},  // it has all answers
};

const WebCall& find_call(const std::string& name) {
  for (const WebCall& call : web_calls)
    if (name == call.name) return call;
  throw InputError("There is no call \"{}\"{}", name, did_you_mean(name, names_of_calls()));
}

WebJson failure(const Message& message, const char* kind) {
  return {{"error", message.english()}, {"message", json_of(message)}, {"kind", kind}};
}

void require_role(const WebRun& web, const WebCall& call) {
  if (web.role >= call.least) return;
  if (call.least == Role::owner)
    throw InputError("A shared run does not do this: {}. Open the scene in your own page.", Message::value(call.name));
  if (call.least == Role::teacher) throw InputError("Only the teacher can do this. Ask the teacher.");
  throw InputError("You can only watch this run. Join as a pupil to take part.");
}

Role role_called(const std::string& word) {
  if (word == "spectator") return Role::spectator;
  if (word == "pupil") return Role::pupil;
  if (word == "teacher") return Role::teacher;
  throw InputError("Unknown role \"{}\". Use spectator, pupil or teacher.", word);
}

// A call of one of the people of a run that each page computes for itself (`perturb serve --lockstep`). "leave" ends
// the person's gesture, and forgets it.
WebJson call_for_person(WebRun& web, const WebJson& args) {
  require_keys_of(args, "with", {"person", "role", "tools", "parameters", "objects", "locked", "call", "with"});
  const auto number = static_cast<int>(int_in(args, "person", 1, INT32_MAX));
  const std::string name = text_in(args, "call");
  if (name == "leave") {
    if (const auto found = web.people.find(number); found != web.people.end()) {
      found->second->end_gesture();
      web.people.erase(found);
    }
    return WebJson::object();
  }
  const Role role = role_called(text_in(args, "role"));
  std::unique_ptr<WebRun>& person = web.people[number];
  if (!person || person->role != role) person = std::make_unique<WebRun>(web.shared, number, role);
  const auto ids = [&](const char* key) -> std::optional<std::set<std::string>> {
    const WebJson* list = find_in(args, key);
    if (!list) return std::nullopt;
    return list->get<std::set<std::string>>();
  };
  person->permissions = {ids("tools"), ids("parameters"), bool_in(args, "objects", true),
                         bool_in(args, "locked", false)};
  person->shows_scene_units = web.shows_scene_units;
  const WebCall& call = find_call(name);
  if (!call.is_shared) throw InputError("The call \"{}\" is not one for all.", name);
  require_role(*person, call);
  const WebJson* with = find_in(args, "with");
  return call.handler(*person, with ? *with : WebJson::object());
}

}  // namespace

bool is_shared_call(const std::string& name) {
  return std::any_of(std::begin(web_calls), std::end(web_calls),
                     [&](const WebCall& call) { return name == call.name && call.is_shared; });
}

Role least_role(const std::string& name) { return find_call(name).least; }

std::string text_of(const WebJson& json) { return json.dump(-1, ' ', false, WebJson::error_handler_t::replace); }

std::vector<std::string> names_of_calls() {
  std::vector<std::string> names;
  for (const WebCall& call : web_calls) names.emplace_back(call.name);
  return names;
}

std::string WebEngine::answer_of(const std::exception& error) {
  if (dynamic_cast<const InputError*>(&error)) return text_of(failure(message_of(error), "input"));
  if (dynamic_cast<const Error*>(&error)) return text_of(failure(message_of(error), "error"));
  if (dynamic_cast<const nlohmann::json::exception*>(&error))
    return text_of(failure("Cannot read the request. Reload the page.", "input"));
  if (dynamic_cast<const Stopped*>(&error))
    return text_of(
        failure("This took too long and was cancelled. Try again later, or make the scene smaller.", "error"));
  if (dynamic_cast<const std::bad_alloc*>(&error))
    return text_of(failure("Not enough memory. Close other tabs, or choose a smaller size.", "error"));
  return text_of(failure(Message("The engine failed ({}). Open the scene again.", std::string(error.what())), "error"));
}

std::string answer(WebRun& web, const std::string& request) {
  try {
    const WebJson json = WebJson::parse(request);
    const WebJson* args = find_in(json, "with");
    const WebCall& call = find_call(text_in(json, "call"));
    require_role(web, call);
    return text_of(call.handler(web, args ? *args : WebJson::object()));
  } catch (const InputError& error) {
    // It names the value that the page has sent.
    return text_of(failure(in_display_units(web.display_units(web.shows_scene_units), error.message()), "input"));
  } catch (const std::exception& error) {
    return WebEngine::answer_of(error);
  }
}

std::string WebEngine::call(const std::string& request) { return answer(client_, request); }

std::span<const std::uint32_t> WebEngine::paint(int width, int height) {
  error_.clear();
  try {
    return run_.paint(width, height);
  } catch (const std::exception& error) {
    error_ = answer_of(error);
  }
  return {};
}

}  // namespace perturb
