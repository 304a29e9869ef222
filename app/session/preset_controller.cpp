#include "app/session/preset_controller.h"

#include <filesystem>
#include <utility>

#include "app/i18n/language.h"
#include "app/i18n/utf8.h"
#include "app/io/preset/preset_writer.h"
#include "app/io/preset/scenes.h"
#include "app/io/preset/user_presets.h"
#include "app/session/browsing.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

// The scene with all choices, drawings and dropped objects since its start: a restart would begin like this.
Scene scene_as_preset(const Experiment& experiment) {
  const Start& start = experiment.start();
  if (start.state || !start.input.empty())
    throw InputError(
        "This run goes on from a saved state or a text, which a preset cannot hold: save its state instead (Ctrl + "
        "S).");
  Scene scene = experiment.scene();
  scene.view = experiment.shown().view, scene.camera = experiment.shown().camera;
  for (const Event& event : experiment.log())
    if (const auto* action = std::get_if<Action>(&event.change)) scene.setup.actions.push_back(*action);
  return scene;
}

}  // namespace

bool PresetController::handle(UiCommand command) {
  if (command != UiCommand::save_preset) return false;
  state_.preset = {};
  state_.preset.just_opened = true;
  fill_field(state_.preset.title, tr("My {}", tr(client_.run().scene->title)));
  state_.overlay = Overlay::save_preset;
  return true;
}

void PresetController::handle(const SavePreset& request) {
  if (request.title.find_first_not_of(' ') == std::string::npos) {
    state_.preset.error = "A preset needs a title: type one.";
    return;
  }
  const auto write = [title = request.title, folder = user_presets_folder(),
                      pace = pace_.requested()](const Experiment& experiment) {
    Scene scene = scene_as_preset(experiment);
    scene.title = title;
    scene.steps_per_frame = pace;
    return save_preset(std::move(scene), folder.empty() ? folder : folder + "/" + experiment.info().id);
  };
  client_.post(job::Inspect{write}, [this](JobResult& result) {
    try {
      result.check();
    } catch (const Error& error) {
      state_.preset.error = error.what();
      return;
    }
    add_recent(state_.browsing, result.text);
    if (state_.overlay == Overlay::save_preset) state_.overlay = Overlay::none;
    const std::filesystem::path path(result.text);
    client_.show_message("Preset saved: " + path.filename().string() + " in " + path.parent_path().string());
  });
}

}  // namespace perturb
