// Calls for the tables of choices, for translations, and for the theory checks.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "app/commands/commands.h"
#include "app/i18n/language.h"
#include "app/lessons/lesson_library.h"
#include "app/run/mark_style.h"
#include "app/run/pace_limits.h"
#include "app/run/run_text.h"
#include "app/tables/tables_json.h"
#include "app/web/engine/calls.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/catalog.h"

namespace perturb {

namespace {

// All colours, because the page decides whether the colormap has two end colours and a different middle.
std::string colors_in_hex(const Colormap& map) {
  std::string all;
  char hex[8];
  for (const std::uint32_t color : map.colors) {
    std::snprintf(hex, sizeof hex, "%02X%02X%02X", color & 0xFFu, color >> 8 & 0xFFu, color >> 16 & 0xFFu);
    all += hex;
  }
  return all;
}

WebJson json_of(const Colormap& map) { return {{"id", map.id}, {"colors", colors_in_hex(map)}}; }

// The commands that have a key on the page. `shown_key`: for a button; `shown_keys`: for the help.
WebJson json_of_commands() {
  WebJson json = WebJson::array();
  for (const CommandInfo& command : command_table()) {
    const std::vector<std::string> keys = split_chords(command.page_keys);
    if (keys.empty()) continue;
    json.push_back({{"name", command.name},
                    {"keys", keys},
                    {"shown_key", json_of(shown_chord(keys.front()))},
                    {"shown_keys", json_of(shown_chords(command.page_keys))},
                    {"group", command.group},
                    {"label", command.label},
                    {"repeats", command.repeats}});
  }
  return json;
}

std::string css_color(std::uint32_t color) {
  char text[10];
  std::snprintf(text, sizeof text, "#%02X%02X%02X%02X", color & 0xFFu, color >> 8 & 0xFFu, color >> 16 & 0xFFu,
                color >> 24);
  return text;
}

// Marks that the page draws over the view as the window does.
WebJson json_of_mark_style() {
  WebJson positions = WebJson::array();
  for (const auto& [step, right, below] : label_positions)
    positions.push_back({{"step", step}, {"right", right}, {"below", below}});
  return {{"theory_ink", css_color(theory_ink)},
          {"measured_ink", css_color(measured_ink)},
          {"mark_shade", css_color(mark_shade)},
          {"label_fill", css_color(label_fill)},
          {"knob_ink", css_color(knob_ink)},
          {"knob_shade", css_color(knob_shade)},
          {"instrument_ink", css_color(instrument_ink)},
          {"selected_ink", css_color(selected_ink)},
          {"glyph_inks",
           {{"subject", css_color(subject_ink)},
            {"neighbour", css_color(theory_ink)},
            {"result", css_color(measured_ink)},
            {"boundary", css_color(boundary_ink)}}},
          {"label_gap", label_gap},
          {"label_padding", label_padding},
          {"label_positions", positions}};
}

}  // namespace

WebJson call_catalog(WebRun& web, const WebJson&) {
  WebJson json = {{"version", PERTURB_VERSION},  {"simulations", WebJson::array()}, {"colormaps", WebJson::array()},
                  {"lessons", WebJson::array()}, {"languages", WebJson::array()},   {"commands", json_of_commands()}};
  for (const SimulationInfo* info : perturb::catalog()) json["simulations"].push_back(json_of_simulation(*info));
  for (const Colormap& map : colormaps()) json["colormaps"].push_back(json_of(map));
  for (const auto& lesson : all_lessons().lessons) {
    if (lesson->needs_window()) continue;
    json["lessons"].push_back({{"path", lesson->path()},
                               {"simulation", lesson->simulation},
                               {"title", lesson->title},
                               {"summary", lesson->summary},
                               {"scene", lesson->steps.front().scene.setup.preset.empty()
                                             ? ""
                                             : lesson->simulation + "/" + lesson->steps.front().scene.setup.preset},
                               {"steps", lesson->steps.size()}});
  }
  for (const LanguageName& one : languages()) json["languages"].push_back({{"id", one.id}, {"name", one.name}});
  json["gauge_span"] = gauge_span;
  json["marks"] = json_of_mark_style();
  json["pace"] = {{"max_steps", pace_limits::max_steps},
                  {"min_rate", pace_limits::min_rate},
                  {"max_rate", pace_limits::max_rate},
                  {"max_due_seconds", pace_limits::max_due_seconds}};
  json["compute"] = {{"threads", web.shared.backend().threads()}};
  return json;
}

WebJson call_add_texts(WebRun&, const WebJson& args) {
  perturb::add_texts(text_in(args, "language"), text_in(args, "texts"));
  return WebJson::object();
}

WebJson call_add_colors(WebRun&, const WebJson& args) {
  const std::string name = text_in(args, "name");
  if (!is_own_colormap(name)) throw InputError("A file of colours needs a name with an ending, such as .csv.");
  return json_of(add_colormap(parse_colormap(name, text_in(args, "text"))));
}

WebJson call_translate(WebRun&, const WebJson& args) {
  use_language(text_in(args, "language"));
  use_front_end({});  // the page chooses (textForDevice in i18n.js)
  const WebJson& texts = require_in(args, "texts");
  if (!texts.is_array()) throw InputError("\"texts\" must be a list. Reload the page.");
  WebJson json = {{"texts", WebJson::array()}};
  for (const WebJson& text : texts)
    json["texts"].push_back(text.is_string() ? WebJson(tr(text.get<std::string>())) : text);
  use_front_end(FrontEnd::page);  // for pages for paper
  return json;
}

WebJson call_verify(WebRun& web, const WebJson& args) {
  const SimulationInfo& info = find_simulation(text_in(args, "simulation"));
  WebJson rows = WebJson::array();
  for (const TheoryCheck& check : info.verify(web.shared.backend(), false))
    rows.push_back({{"name", check.name},
                    {"unit", check.unit},
                    {"expected", check.expected},
                    {"got", check.got},
                    {"error", check.error},
                    {"tolerance", check.tolerance},
                    {"pass", check.pass() && std::isfinite(check.error)},
                    {"note", check.note}});
  return {{"rows", rows}};
}

}  // namespace perturb
