// Files opened, dropped and saved in the window: their effect, their folders, and the display of errors.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/cli/window_start.h"
#include "app/io/files/folders.h"
#include "app/io/image/image.h"
#include "app/io/preset/file_kind.h"
#include "app/io/preset/presets.h"
#include "app/io/preset/scripts.h"
#include "app/io/state/script_file.h"
#include "app/io/state/state_file.h"
#include "app/session/session.h"
#include "app/ui/panels/panels.h"
#include "app/ui/widgets/gui.h"
#include "cuda/core/backend/check.h"
#include "tests/support/drawn_text.h"
#include "tests/support/files_scratch.h"
#include "tests/support/panel_frames.h"
#include "tests/support/scene_of_width.h"

namespace perturb {
namespace {

class FileRequests : public ScratchFolder {
 protected:
  static Scene small(const std::string& path) { return scene_of_width(path, 48); }
  void SetUp() override {
    ScratchFolder::SetUp();
    session_.file_opener().set_script_reader(read_script_run);
    session_.output().set_default_folders(path(""), path(""));
    session_.playback().set_playing(false);
  }
  Overlay overlay() const { return session_.interface().overlay; }
  const StatusMessage& message() const { return session_.message(); }
  void handle(const std::vector<InputEvent>& events = {}) {
    session_.handle(events, make_layout(800, 600, 1, 1, true), Session::Keyboard::free);
  }
  void drop(const std::vector<std::string>& files) {
    InputEvent event;
    event.kind = InputEvent::Kind::drop;
    event.files = files;
    handle({event});
    handle();
  }
  void ask(Command command) {
    session_.post(std::move(command));
    handle();
  }
  void key(const std::string& name) { handle({key_press(name)}); }
  std::string image() {
    save_png({2, 1, {0xFF000000u, 0xFFFFFFFFu}}, path("map.png"));
    return path("map.png");
  }

  std::unique_ptr<Backend> backend_ = Backend::make_cpu(1);
  Experiment experiment_{*backend_, small("wave/droplet")};
  Session session_{experiment_, 1};
};

TEST_F(FileRequests, RecognisesFileByContent) {
  EXPECT_EQ(kind_of_file("A.PERTURB"), FileKind::state);
  EXPECT_EQ(kind_of_file("A.H5"), FileKind::state) << "loading it says how to convert it";
  EXPECT_EQ(kind_of_file("a.JPeg"), FileKind::image);
  EXPECT_EQ(kind_of_file(write("p.toml", "title = 'A'\nsimulation = 'wave'\n")), FileKind::preset);
  EXPECT_EQ(kind_of_file(write("s.toml", "start = ['wave']\n")), FileKind::script);
  EXPECT_EQ(kind_of_file(write("e.toml", "[[event]]\nstep = 1\nset = 'damping'\nvalue = 0\n")), FileKind::script);
  EXPECT_EQ(kind_of_file(write("l.toml", "[[step]]\ntitle = 'A'\n")), FileKind::lesson);
  EXPECT_THROW(kind_of_file(write("x.toml", "title = \n")), InputError);
  EXPECT_THROW(kind_of_file(path("none.toml")), InputError);
  EXPECT_EQ(kind_of_file("a.txt"), FileKind::colormap);
  EXPECT_THROW(kind_of_file("a.dat"), InputError);
  EXPECT_THROW(kind_of_file("noending"), InputError);
}

TEST_F(FileRequests, AFolderIsListed) {
  for (const char* name : {"b.perturb", "a.PERTURB", "c.txt", ".hidden.perturb"}) write(name, "");
  std::filesystem::create_directories(path("sub"));
  std::filesystem::create_directories(path("Another"));
  std::filesystem::last_write_time(path("b.perturb"), std::filesystem::file_time_type::clock::now());
  std::filesystem::last_write_time(path("a.PERTURB"),
                                   std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  const FolderListing listing = list_folder(path("sub/.."), {"perturb"});
  EXPECT_EQ(listing.problem, "");
  EXPECT_EQ(listing.folder + "/", path("")) << "without ..";
  std::vector<std::string> names;
  for (const FolderItem& item : listing.items) names.push_back(item.name);
  EXPECT_EQ(names, (std::vector<std::string>{"Another", "sub", "b.perturb", "a.PERTURB"}));
  EXPECT_NE(list_folder(path("none"), {}).problem, "");
  EXPECT_EQ(folder_above("/a/b"), "/a");
  EXPECT_EQ(folder_above("/"), "/");
}

TEST_F(FileRequests, OpensDroppedPreset) {
  drop({write("tank.toml", "title = 'Tank'\nsimulation = 'wave'\nsize = [32, 32]\n")});
  EXPECT_EQ(session_.run().scene->title, "Tank");
  EXPECT_FALSE(message().is_error) << message().text;
}

TEST_F(FileRequests, ResumesDroppedState) {
  experiment_.advance(7);
  save_state(experiment_.simulation().save(), path("seven.perturb"));
  experiment_.advance(5);
  drop({path("seven.perturb")});
  EXPECT_EQ(session_.run().steps, 7);
  EXPECT_FALSE(message().is_error) << message().text;
}

TEST_F(FileRequests, RunsDroppedScript) {
  drop({write("run.toml",
              "start = ['wave/rain', '--size', '40x24']\n[[event]]\nstep = 3\nset = 'damping'\nvalue = 0.5\n")});
  EXPECT_EQ(session_.run().scene->setup.preset, "rain") << message().text;
  EXPECT_EQ(session_.run().scene->setup.width, 40);
  experiment_.advance(4);
  handle();
  EXPECT_EQ(session_.run().value_of("damping"), 0.5);
  // A script without a start applies to the open run.
  drop({write("events.toml", "[[event]]\nstep = 0\nset = 'damping'\nvalue = 0.25\n")});
  EXPECT_EQ(session_.run().scene->setup.preset, "rain");
  experiment_.advance(1);
  handle();
  EXPECT_EQ(session_.run().value_of("damping"), 0.25) << message().text;
}

TEST_F(FileRequests, OpensDroppedLesson) {
  drop({write("mine.toml",
              "title = 'Mine'\nsummary = 'S.'\nsimulation = 'wave'\n[[step]]\ntitle = 'A'\ntext = 'B'\nscene = 'rain'\n"
              "size = [32, 32]\n")});
  ASSERT_NE(session_.lesson(), nullptr) << message().text;
  EXPECT_EQ(session_.lesson()->lesson().title, "Mine");
}

TEST_F(FileRequests, ImageBecomesChosenAction) {
  drop({image()});
  EXPECT_EQ(overlay(), Overlay::image_use) << message().text;
  const std::string before = session_.run().next_undo.english();
  ask(UseImage{"wall-image"});
  EXPECT_EQ(overlay(), Overlay::none);
  EXPECT_NE(session_.run().next_undo, before) << "it can be undone";
  const auto action = std::find_if(experiment_.log().begin(), experiment_.log().end(),
                                   [](const Event& e) { return std::holds_alternative<Action>(e.change); });
  ASSERT_NE(action, experiment_.log().end());
  EXPECT_EQ(std::get<Action>(action->change).kind, "wall-image");
  EXPECT_EQ(std::get<Action>(action->change).file, path("map.png"));
  // A saved script has a copy of the image in its own folder.
  std::filesystem::create_directories(path("scripts"));
  save_script(experiment_, path("scripts/run.toml"));
  const std::vector<Event> events = load_script(path("scripts/run.toml"), "wave");
  const auto again = std::find_if(events.begin(), events.end(),
                                  [](const Event& e) { return std::holds_alternative<Action>(e.change); });
  ASSERT_NE(again, events.end());
  EXPECT_EQ(std::get<Action>(again->change).image->values, std::get<Action>(action->change).image->values);
}

TEST_F(FileRequests, ImageBecomesDyeAndSuggestsItsQuantity) {
  experiment_.open(small("lbm/cavity"));
  handle();
  drop({image()});
  EXPECT_EQ(overlay(), Overlay::image_use) << "walls or dye";
  ask(UseImage{"dye-image"});
  EXPECT_EQ(overlay(), Overlay::none);
  EXPECT_FALSE(message().is_error) << message().text;
  EXPECT_EQ(session_.run().next_undo, "Dye from an image");
  EXPECT_EQ(session_.view().suggestion().quantity, "dye") << "the speed is shown, and no dye";
  EXPECT_TRUE(experiment_.simulation().save().datasets.contains("dye"));
  experiment_.open(load_scene("particles/gas"));
  handle();
  drop({path("map.png")});
  EXPECT_TRUE(message().is_error);
  EXPECT_NE(message().text.english().find("image"), std::string::npos);
}

TEST_F(FileRequests, DroppedColoursAreThoseOfTheView) {
  drop({write("dusk.csv", "0 0 0\n255 0 0\n")});
  EXPECT_EQ(session_.view().resolved().colormap, "dusk.csv");
  EXPECT_EQ(experiment_.shown().view.colormap, "dusk.csv") << "logged, like other changes of the view";
  EXPECT_NE(message().text.english().find("dusk.csv"), std::string::npos);
  drop({write("bad.csv", "0 0 0\n1 2\n")});
  EXPECT_EQ(session_.view().resolved().colormap, "dusk.csv");
  EXPECT_TRUE(message().is_error);
  EXPECT_NE(message().text.english().find("bad.csv:2: "), std::string::npos) << message().text.english();
  // A scene that names colours of another machine.
  drop({write("far.toml", "simulation = 'wave'\ntitle = 'A'\n[view]\ncolormap = 'far.csv'\n")});
  EXPECT_EQ(session_.view().resolved().colormap, "viridis");
  EXPECT_EQ(session_.view().settings().colormap, "far.csv");
  EXPECT_NE(message().text.english().find("The colours \"far.csv\" are not here"), std::string::npos)
      << message().text.english();
}

TEST_F(FileRequests, ErrorStaysUntilDismissed) {
  const std::size_t events = experiment_.log().size();
  for (const std::string& file :
       {write("bad.toml", "no = \n"), write("bad.perturb", "no state"), write("bad.png", "no"), write("bad.txt", ""),
        path("none.toml"), write("strange.toml", "[[step]]\ntitle = 3\n")}) {
    drop({file});
    EXPECT_TRUE(message().is_error) << file;
    EXPECT_NE(message().text, "") << file;
    // Stays longer than any other message.
    for (int i = 0; i < 200; ++i) session_.end_frame(0.1, 0);
    EXPECT_TRUE(message().is_error) << file;
    if (overlay() != Overlay::none) key("Esc");
    key("Esc");
    EXPECT_FALSE(message().is_error) << file;
    EXPECT_EQ(message().text, "") << file;
  }
  EXPECT_EQ(experiment_.log().size(), events);
  EXPECT_EQ(session_.run().scene->setup.preset, "droplet");
}

TEST_F(FileRequests, FilesGoToTheFolderOfTheUsersChoice) {
  std::filesystem::create_directories(path("mine"));
  std::filesystem::create_directories(path("pictures"));
  session_.output().set_default_folders(path("pictures"), path("documents"));
  EXPECT_EQ(session_.output().stem(OutputFolders::Kind::picture), path("pictures/perturb-wave-droplet-0"));
  EXPECT_EQ(session_.output().stem(), path("documents/perturb-wave-droplet-0"));
  ask(CommandId::save_state);
  EXPECT_TRUE(message().is_error) << "there is no such folder";
  ask(ChooseOutputFolder{path("mine")});
  EXPECT_EQ(session_.output().stem(OutputFolders::Kind::picture), path("mine/perturb-wave-droplet-0"));
  ask(CommandId::save_state);
  EXPECT_FALSE(message().is_error);
  EXPECT_EQ(message().text.english(), "State saved: perturb-wave-droplet-0.perturb in " + path("mine"));
  EXPECT_EQ(message().folder, path("mine"));
  EXPECT_TRUE(std::filesystem::exists(path("mine/perturb-wave-droplet-0.perturb")));
  ask(Export{ExportKind::fields});
  EXPECT_EQ(message().text.english(), "Fields exported: perturb-wave-droplet-0.h5 in " + path("mine"));
  EXPECT_TRUE(std::filesystem::exists(path("mine/perturb-wave-droplet-0.h5")));
  ask(SaveStateAs{path("mine/named")});
  EXPECT_TRUE(std::filesystem::exists(path("mine/named.perturb"))) << message().text;
  ask(CommandId::save_state_as);
  EXPECT_EQ(overlay(), Overlay::files);
  EXPECT_EQ(session_.file_chooser().files().listing.folder, path("mine"));
  ask(SaveStateAs{path("none/named.perturb")});
  EXPECT_EQ(overlay(), Overlay::files) << "another name can be given";
  EXPECT_NE(session_.file_chooser().files().error, "");
}

TEST_F(FileRequests, AGreyImageKeepsAllOfIts16Bits) {
  GreyImage deep{3, 2, {0.f, 1.f, 0.5f, 1234.f / 65535, 0.25f, 65534.f / 65535}};
  for (float& v : deep.values) v = static_cast<float>(std::lround(v * 65535)) / 65535.f;
  save_grey_png(deep, path("deep.png"));
  const auto again = load_grey_image(path("deep.png"));
  EXPECT_EQ(again->width, 3);
  for (std::size_t k = 0; k < deep.values.size(); ++k) EXPECT_NEAR(again->values[k], deep.values[k], 1e-6) << k;
}

TEST_F(FileRequests, TheFileBrowserIsNotCutAtAnySize) {
  for (int k = 0; k < 30; ++k)
    write("a-file-with-quite-a-long-name-that-has-to-be-broken-somewhere-" + std::to_string(k) + ".perturb", "");
  Gui gui(Gui::Renderer::none);
  Panels panels;
  for (const CommandId command : {CommandId::open_file, CommandId::save_state_as, CommandId::output_folder}) {
    ask(command);
    for (const auto& [width, height, scale] : {std::tuple{1280, 720, 1.0}, {1024, 768, 2.0}, {2560, 1440, 1.0}}) {
      const Layout layout = make_layout(width, height, 1, scale, true);
      lay_out(session_, gui, panels, layout, 3, Session::Keyboard::typing);
      bool has_button = false;
      for (const DrawnText& t : drawn_text()) {
        if (t.window.find("open") == std::string::npos) continue;
        EXPECT_FALSE(t.cut_beside) << t.text;
        EXPECT_FALSE(t.cut_above && !is_scrolling(t.window)) << t.text;
        EXPECT_LE(t.box.y + t.box.height, layout.status.y) << t.text;
        has_button = has_button || t.text == "Cancel";
      }
      EXPECT_TRUE(has_button);
    }
    ask(CommandId::close_overlay);
  }
}

}  // namespace
}  // namespace perturb
