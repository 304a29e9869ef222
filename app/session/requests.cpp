// What keys, buttons and panels ask for.
#include <algorithm>
#include <memory>
#include <utility>

#include "app/instruments/instrument_words.h"
#include "app/scenes/presets.h"
#include "app/scenes/scenes.h"
#include "app/session/labels.h"
#include "app/session/session.h"
#include "app/states/script_file.h"
#include "app/states/state_file.h"

namespace perturb {

void Session::do_command(UiCommand command) {
  try {
    switch (command) {
      case UiCommand::play_pause:
        state_.playing = !state_.playing;
        break;
      case UiCommand::single_step:
        state_.playing = false;
        ask(order::Advance{1, read_every_, instruments_.probed()},
            [this, generation = instruments_.generation()](Answer& answer) {
              if (generation == instruments_.generation()) instruments_.take_probed(answer.samples, read_every_);
            });
        break;
      case UiCommand::restart:
      case UiCommand::restart_keeping:
        ask(order::Restart{command == UiCommand::restart_keeping}, [this](Answer&) { meet(false); });
        break;
      case UiCommand::undo:
      case UiCommand::redo: {
        const bool back = command == UiCommand::undo;
        ask(back ? Order(order::Undo{}) : Order(order::Redo{}), [this, back](Answer& answer) {
          if (!answer.words.empty()) meet(false), undo_seconds_.push_back(answer.seconds);
          tell(!answer.words.empty() ? answer.words
               : back                ? "There is nothing to undo."
                                     : "There is nothing to do again.");
        });
        break;
      }
      case UiCommand::faster:
        pace_.faster();
        break;
      case UiCommand::slower:
        pace_.slower();
        break;
      case UiCommand::speed_unit:
        pace_.next_unit();
        break;
      case UiCommand::give_up:
        if (runner_.give_up()) {
          state_.playing = false;
          tell("The step was given up, and the run paused.");
        }
        break;
      case UiCommand::home_view:
        state_.camera = run().scene->camera;
        if (shown_quantity().in_space) raise_eye(state_.camera);
        break;
      case UiCommand::previous_scene:
      case UiCommand::next_scene:
        if (const SceneEntry* scene = neighbour_scene(scene_asked_for(), command == UiCommand::next_scene ? 1 : -1))
          carry_out(OpenScene{scene->path()});
        break;
      case UiCommand::browse:
        open_browser();
        break;
      case UiCommand::screenshot:
        wishes_.screenshot = true;
        break;
      case UiCommand::save_state:
        save();
        break;
      case UiCommand::save_state_as:
        browse_files(FileBrowsing::Purpose::save_state);
        break;
      case UiCommand::open_file:
        browse_files(FileBrowsing::Purpose::open);
        break;
      case UiCommand::output_folder:
        browse_files(FileBrowsing::Purpose::output_folder);
        break;
      case UiCommand::show_output_folder:
        show_output_folder();
        break;
      case UiCommand::copy_command_line:
        ask(order::Read{[](const Experiment& run) { return command_line_of(run); }}, [this](Answer& answer) {
          wishes_.clipboard = answer.words;
          // Its words have no blanks that a shell would split.
          for (const std::string& word : options_for(instruments_.all())) wishes_.clipboard += " " + word;
          tell("Copied: " + wishes_.clipboard);
        });
        break;
      case UiCommand::save_script:
        ask(order::Read{[folder = output_folder(Output::document),
                         more = options_for(instruments_.all())](const Experiment& run) {
              const std::string path = folder + output_stem_of(run.setup(), run.simulation().steps()) + ".toml";
              save_script(run, path, more);
              return path;
            }},
            [this](Answer& answer) { tell_written("Script saved", answer.words); });
        break;
      case UiCommand::save_preset:
        ask_for_preset_title();
        break;
      case UiCommand::measure:
        state_.panels = true;
        state_.tab = Tab::plots;
        if (state_.list_open) state_.close_lists = true;
        state_.drawer_open = true;
        break;
      case UiCommand::export_files:
        state_.overlay = state_.overlay == Overlay::export_files ? Overlay::none : Overlay::export_files;
        break;
      case UiCommand::copy_numbers:
        carry_out(Export{ExportKind::numbers});
        break;
      case UiCommand::copy_picture:
        carry_out(Export{ExportKind::picture_to_clipboard});
        break;
      case UiCommand::report:
        carry_out(Export{ExportKind::report});
        break;
      case UiCommand::film:
        carry_out(StartFilm{});
        break;
      case UiCommand::toggle_panels:
        state_.panels = !state_.panels;
        state_.bare_color_bar = state_.presentation = false;
        break;
      case UiCommand::toggle_color_bar: {
        bool& bar = state_.panels ? state_.color_bar : state_.bare_color_bar;
        bar = !bar;
        break;
      }
      case UiCommand::show_offered:
        if (!state_.offer.quantity.empty()) show_quantity(state_.offer.quantity);
        break;
      case UiCommand::presentation:
        state_.presentation = !state_.presentation;
        state_.panels = !state_.presentation;
        state_.bare_color_bar = state_.presentation;
        state_.hint = false;
        break;
      case UiCommand::fullscreen:
        wishes_.toggle_fullscreen = true;
        break;
      case UiCommand::describe:
        ask(order::Describe{resolved_view()}, [this](Answer& answer) { tell(answer.words); });
        break;
      case UiCommand::help:
        state_.overlay = state_.overlay == Overlay::help ? Overlay::none : Overlay::help;
        break;
      case UiCommand::about_scene: {
        const bool open = state_.overlay == Overlay::help && state_.help_page == scene_help_page;
        state_.overlay = open ? Overlay::none : Overlay::help;
        state_.help_page = scene_help_page;
        break;
      }
      case UiCommand::lessons:
        state_.overlay = Overlay::help;
        state_.help_page = lessons_help_page;
        break;
      case UiCommand::previous_step:
        if (lesson_ && !lesson_->is_first()) go_to_step(lesson_->index() - 1);
        break;
      case UiCommand::next_step:
        if (lesson_ && !lesson_->is_last()) go_to_step(lesson_->index() + 1);
        break;
      case UiCommand::larger_text:
        state_.text_scale = std::min(most_text_scale, state_.text_scale * 1.1);
        break;
      case UiCommand::smaller_text:
        state_.text_scale = std::max(least_text_scale, state_.text_scale / 1.1);
        break;
      case UiCommand::focus_panel:
        state_.focus_panel = state_.keys_in_panel = true;
        if (!state_.panels) do_command(UiCommand::toggle_panels);
        state_.crosshair.reset();
        break;
      case UiCommand::close_overlay:
        // The topmost first. A list lies over everything; ImGui closes it too, where it has the keyboard.
        state_.keys_in_panel = false;
        if (state_.list_open)
          state_.close_lists = true;
        else if (state_.film)
          wishes_.end_film = true;
        else if (state_.placing)
          state_.placing.reset();
        else if (state_.overlay != Overlay::none)
          state_.overlay = Overlay::none;
        else if (state_.instrument != 0)
          state_.instrument = 0;
        else if (state_.note_failed)
          state_.note.clear(), state_.note_failed = false;
        else if (state_.drawer_open)
          state_.drawer_open = false;
        else if (!state_.plots_apart.empty())
          state_.plots_apart.pop_back();
        else if (state_.crosshair)
          state_.crosshair.reset();
        else if (state_.presentation)
          do_command(UiCommand::presentation);
        else
          state_.hint = false;
        break;
      case UiCommand::quit:
        wishes_.quit = true;
        break;
    }
  } catch (const Error& error) {
    tell_failure(error.what());
  }
}

void Session::save() {
  ask(order::Read{[folder = output_folder(Output::document)](const Experiment& run) {
        State state = run.simulation().save();
        if (state.preset.empty()) state.preset = run.setup().preset;
        const std::string path = folder + output_stem_of(run.setup(), run.simulation().steps()) + ".h5";
        save_state(state, path);
        return path;
      }},
      [this](Answer& answer) { tell_written("State saved", answer.words); });
}

std::string Session::scene_asked_for() const {
  return opening_.empty() ? run().scene->setup.simulation + "/" + run().scene->setup.preset : opening_.back();
}

void Session::open(const std::string& path, std::function<Start()> start, Then then) {
  opening_.push_back(path);
  post(order::Open{std::move(start)}, [this, then = std::move(then)](Answer& answer) {
    opening_.pop_front();
    then(answer);
  });
}

// Together one deed. One that needs a restart takes the others' new values with it.
void Session::set_parameters(std::vector<ParameterChange> changes, bool goes_on) {
  if (changes.empty()) return;
  bool restarts = false;
  for (const ParameterChange& change : changes) {
    state_.refusals.erase(change.id);
    for (const Parameter& p : info().parameters)
      restarts = restarts || (p.id == change.id && p.apply == Apply::restart);
  }
  changing_ = changes.back().id;
  post(order::SetParameters{std::move(changes), goes_on}, [this, restarts](Answer& answer) {
    answer.check();
    if (restarts && answer.refusals.empty()) meet(false);
    for (const auto& [id, why] : answer.refusals) {
      if (id == changing_) changing_.clear();
      state_.refusals[id] = in_labels(why, info().parameters);
    }
  });
}

void Session::carry_out(const Request& request) {
  if (const auto* command = std::get_if<UiCommand>(&request)) {
    do_command(*command);
  } else if (const auto* change = std::get_if<ParameterChange>(&request)) {
    if (parameter_is_open(change->id))
      set_parameters({*change}, changing_ == change->id);
    else
      state_.refusals[change->id] = "This step of the lesson keeps it as it is.";
  } else if (const auto* scene = std::get_if<OpenScene>(&request)) {
    close_lesson();
    const auto start = [path = scene->path] {
      Start begin;
      begin.scene = load_scene(path);
      return begin;
    };
    // From now on, not from when it is there: who pauses in between wants it paused.
    state_.playing = !state_.reduced_motion;
    open(scene->path, start, [this](Answer& answer) {
      try {
        answer.check();
        meet(true);
      } catch (const Error& error) {
        tell_failure(error.what());
      }
    });
  } else if (const auto* file = std::get_if<OpenState>(&request)) {
    const auto start = [path = file->path] {
      Start begin;
      begin.state = std::make_shared<const State>(load_state(path));
      begin.scene = scene_of(*begin.state);
      begin.load = path;
      return begin;
    };
    open(file->path, start, [this, path = file->path](Answer& answer) {
      try {
        answer.check();
        close_lesson();
        meet(true);
        state_.hint = false;
        if (state_.overlay == Overlay::files) state_.overlay = Overlay::none;
        is_rescued(path);
        tell("Going on from " + path + " at step " + std::to_string(run().steps));
      } catch (const Error& error) {
        if (state_.overlay == Overlay::files)
          state_.files.error = error.what();
        else
          tell_failure(error.what());
      }
    });
  } else if (const auto* kernel = std::get_if<ChooseKernel>(&request)) {
    ask(*kernel, [this](Answer&) { pace_.forget(); });
  } else if (const auto* quantity = std::get_if<ShowQuantity>(&request)) {
    show_quantity(quantity->id);
  } else if (std::holds_alternative<ResetParameters>(request)) {
    // Live ones first: one that needs a restart takes the others' new values with it.
    std::vector<ParameterChange> live, restarting;
    for (std::size_t k = 0; k < run().parameters.size(); ++k) {
      const Parameter& p = info().parameters[k];
      if (run().parameters[k] != default_of(p) && parameter_is_open(p.id))
        (p.apply == Apply::live ? live : restarting).push_back({p.id, default_of(p)});
    }
    live.insert(live.end(), restarting.begin(), restarting.end());
    set_parameters(std::move(live), false);
    changing_.clear();
  } else if (std::holds_alternative<GoBack>(request)) {
    state_.playing = false;  // the cause may still be there: the user looks first
    ask(order::GoBack{}, [this](Answer&) { meet(false); });
  } else if (const auto* lesson = std::get_if<OpenLesson>(&request)) {
    open_lesson(lesson->lesson);
  } else if (const auto* step = std::get_if<GoToStep>(&request)) {
    if (lesson_) go_to_step(step->index);
  } else if (const auto* answer = std::get_if<AnswerQuestion>(&request)) {
    answer_question(*answer);
  } else if (const auto* any = std::get_if<OpenFile>(&request)) {
    open_file(any->path);
  } else if (const auto* image = std::get_if<UseImage>(&request)) {
    try {
      use_image(image->kind);
    } catch (const Error& error) {
      state_.overlay = Overlay::none;
      tell_failure(error.what());
    }
  } else if (const auto* as = std::get_if<SaveStateAs>(&request)) {
    save_state_as(as->path);
  } else if (const auto* list = std::get_if<ListFolder>(&request)) {
    list_files_in(list->folder);
  } else if (const auto* folder = std::get_if<ChooseOutputFolder>(&request)) {
    state_.output_folder = folder->folder;
    if (state_.overlay == Overlay::files) state_.overlay = Overlay::none;
    tell("Pictures and files go to " + folder->folder + " from now on.");
  } else if (const auto* preset = std::get_if<SavePreset>(&request)) {
    save_as_preset(preset->title);
  } else if (std::holds_alternative<CloseLesson>(request)) {
    close_lesson();
  } else if (!hear_instruments(request)) {
    hear_exports(request);
  }
}

}  // namespace perturb
