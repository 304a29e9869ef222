// The calls of the engine: a table of records, and what its files have in common.
#pragma once

#include <string>

#include "app/web/engine.h"

namespace perturb {

struct WebCall {
  const char* name;
  WebEngine::Json (*handler)(WebEngine& engine, const WebEngine::Json& with);
};

// The handlers, which may reach into the engine. Each throws InputError for what is wrong in `with`, and then the run
// is as it was.
struct WebCalls {
  using Json = WebEngine::Json;
  // call_tables.cpp
  static Json catalog(WebEngine& engine, const Json& with);
  static Json add_texts(WebEngine& engine, const Json& with);
  static Json translate(WebEngine& engine, const Json& with);
  static Json verify(WebEngine& engine, const Json& with);
  // call_open.cpp
  static Json open(WebEngine& engine, const Json& with);
  static Json scene(WebEngine& engine, const Json& with);
  static Json facts(WebEngine& engine, const Json& with);
  // call_look.cpp
  static Json advance(WebEngine& engine, const Json& with);
  static Json look(WebEngine& engine, const Json& with);
  static Json view(WebEngine& engine, const Json& with);
  static Json locate(WebEngine& engine, const Json& with);
  static Json describe(WebEngine& engine, const Json& with);
  // call_deeds.cpp
  static Json gesture(WebEngine& engine, const Json& with);
  static Json act(WebEngine& engine, const Json& with);
  static Json set(WebEngine& engine, const Json& with);
  static Json restart(WebEngine& engine, const Json& with);
  static Json undo(WebEngine& engine, const Json& with);
  static Json redo(WebEngine& engine, const Json& with);
  static Json go_back(WebEngine& engine, const Json& with);
  static Json kernel(WebEngine& engine, const Json& with);
  // call_files.cpp
  static Json save(WebEngine& engine, const Json& with);
  static Json load(WebEngine& engine, const Json& with);
  static Json script(WebEngine& engine, const Json& with);
  // call_lessons.cpp
  static Json lesson_open(WebEngine& engine, const Json& with);
  static Json lesson_step(WebEngine& engine, const Json& with);
  static Json lesson_answer(WebEngine& engine, const Json& with);
  static Json lesson_look(WebEngine& engine, const Json& with);
  static Json lesson_close(WebEngine& engine, const Json& with);

  static Json facts_of_run(WebEngine& engine);
  // The view and the camera, with the changes that `with` asks for.
  static ViewChange view_from(const SimulationInfo& info, ViewChange shown, const Json& with);
  static Json json_of_view(const ViewChange& shown, const ViewSettings& resolved);
};

}  // namespace perturb
