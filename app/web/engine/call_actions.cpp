// Calls that change the run.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/run/pointer_segment.h"
#include "app/run/run_status.h"
#include "app/web/engine/calls.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

const Tool& tool_called(const SimulationInfo& info, const std::string& id) {
  for (const Tool& tool : info.tools)
    if (tool.id == id) return tool;
  throw InputError("There is no tool \"{}\"{}", id, did_you_mean(id, ids_of(info.tools), ": choose another."));
}

Gesture::Phase phase_called(const std::string& word) {
  if (word == "press") return Gesture::Phase::press;
  if (word == "move") return Gesture::Phase::move;
  if (word == "release") return Gesture::Phase::release;
  if (word == "scroll") return Gesture::Phase::scroll;
  throw InputError("Unknown gesture phase \"{}\". Use press, move, release or scroll.", word);
}

WebJson words_and_status(WebRun& web, const Message& words) {
  return {{"words", json_of(words)}, {"status", status_of_run(web)}};
}

}  // namespace

// Same rule as in the window: the part of a pointer move inside the domain counts, and a press outside is ignored.
WebJson call_gesture(WebRun& web, const WebJson& args) {
  const SimulationInfo& info = web.experiment().info();
  const Tool& tool = tool_called(info, text_in(args, "tool"));
  web.require_tool(tool.id);
  Gesture gesture;
  gesture.tool = tool.id;
  gesture.phase = phase_called(text_in(args, "phase"));
  gesture.button = text_in(args, "button", "left") == "right" ? Gesture::Button::right : Gesture::Button::left;
  gesture.shift = bool_in(args, "shift", false);
  gesture.control = bool_in(args, "control", false);
  gesture.scroll = number_in(args, "scroll", 0);
  const std::shared_ptr<const RunStatus> now = web.status();
  for (const ValueInfo& field : tool.brush) gesture.brush[field.id] = now->initial_of(field);
  if (const WebJson* brush = find_in(args, "brush"))
    for (const auto& [id, value] : brush->items()) {
      const auto field =
          std::find_if(tool.brush.begin(), tool.brush.end(), [&id = id](const ValueInfo& one) { return one.id == id; });
      if (field == tool.brush.end()) throw InputError("The tool \"{}\" has no \"{}\". Omit it.", tool.id, id);
      gesture.brush[id] = value_from(*field, value);
    }
  const auto side = [&](const char* key) { return static_cast<int>(int_in(args, key, 1, 100000)); };
  const int width = side("width"), height = side("height");
  // An immediate tool acts on everything: in the middle, which may be outside the view.
  const Camera::Point here = tool.immediate
                                 ? Camera::Point{0.5, 0.5}
                                 : web.shared.position_of(number_in(args, "x"), number_in(args, "y"), width, height);
  gesture.pixel = Camera::units_per_pixel(width, height, now->domain_width, now->domain_height,
                                          web.experiment().shown().camera.zoom);
  // The previous position of the gesture and its start, if the page passes them; otherwise those of the previous calls.
  const auto pixel = [&](const char* key, Camera::Point& place) {
    if (const WebJson* given = find_in(args, key))
      place = web.shared.position_of(given->at(0).get<double>(), given->at(1).get<double>(), width, height);
  };
  pixel("previous", web.last);
  pixel("start", web.pressed);

  WebJson actions = WebJson::array();
  Camera::Point from = here, to = here;
  bool has_effect = true;
  switch (gesture.phase) {
    case Gesture::Phase::press:
    case Gesture::Phase::scroll:
      has_effect = is_in_domain(here);
      web.pressed = here;
      break;
    case Gesture::Phase::move: {
      const auto inside = clip_to_domain(web.last, here);
      has_effect = inside.has_value();
      if (inside) {
        from = inside->from;
        to = inside->to;
      }
      break;
    }
    case Gesture::Phase::release:
      from = to = {std::clamp(here.x, 0.0, 1.0), std::clamp(here.y, 0.0, 1.0)};
      break;
  }
  web.last = here;
  if (gesture.phase == Gesture::Phase::release) web.gesture.reset();
  if (has_effect) {
    gesture.x = to.x;
    gesture.y = to.y;
    gesture.previous_x = from.x;
    gesture.previous_y = from.y;
    gesture.start_x = web.pressed.x;
    gesture.start_y = web.pressed.y;
    for (const Action& action : web.run_job(job::ApplyGesture{gesture}).actions)
      actions.push_back(json_of_action(info, action));
    if (gesture.phase == Gesture::Phase::press || gesture.phase == Gesture::Phase::move) web.gesture = gesture;
  }
  return {{"actions", std::move(actions)}, {"inside", has_effect}, {"status", status_of_run(web)}};
}

WebJson call_act(WebRun& web, const WebJson& args) {
  const SimulationInfo& info = web.experiment().info();
  Action action = action_from(info, require_in(args, "action"));
  web.require_action(info, action);
  web.run_job(job::ApplyAction{std::move(action), bool_in(args, "merge_with_last", false)});
  return status_of_run(web);
}

// Drags a handle of an object to a pixel of the view, with the same rule as in the window. "start", the pixel of the
// press, begins the drag; the calls that follow continue it. "end" ends it: until then, no other client can change the
// object.
WebJson call_drag_object(WebRun& web, const WebJson& args) {
  web.require_objects();
  const auto side = [&](const char* key) { return static_cast<int>(int_in(args, key, 1, 100000)); };
  const int width = side("width"), height = side("height");
  const std::shared_ptr<const RunStatus> now = web.status();
  const RunStatus& run = *now;
  if (const WebJson* start = find_in(args, "start")) {
    web.end_drag();
    const auto id = static_cast<int>(int_in(args, "object", 1, std::numeric_limits<int>::max()));
    const SceneObject& object = object_of({remove_object_kind, {{object_field, id}}, {}, {}}, run.objects);
    const auto last_handle = static_cast<std::int64_t>(object.handles.size()) - 1;
    const auto handle = static_cast<std::size_t>(int_in(args, "handle", 0, last_handle));
    web.experiment().hold_object(object.id, web.number);
    web.object_drag = {object,
                       object.handles.at(handle),
                       web.shared.position_of(start->at(0).get<double>(), start->at(1).get<double>(), width, height),
                       {},
                       bool_in(args, "merge_with_last", false)};
  }
  // The run was replaced or undone during the drag.
  if (!web.object_drag) return status_of_run(web);
  WebRun::ObjectDrag& drag = *web.object_drag;
  const Camera::Point to = web.shared.position_of(number_in(args, "x"), number_in(args, "y"), width, height);
  Action action =
      dragged(drag.object, drag.handle, drag_distance(drag.handle.x, to.x - drag.from.x),
              drag_distance(drag.handle.y, to.y - drag.from.y), run.domain_width, run.domain_height, run.info->actions);
  if (action != drag.last) {
    drag.last = action;
    web.run_job(job::ApplyAction{std::move(action), drag.merges});
    drag.merges = true;
  }
  if (bool_in(args, "end", false)) web.end_drag();
  return status_of_run(web);
}

WebJson call_set(WebRun& web, const WebJson& args) {
  const SimulationInfo& info = web.experiment().info();
  job::SetParameters job;
  job.merge_with_last = bool_in(args, "merge_with_last", false);
  WebJson errors = WebJson::object();
  const ParameterSet table(info.parameters, nullptr);  // for look-up only, never set
  for (const auto& [id, value] : require_in(args, "changes").items()) {
    try {
      const Parameter& p = table.find(id);
      web.require_parameter(p);
      job.changes.push_back({id, value_from(p, value)});
    } catch (const InputError& error) {
      errors[id] = json_in_shown_units(web, error.message());
    }
  }
  const JobResult result = web.run_job(std::move(job));
  for (const auto& [id, why] : result.errors) errors[id] = json_in_shown_units(web, why);
  return {{"errors", std::move(errors)}, {"status", status_of_run(web)}};
}

// Drives the frequency by "samples" of the microphone, at "rate" per second. "pitch": in Hz, 0 for no tone.
WebJson call_sing(WebRun& web, const WebJson& args) {
  std::vector<float> samples;
  for (const WebJson& sample : require_in(args, "samples")) samples.push_back(sample.get<float>());
  const std::shared_ptr<const RunStatus> now = web.status();
  const std::optional<ParameterChange> change = web.singing.take(*now, samples, number_in(args, "rate"));
  if (change) {
    // Changes in a row are one undo step, as those of the wheel.
    const Parameter& p = *find_parameter(now->info->parameters, change->id);
    web.require_parameter(p);
    const JobResult result = web.run_job(job::SetParameters{{*change}, now->next_undo == Message(p.label)});
    for (const auto& [id, why] : result.errors) throw InputError(why);
  }
  return {{"pitch", web.singing.pitch().value_or(0)}, {"status", status_of_run(web)}};
}

WebJson call_restart(WebRun& web, const WebJson& args) {
  web.shared.end_drags();
  web.run_job(job::Restart{bool_in(args, "keep_built", false)});
  web.shared.rewind_lessons();
  return status_of_run(web);
}

WebJson call_undo(WebRun& web, const WebJson&) {
  web.shared.end_drags();
  const Message words = web.run_job(job::Undo{}).message;
  web.shared.rewind_lessons();
  return words_and_status(web, words);
}

WebJson call_redo(WebRun& web, const WebJson&) {
  web.shared.end_drags();
  return words_and_status(web, web.run_job(job::Redo{}).message);
}

// Goes to "step" of the past that is kept, or a part of the way: the page calls it again until the run is there.
WebJson call_return_to_step(WebRun& web, const WebJson& args) {
  web.shared.end_drags();
  web.run_job(job::ReturnToStep{int_in(args, "step", 0, std::numeric_limits<std::int64_t>::max())});
  web.shared.rewind_lessons();
  return status_of_run(web);
}

WebJson call_restore_last_good(WebRun& web, const WebJson&) {
  if (!web.status()->can_restore_last_good)
    throw InputError("Cannot restore an earlier state: there is none. Restart the scene.");
  web.shared.end_drags();
  web.run_job(job::RestoreLastGood{});
  return status_of_run(web);
}

// Takes as long as some replays since the last good state. The status then has the remedy, if one was found.
WebJson call_find_remedy(WebRun& web, const WebJson&) {
  web.run_job(job::FindRemedy{});
  return status_of_run(web);
}

WebJson call_apply_remedy(WebRun& web, const WebJson&) {
  if (!web.status()->remedy) throw InputError("There is no change to apply. Restart the scene.");
  web.run_job(job::ApplyRemedy{});
  return status_of_run(web);
}

// Adds an object of a kind that the status lists in `placeable`, about a point in fractions of the domain; without one
// in the middle of the view, as in the window.
WebJson call_place(WebRun& web, const WebJson& args) {
  web.require_objects();
  const Camera& camera = web.experiment().shown().camera;
  CurvePoint at = free_position(web.status()->objects, camera.center_x, camera.center_y);
  at = {number_in(args, "x", at.x), number_in(args, "y", at.y)};
  web.run_job(job::PlaceObject{text_in(args, "kind"), at.x, at.y});
  return status_of_run(web);
}

// Restarts the scene with another width, such as the number of fibers.
WebJson call_count(WebRun& web, const WebJson& args) {
  const Scene& scene = web.experiment().scene();
  if (web.lesson) throw InputError("{} is fixed in this step of the lesson.", Message(scene.count.label));
  web.shared.end_drags();
  web.run_job(job::Restart{false, static_cast<int>(int_in(args, "value", 1, std::numeric_limits<int>::max()))});
  web.shared.has_chosen_width = true;
  web.shared.seconds_per_step = 0;
  return status_of_run(web);
}

WebJson call_kernel(WebRun& web, const WebJson& args) {
  const std::string id = text_in(args, "id");
  web.require_kernel(id);
  web.run_job(ChooseKernel{id});
  web.shared.seconds_per_step = 0;
  return status_of_run(web);
}

}  // namespace perturb
