// Files: opened by name or dropped on the window, saved where the user wants them, and the folder that they go to.
#include <cstdio>
#include <filesystem>

#include "app/files/desktop.h"
#include "app/lessons/lesson_shelf.h"
#include "app/pictures/image.h"
#include "app/scenes/file_kind.h"
#include "app/scenes/presets.h"
#include "app/scenes/scenes.h"
#include "app/session/session.h"
#include "app/session/unseen.h"
#include "app/states/state_file.h"
#include "cuda/core/check.h"

namespace perturb {

namespace {

namespace fs = std::filesystem;

std::string whole_path_of(const std::string& path) {
  std::error_code failure;
  const fs::path whole = fs::absolute(path, failure);
  return failure ? path : whole.lexically_normal().string();
}

}  // namespace

// ---- where files go

void Session::put_files_in(const std::string& pictures, const std::string& documents) {
  pictures_folder_ = pictures, documents_folder_ = documents;
}

std::string Session::output_folder(Output output) const {
  const std::string& usual = output == Output::picture ? pictures_folder_ : documents_folder_;
  const std::string& folder = state_.output_folder.empty() ? usual : state_.output_folder;
  return folder.empty() || folder == "." ? "" : folder.ends_with("/") ? folder : folder + "/";
}

std::string Session::output_stem(Output output) const {
  return output_folder(output) + output_stem_of(run().scene->setup, run().steps);
}

void Session::tell_written(const std::string& what, const std::string& path) {
  const fs::path whole(whole_path_of(path));
  tell(what + ": " + in_its_folder(path));
  state_.note_folder = state_.last_folder = whole.parent_path().string();
}

void Session::show_output_folder() {
  std::string folder = state_.last_folder;
  if (folder.empty()) folder = fs::path(whole_path_of(output_stem(Output::picture))).parent_path().string();
  try {
    show_folder(folder);
  } catch (const Error& error) {
    tell_failure(error.what());
  }
}

// ---- choosing one

void Session::browse_files(FileBrowsing::Purpose purpose) {
  using Purpose = FileBrowsing::Purpose;
  FileBrowsing& files = state_.files;
  files.purpose = purpose;
  files.error.clear();
  files.name[0] = '\0';
  const fs::path stem(whole_path_of(output_stem(Output::document)));
  if (purpose == Purpose::save_state)
    std::snprintf(files.name, sizeof files.name, "%s", (stem.filename().string() + ".h5").c_str());
  // Where one was before, else where files go.
  list_files_in(files.listing.folder.empty() ? stem.parent_path().string() : files.listing.folder);
  state_.overlay = Overlay::files;
}

void Session::list_files_in(const std::string& folder) {
  using Purpose = FileBrowsing::Purpose;
  FileBrowsing& files = state_.files;
  FolderListing listing =
      list_folder(folder, files.purpose == Purpose::open         ? endings_of_files()
                          : files.purpose == Purpose::save_state ? std::vector<std::string>{"h5", "perturb"}
                                                                 : std::vector<std::string>{});
  files.error = listing.problem;
  if (listing.problem.empty() || files.listing.folder.empty()) files.listing = std::move(listing);
  if (files.purpose != Purpose::save_state) files.name[0] = '\0';
  files.chosen = files.listing.items.empty() ? 0 : 1;  // behind the folder above
  files.begins = true;
}

void Session::save_state_as(const std::string& given) {
  std::string path = given;
  if (!has_ending(path, {"h5", "perturb"})) path += ".h5";
  const auto write = [path](const Experiment& run) {
    State state = run.simulation().save();
    if (state.preset.empty()) state.preset = run.setup().preset;
    save_state(state, path);
    return path;
  };
  post(order::Read{write}, [this](Answer& answer) {
    try {
      answer.check();
      if (state_.overlay == Overlay::files) state_.overlay = Overlay::none;
      tell_written("State saved", answer.words);
    } catch (const Error& error) {
      if (state_.overlay == Overlay::files)
        state_.files.error = error.what();
      else
        tell_failure(error.what());
    }
  });
}

// ---- opening one

void Session::open_file(const std::string& path) {
  // Of one that was chosen in the file browser, what is wrong stands there.
  const auto fail = [this](const std::string& sentence) {
    if (state_.overlay == Overlay::files)
      state_.files.error = sentence;
    else
      tell_failure(sentence);
  };
  try {
    switch (kind_of_file(path)) {
      case FileKind::state:
        carry_out(OpenState{path});
        return;  // which closes the browser when it is there
      case FileKind::preset:
        load_scene(path);
        carry_out(OpenScene{whole_path_of(path)});
        break;
      case FileKind::lesson:
        load_lesson(path);
        carry_out(OpenLesson{path});
        break;
      case FileKind::script:
        open_script(path);
        break;
      case FileKind::image:
        take_image(path);
        return;  // which may ask what it is to be
    }
    if (state_.overlay == Overlay::files) state_.overlay = Overlay::none;
  } catch (const Error& error) {
    fail(error.what());
  }
}

void Session::open_script(const std::string& path) {
  if (!read_script_) throw InputError("Scripts are opened by the window alone.");
  const auto script = std::make_shared<ScriptRun>(read_script_(path, *run().scene));
  close_lesson();
  state_.playing = true;
  opening_.push_back(path);
  post(order::Open{[script] { return script->start; }, [script] { return script->events; }},
       [this, path](Answer& answer) {
         opening_.pop_front();
         try {
           answer.check();
           meet(true);
           state_.hint = false;
           tell("Doing again what " + path + " tells.");
         } catch (const Error& error) {
           tell_failure(error.what());
         }
       });
}

void Session::take_image(const std::string& path) {
  std::vector<std::string> kinds;
  for (const ActionKind& kind : info().actions)
    if (kind.takes_image) kinds.push_back(kind.id);
  if (kinds.empty())
    throw InputError(
        "Nothing in " + info().title +
        " is made from an image: waves take one as walls or as a map of their speed, flow as walls or as dye.");
  load_grey_image(path);  // before anything is asked: what is no image is told at once
  state_.image_path = path;
  if (kinds.size() == 1)
    use_image(kinds.front());
  else
    state_.overlay = Overlay::image_use;
}

void Session::use_image(const std::string& kind) {
  Action action{kind, {}, whole_path_of(state_.image_path), load_grey_image(state_.image_path)};
  if (state_.overlay == Overlay::image_use || state_.overlay == Overlay::files) state_.overlay = Overlay::none;
  const ActionKind* known = find_kind(info().actions, kind);
  // The image itself is not held longer than it takes to use it.
  const Action meant{kind, {}, "", nullptr};
  post(order::Act{std::move(action)},
       [this, meant, label = known ? known->label : kind, path = state_.image_path](Answer& answer) {
         try {
           answer.check();
           if (const Offer offer = offer_after({meant}, run(), shown_quantity()); !offer.quantity.empty())
             state_.offer = offer;
           tell(label + ": " + fs::path(path).filename().string());
         } catch (const Error& error) {
           tell_failure(error.what());
         }
       });
}

void Session::open_dropped(const std::vector<std::string>& paths) {
  if (paths.empty()) return;
  open_file(paths.front());
  if (paths.size() > 1 && state_.overlay != Overlay::image_use)
    tell("One file at a time: " + fs::path(paths.front()).filename().string() + " is taken, the others are not.");
}

}  // namespace perturb
