// What there is to choose from, in the words of the tables; texts in another language; the theory checks.
#include <cmath>
#include <cstdio>

#include "app/lessons/lesson_shelf.h"
#include "app/tables/tables_json.h"
#include "app/text/language.h"
#include "app/web/calls.h"
#include "app/web/request.h"
#include "cuda/core/catalog.h"
#include "cuda/core/check.h"

namespace perturb {

namespace {

// Whether there are both colours of its ends and a middle that is unlike them is for the page to see: all colours.
std::string colors_in_hex(const Colormap& map) {
  std::string all;
  char hex[8];
  for (const std::uint32_t color : map.colors) {
    std::snprintf(hex, sizeof hex, "%02X%02X%02X", color & 0xFFu, color >> 8 & 0xFFu, color >> 16 & 0xFFu);
    all += hex;
  }
  return all;
}

}  // namespace

WebEngine::Json WebCalls::catalog(WebEngine& engine, const Json&) {
  Json json = {{"version", PERTURB_VERSION},
               {"simulations", Json::array()},
               {"colormaps", Json::array()},
               {"lessons", Json::array()},
               {"languages", Json::array()}};
  for (const SimulationInfo* info : perturb::catalog()) json["simulations"].push_back(json_of_simulation(*info));
  for (const Colormap& map : colormaps()) json["colormaps"].push_back({{"id", map.id}, {"colors", colors_in_hex(map)}});
  for (const auto& lesson : all_lessons().lessons)
    json["lessons"].push_back({{"path", lesson->path()},
                               {"simulation", lesson->simulation},
                               {"title", lesson->title},
                               {"summary", lesson->summary},
                               {"scene", lesson->steps.front().scene.setup.preset.empty()
                                             ? ""
                                             : lesson->simulation + "/" + lesson->steps.front().scene.setup.preset},
                               {"steps", lesson->steps.size()}});
  for (const LanguageName& one : languages()) json["languages"].push_back({{"id", one.id}, {"name", one.name}});
  json["compute"] = {{"threads", engine.backend_->threads()}};
  return json;
}

WebEngine::Json WebCalls::add_texts(WebEngine&, const Json& with) {
  perturb::add_texts(text_in(with, "language"), text_in(with, "texts"));
  return Json::object();
}

WebEngine::Json WebCalls::translate(WebEngine&, const Json& with) {
  use_language(text_in(with, "language"));
  const Json& texts = require_in(with, "texts");
  if (!texts.is_array()) throw InputError("\"texts\" should be a list: check what is asked for.");
  Json json = {{"texts", Json::array()}};
  for (const Json& text : texts) json["texts"].push_back(text.is_string() ? Json(tr(text.get<std::string>())) : text);
  return json;
}

WebEngine::Json WebCalls::verify(WebEngine& engine, const Json& with) {
  const SimulationInfo& info = find_simulation(text_in(with, "simulation"));
  Json rows = Json::array();
  for (const TheoryCheck& check : info.verify(*engine.backend_, false))
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
