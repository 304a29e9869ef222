// Files, whose bytes the page hands over: a saved state, and the run as a script.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/scenes/presets.h"
#include "app/scenes/scenes.h"
#include "app/states/portable_state.h"
#include "app/states/script_file.h"
#include "app/web/calls.h"
#include "app/web/request.h"
#include "cuda/core/check.h"

namespace perturb {

WebEngine::Json WebCalls::save(WebEngine& engine, const Json&) {
  const Experiment& experiment = engine.experiment();
  State state = experiment.simulation().save();
  engine.bytes_ = portable_bytes_of(state);
  return {{"bytes", engine.bytes_.size()},
          {"name", output_stem_of(experiment.setup(), experiment.simulation().steps()) + portable_state_ending}};
}

WebEngine::Json WebCalls::load(WebEngine& engine, const Json&) {
  Start start;
  try {
    State state = read_portable_state(engine.bytes_);
    // A state's word opens no file, and a scene of another version may not be here: what is told of a run looks it up.
    const std::vector<std::string> here = preset_ids(state.simulation);
    if (std::find(here.begin(), here.end(), state.preset) == here.end()) state.preset.clear();
    start.scene = scene_of(state);
    start.state = std::make_shared<const State>(std::move(state));
  } catch (const InputError& error) {
    throw InputError("The file could not be loaded: " + std::string(error.what()) + ".");
  }
  engine.bytes_.clear();
  engine.begin(std::move(start), "");
  engine.lesson_.reset();
  return facts_of_run(engine);
}

WebEngine::Json WebCalls::script(WebEngine& engine, const Json&) { return {{"text", script_of(engine.experiment())}}; }

}  // namespace perturb
