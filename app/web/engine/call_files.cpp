// Calls with files, whose bytes the page passes: a saved state, and the run as a script.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/io/preset/presets.h"
#include "app/io/preset/scenes.h"
#include "app/io/state/portable_state.h"
#include "app/io/state/script_file.h"
#include "app/web/engine/calls.h"
#include "cuda/core/backend/check.h"

namespace perturb {

WebJson call_save(WebRun& web, const WebJson&) {
  const Experiment& experiment = web.experiment();
  State state = experiment.simulation().save();
  web.bytes = portable_bytes_of(state);
  return {{"bytes", web.bytes.size()},
          {"name", output_stem_of(experiment.setup(), experiment.simulation().steps()) + portable_state_ending}};
}

WebJson call_load(WebRun& web, const WebJson&) {
  Start start;
  try {
    State state = read_portable_state(web.bytes);
    // The id in a state opens no file, and a scene of another version may be missing here; the status of a run looks it
    // up.
    const std::vector<std::string> here = preset_ids(state.simulation);
    if (std::find(here.begin(), here.end(), state.preset) == here.end()) state.preset.clear();
    start.scene = scene_of(state);
    start.state = std::make_shared<const State>(std::move(state));
  } catch (const InputError& error) {
    throw InputError("The file could not be loaded: " + std::string(error.what()) + ".");
  }
  web.bytes.clear();
  web.begin(std::move(start), "");
  web.lesson.reset();
  return status_of_run(web);
}

WebJson call_script(WebRun& web, const WebJson&) { return {{"text", script_of(web.experiment())}}; }

}  // namespace perturb
