#include "app/web/engine/engine.h"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "app/web/engine/calls.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

struct WebCall {
  const char* name;
  WebJson (*handler)(WebRun& web, const WebJson& args);
};

constexpr WebCall web_calls[] = {
    {"catalog", call_catalog},
    {"add_texts", call_add_texts},
    {"add_colors", call_add_colors},
    {"translate", call_translate},
    {"verify", call_verify},
    {"open", call_open},
    {"scene", call_scene},
    {"status", call_status},
    {"advance", call_advance},
    {"look", call_diagnostics},
    {"field", call_field},
    {"view", call_view},
    {"locate", call_locate},
    {"overlay", call_overlay},
    {"describe", call_describe},
    {"gesture", call_gesture},
    {"act", call_act},
    {"drag_object", call_drag_object},
    {"set", call_set},
    {"sing", call_sing},
    {"restart", call_restart},
    {"undo", call_undo},
    {"redo", call_redo},
    {"return_to_step", call_return_to_step},
    {"restore_last_good", call_restore_last_good},
    {"find_remedy", call_find_remedy},
    {"apply_remedy", call_apply_remedy},
    {"place", call_place},
    {"count", call_count},
    {"kernel", call_kernel},
    {"add_instrument", call_add_instrument},
    {"drag_instrument", call_drag_instrument},
    {"change_instrument", call_change_instrument},
    {"remove_instrument", call_remove_instrument},
    {"sound", call_sound},
    {"use_image", call_use_image},
    {"save", call_save},
    {"load", call_load},
    {"script", call_script},
    {"lesson_open", call_lesson_open},
    {"lesson_step", call_lesson_step},
    {"lesson_answer", call_lesson_answer},
    {"lesson_look", call_lesson_update},
    {"lesson_sheet", call_lesson_sheet},
    {"lab_report", call_lab_report},
    {"lesson_close", call_lesson_close},
    {"teacher_sheet", call_teacher_sheet},
};

const WebCall& find_call(const std::string& name) {
  for (const WebCall& call : web_calls)
    if (name == call.name) return call;
  std::vector<std::string> names;
  for (const WebCall& call : web_calls) names.emplace_back(call.name);
  throw InputError("There is no call \"{}\"{}", name, did_you_mean(name, names));
}

WebJson failure(const Message& message, const char* kind) {
  return {{"error", message.english()}, {"message", json_of(message)}, {"kind", kind}};
}

// NaN and infinity become null.
std::string text_of(const WebJson& json) { return json.dump(-1, ' ', false, WebJson::error_handler_t::replace); }

}  // namespace

std::string WebEngine::answer_of(const std::exception& error) {
  if (dynamic_cast<const InputError*>(&error)) return text_of(failure(message_of(error), "input"));
  if (dynamic_cast<const Error*>(&error)) return text_of(failure(message_of(error), "error"));
  if (dynamic_cast<const nlohmann::json::exception*>(&error))
    return text_of(failure("Cannot read the request. Reload the page.", "input"));
  if (dynamic_cast<const std::bad_alloc*>(&error))
    return text_of(failure("Not enough memory. Close other tabs, or choose a smaller size.", "error"));
  return text_of(failure(Message("The engine failed ({}). Open the scene again.", std::string(error.what())), "error"));
}

std::string WebEngine::call(const std::string& request) {
  try {
    const WebJson json = WebJson::parse(request);
    const WebJson* args = find_in(json, "with");
    const WebCall& call = find_call(text_in(json, "call"));
    return text_of(call.handler(run_, args ? *args : WebJson::object()));
  } catch (const InputError& error) {
    // It names the value that the page has sent.
    return text_of(failure(in_display_units(run_.display_units(run_.shows_scene_units), error.message()), "input"));
  } catch (const std::exception& error) {
    return answer_of(error);
  }
}

std::span<const std::uint32_t> WebEngine::paint(int width, int height) {
  error_.clear();
  try {
    if (width < 1 || height < 1 || width > max_image_side || height > max_image_side)
      throw InputError("An image must have 1 to {} pixels per side.", max_image_side);
    picture_.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
    const ViewSettings view = run_.painted_view();
    run_.run_job(job::Paint{{picture_.data(), width, height, width},
                            &run_.color_table(view.colormap),
                            run_.experiment().shown().camera,
                            view});
    // The first row of Pixels is the bottom row.
    for (int j = 0; j < height / 2; ++j) {
      std::uint32_t* low = picture_.data() + static_cast<std::size_t>(j) * static_cast<std::size_t>(width);
      std::uint32_t* high =
          picture_.data() + static_cast<std::size_t>(height - 1 - j) * static_cast<std::size_t>(width);
      std::swap_ranges(low, low + width, high);
    }
    return picture_;
  } catch (const std::exception& error) {
    error_ = answer_of(error);
  }
  return {};
}

}  // namespace perturb
