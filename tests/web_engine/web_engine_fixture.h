// The page's engine, called as by the page.
#pragma once

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/web/engine/engine.h"

namespace perturb {

class WebEngineFixture : public testing::Test {
 protected:
  using Json = nlohmann::ordered_json;

  static Json call(WebEngine& engine, const std::string& name, const Json& with = Json::object()) {
    return Json::parse(engine.call(Json{{"call", name}, {"with", with}}.dump()));
  }
  // Its reply, which must not be an error.
  static Json done(WebEngine& engine, const std::string& name, const Json& with = Json::object()) {
    Json answer = call(engine, name, with);
    EXPECT_FALSE(answer.contains("error")) << name << ": " << answer.dump().substr(0, 300);
    return answer;
  }
  Json call(const std::string& name, const Json& with = Json::object()) { return call(engine_, name, with); }
  Json done(const std::string& name, const Json& with = Json::object()) { return done(engine_, name, with); }
  // Answers the question of the lesson's step, and plays until it has been measured or the run has stopped.
  Json answer_and_measure(const Json& answer) {
    done("lesson_answer", answer);
    Json now;
    do {
      done("advance", {{"steps", 400}});
      done("look", {{"curves", false}});
      now = done("lesson_look");
    } while (now["answer"]["waits"] && now["stop_reason"] == "");
    return now;
  }
  WebEngine engine_{1};
};

}  // namespace perturb
