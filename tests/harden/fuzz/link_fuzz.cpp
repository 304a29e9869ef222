// Fuzzes links of the page: the JSON arguments of "open", followed by the calls that the page makes for every run.
#include <nlohmann/json.hpp>

#include "app/web/engine/engine.h"
#include "tests/harden/fuzz/fuzz.h"

namespace {

using Json = nlohmann::ordered_json;

// Reduces sizes and other parameters that make a run large.
void make_small(Json& with) {
  if (!with.is_object()) return;
  with["width"] = 24;
  with["height"] = 16;
  if (auto parameters = with.find("parameters"); parameters != with.end() && parameters->is_object())
    for (auto& [id, value] : parameters->items())
      if (value.is_number() && value.get<double>() > 4) value = 4;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace perturb;
  // The page itself rejects deeply nested input before the call.
  std::size_t brackets = 0;
  for (std::size_t k = 0; k < size; ++k) brackets += data[k] == '[' || data[k] == '{' ? 1 : 0;
  if (brackets > 200) return 0;
  static WebEngine engine(1);
  Json with = Json::parse(fuzz::text_of(data, size), nullptr, false);
  if (with.is_discarded()) {
    engine.call(std::string(fuzz::text_of(data, size)));  // returns an error: not readable
    return 0;
  }
  make_small(with);
  const Json request = {{"call", "open"}, {"with", with}};
  const std::string answer = engine.call(request.dump(-1, ' ', false, Json::error_handler_t::replace));
  const Json said = Json::parse(answer);  // throws, and ends the target, if it is not JSON
  if (const auto error = said.find("error"); error != said.end()) {
    fuzz::require_plain(error->get<std::string>());
    return 0;
  }
  engine.call(R"({"call": "advance", "with": {"steps": 1}})");
  engine.call(R"({"call": "scene"})");
  engine.paint(8, 8);
  return 0;
}
