// One run with many clients: what each role may call, what is a client's own, and what ends with it.
#include "app/web/engine/shared_engine.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/web/engine/calls.h"
#include "app/web/engine/engine.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {
namespace {

class SharedEngineTest : public testing::Test {
 protected:
  using Json = nlohmann::ordered_json;

  Json call(int client, const std::string& name, const Json& with = Json::object()) {
    return Json::parse(engine_.call(client, Json{{"call", name}, {"with", with}}.dump()));
  }
  Json done(int client, const std::string& name, const Json& with = Json::object()) {
    Json answer = call(client, name, with);
    EXPECT_FALSE(answer.contains("error")) << name << ": " << answer.dump().substr(0, 300);
    return answer;
  }
  std::string refusal(int client, const std::string& name, const Json& with = Json::object()) {
    const Json answer = call(client, name, with);
    EXPECT_TRUE(!answer.contains("error") || answer["kind"] == "input") << answer;
    return answer.value("error", "");
  }
  void open(const std::string& scene, int width = 64, int height = 64) {
    done(teacher_, "open", {{"scene", scene}, {"width", width}, {"height", height}});
  }
  static Json sized(Json with) {
    with["width"] = 400;
    with["height"] = 400;
    return with;
  }
  static Json event(const char* tool, const char* phase, double x, double y) {
    return sized({{"tool", tool}, {"phase", phase}, {"x", x}, {"y", y}});
  }
  std::string last_action() {
    const std::vector<Event>& log = engine_.run().experiment().log();
    return log.empty() ? "" : std::get<Action>(log.back().change).kind;
  }

  SharedEngine engine_{make_backends("cpu", 1)};
  const int owner_ = engine_.add_client(Role::owner), teacher_ = engine_.add_client(Role::teacher),
            ada_ = engine_.add_client(Role::pupil), bob_ = engine_.add_client(Role::pupil),
            guest_ = engine_.add_client(Role::spectator);
};

TEST_F(SharedEngineTest, EachCallIsAllowedToTheRolesOfThisTable) {
  const std::map<Role, std::set<std::string>> least = {
      {Role::spectator,
       {"catalog", "translate", "scene", "status", "look", "overlay", "locate", "describe", "lesson_look",
        "lesson_sheet", "lab_report"}},
      {Role::pupil, {"gesture", "act", "drag_object", "set", "sing", "place", "lesson_answer"}},
      {Role::teacher,
       {"open",
        "view",
        "restart",
        "undo",
        "redo",
        "return_to_step",
        "restore_last_good",
        "find_remedy",
        "apply_remedy",
        "count",
        "kernel",
        "add_instrument",
        "drag_instrument",
        "change_instrument",
        "remove_instrument",
        "sound",
        "script",
        "teacher_sheet",
        "lesson_open",
        "lesson_step",
        "lesson_close"}},
      {Role::owner,
       {"add_texts", "add_colors", "verify", "advance", "field", "use_image", "save", "load", "checksum",
        "for_person"}}};
  std::set<std::string> in_table;
  for (const auto& [role, names] : least) in_table.insert(names.begin(), names.end());
  const std::vector<std::string> names = names_of_calls();
  EXPECT_EQ(in_table, std::set<std::string>(names.begin(), names.end())) << "decide the role of each new call here";

  open("wave/droplet");
  const auto is_of_role = [](const std::string& error) {
    return error.starts_with("A shared run does not do this: ") || error.starts_with("Only the teacher can do this.") ||
           error.starts_with("You can only watch this run.");
  };
  const std::map<Role, int> clients = {
      {Role::spectator, guest_}, {Role::pupil, ada_}, {Role::teacher, teacher_}, {Role::owner, owner_}};
  for (const auto& [needed, calls] : least)
    for (const std::string& name : calls)
      for (const auto& [role, client] : clients) {
        // Without arguments many fail; but not for the role.
        EXPECT_EQ(is_of_role(refusal(client, name)), role < needed) << name << ", role " << static_cast<int>(role);
      }
}

// Of a run in lockstep: the page's own engine executes the calls of all.
TEST_F(SharedEngineTest, CallsForAPersonHaveThatPersonsRights) {
  open("wave/droplet");
  const auto person = [&](int number, const char* role, const char* name, const Json& with,
                          Json locks = Json::object()) {
    locks.update({{"person", number}, {"role", role}, {"call", name}, {"with", with}});
    return refusal(owner_, "for_person", locks);
  };
  const Json press = event("droplet", "press", 100, 100), release = event("droplet", "release", 100, 100);
  EXPECT_EQ(person(7, "pupil", "gesture", press), "");
  EXPECT_EQ(last_action(), "droplet");
  EXPECT_EQ(person(7, "pupil", "gesture", release), "");
  EXPECT_NE(person(7, "pupil", "gesture", press, {{"tools", {"wall"}}}).find("locked"), std::string::npos);
  EXPECT_EQ(person(7, "pupil", "gesture", press), "") << "the lock was of that call";
  EXPECT_NE(person(7, "pupil", "gesture", press, {{"locked", true}}), "");
  EXPECT_NE(person(7, "pupil", "set", {{"id", "damping"}, {"value", 1}}, {{"parameters", Json::array()}}), "");
  EXPECT_NE(person(7, "pupil", "restart", Json::object()).find("teacher"), std::string::npos);
  EXPECT_NE(person(8, "spectator", "gesture", press), "");
  EXPECT_EQ(person(9, "teacher", "view", {{"theory", true}}), "");
  // What not all engines would do alike, is no call, or has no role.
  for (const char* name : {"undo", "look", "advance", "for_person", "nothing"})
    EXPECT_NE(person(9, "teacher", name, Json::object()), "") << name;
  EXPECT_NE(person(9, "owner", "gesture", press), "");
  EXPECT_NE(person(0, "pupil", "gesture", press), "");
  EXPECT_EQ(refusal(owner_, "for_person", {{"person", 7}, {"call", "leave"}}), "");
  EXPECT_EQ(refusal(owner_, "for_person", {{"person", 77}, {"call", "leave"}}), "");

  const auto sum = [&] { return done(owner_, "checksum")["sum"].get<std::string>(); };
  const std::string before = sum();
  EXPECT_EQ(before.size(), 16U);
  EXPECT_EQ(sum(), before);
  engine_.advance(1, 1e6);
  EXPECT_NE(sum(), before);
}

TEST_F(SharedEngineTest, RemoteClientsPassNoFilesAndNoTextsOfKernels) {
  open("wave/droplet");
  engine_.advance(7, 1e6);
  for (const Json& with : {Json{{"scene", "wave/droplet"}, {"kernel", "edited:int x;"}},
                           Json{{"scene", "wave/droplet"}, {"lighter", true}, {"kernel", "edited:int x;"}},
                           Json{{"scene", "/etc/scene.toml"}}, Json{{"scene", "wave/../../droplet"}},
                           Json{{"scene", "wave/droplet"}, {"load", "state.h5"}},
                           Json{{"scene", "wave/droplet"}, {"actions", {{{"kind", "wall-image"}, {"x", 0.5}}}}}})
    EXPECT_NE(refusal(teacher_, "open", with), "") << with;
  EXPECT_EQ(refusal(teacher_, "kernel", {{"id", "edited:int x;"}}),
            "A shared run takes no text of a kernel. Choose a kernel of the program.");
  EXPECT_NE(refusal(teacher_, "lesson_open", {{"path", "/etc/lesson.toml"}}), "");
  EXPECT_EQ(refusal(teacher_, "teacher_sheet",
                    {{"path", "/etc/lesson.toml"}, {"link", ""}, {"qr", Json::array()}, {"language", "en"}}),
            "Cannot open the file \"/etc/lesson.toml\" from a link. Name a lesson.");
  EXPECT_EQ(done(guest_, "status")["steps"], 7);
}

TEST_F(SharedEngineTest, StrokesAtOnceAreUndoStepsOfTheirOwn) {
  open("wave/droplet");
  const auto both = [&](const char* phase, double x) {
    done(ada_, "gesture", event("droplet", phase, x, 100));
    engine_.advance(2, 1e6);
    done(bob_, "gesture", event("droplet", phase, x, 300));
    engine_.advance(2, 1e6);
  };
  both("press", 100);
  both("move", 140);
  both("release", 180);
  const State end = engine_.run().experiment().saved_state();
  EXPECT_EQ(done(teacher_, "undo")["status"]["steps"], 2);
  const Json start = done(teacher_, "undo")["status"];
  EXPECT_EQ(start["steps"], 0);
  EXPECT_EQ(start["next_undo"], "");
  done(teacher_, "redo");
  EXPECT_EQ(done(teacher_, "redo")["status"]["steps"], 12);
  for (const auto& [name, data] : engine_.run().experiment().saved_state().datasets)
    EXPECT_TRUE(data.bytes == end.datasets.at(name).bytes) << name;
}

TEST_F(SharedEngineTest, RemovedClientReleasesItsGestureAndItsObject) {
  done(teacher_, "open", {{"scene", "fibers/lone"}});
  done(ada_, "gesture", event("pull", "press", 200, 200));
  done(ada_, "gesture", event("pull", "move", 240, 200));
  EXPECT_EQ(last_action(), "pull");
  engine_.remove_client(ada_);
  EXPECT_EQ(last_action(), "let-go");
  EXPECT_EQ(refusal(ada_, "status"), "You are no longer in this run. Join it again.");
  EXPECT_NE(engine_.add_client(Role::pupil), ada_);

  done(bob_, "gesture", event("pull", "press", 200, 200));
  Permissions allowed;
  allowed.objects = false;
  engine_.set_permissions(bob_, allowed);
  EXPECT_EQ(last_action(), "pull") << "its tool is still open";
  allowed.tools = std::set<std::string>{"drop"};
  engine_.set_permissions(bob_, allowed);
  EXPECT_EQ(last_action(), "let-go");
  // A button that is up is not released again.
  const std::size_t events = engine_.run().experiment().log().size();
  engine_.end_gesture(bob_);
  EXPECT_EQ(engine_.run().experiment().log().size(), events);
}

TEST_F(SharedEngineTest, HeldObjectIsFreeOnceItsDragEnds) {
  open("wave/double-slit", 128);
  const Json object = done(guest_, "overlay", sized(Json::object()))["objects"][0];
  const Json at = object["handles"][0]["at"];
  const double x = at[0], y = at[1];
  const Json start = sized({{"object", object["id"]}, {"handle", 0}, {"start", at}, {"x", x + 10}, {"y", y}});
  const Json remove = {{"action", {{"kind", "remove-object"}, {"object", object["id"]}}}};
  const std::string held = "Somebody else holds this object.";
  done(ada_, "drag_object", start);
  EXPECT_EQ(refusal(bob_, "drag_object", start), held);
  EXPECT_EQ(refusal(teacher_, "act", remove), held);
  done(ada_, "drag_object", sized({{"x", x + 20}, {"y", y}, {"end", true}}));
  done(bob_, "drag_object", start);
  EXPECT_EQ(refusal(ada_, "drag_object", start), held);
  engine_.remove_client(bob_);
  done(ada_, "drag_object", start);
  done(teacher_, "undo");
  done(teacher_, "act", remove);
}

TEST_F(SharedEngineTest, DragsOfTwoClientsMoveTheirObjects) {
  open("wave/double-slit", 128);
  const Json objects = done(guest_, "overlay", sized(Json::object()))["objects"];
  ASSERT_GE(objects.size(), 2u);
  const auto drag = [&](int client, std::size_t k, double by, bool begins) {
    const Json at = objects[k]["handles"][0]["at"];
    Json with = sized({{"x", at[0].get<double>() + by}, {"y", at[1]}});
    if (begins) with.update({{"object", objects[k]["id"]}, {"handle", 0}, {"start", at}});
    done(client, "drag_object", with);
  };
  for (const double by : {10., 20., 30.}) {
    drag(ada_, 0, by, by == 10);
    drag(bob_, 1, -by, by == 10);
  }
  const Json moved = done(guest_, "overlay", sized(Json::object()))["objects"];
  for (const std::size_t k : {0u, 1u})
    EXPECT_NEAR(moved[k]["handles"][0]["at"][0].get<double>() - objects[k]["handles"][0]["at"][0].get<double>(),
                k == 0 ? 30 : -30, 1e-6);
}

TEST_F(SharedEngineTest, PupilsUseWhatTheTeacherHasUnlocked) {
  open("wave/double-slit", 128);
  const Json press = event("droplet", "press", 100, 150), wall = event("wall", "press", 100, 150);
  const Json act = {{"action", {{"kind", "droplet"}, {"x", 0.5}, {"y", 0.5}}}};
  const Json damping = {{"changes", {{"damping", 0.02}}}};
  const auto set = [&](int client, const Json& with) { return done(client, "set", with)["errors"].size(); };
  done(ada_, "gesture", wall);
  done(ada_, "act", act);
  EXPECT_EQ(set(ada_, damping), 0u);
  std::string restarting;
  for (const Parameter& p : engine_.run().experiment().info().parameters)
    if (p.apply == Apply::restart && restarting.empty()) restarting = p.id;
  ASSERT_NE(restarting, "");
  const Json restart = {{"changes", {{restarting, done(guest_, "status")["parameters"][restarting]}}}};
  EXPECT_EQ(set(ada_, restart), 1u) << "restarts the run for all";

  engine_.set_permissions(ada_, {std::set<std::string>{"droplet"}, std::set<std::string>{restarting}, false});
  done(ada_, "gesture", press);
  EXPECT_EQ(refusal(ada_, "gesture", wall), "The teacher has locked this tool. Choose another one.");
  EXPECT_EQ(refusal(ada_, "act", act), "The teacher has locked this tool. Choose another one.");
  EXPECT_EQ(set(ada_, damping), 1u);
  EXPECT_EQ(set(ada_, restart), 0u);
  EXPECT_EQ(refusal(ada_, "place", {{"kind", "oscillator"}}),
            "The teacher has locked the objects. Use a tool instead.");
  EXPECT_NE(refusal(ada_, "drag_object", sized({{"x", 1}, {"y", 1}})), "");
  EXPECT_NE(refusal(ada_, "act", {{"action", {{"kind", "remove-object"}, {"object", 1}}}}), "");
  for (const int client : {bob_, teacher_}) done(client, "gesture", wall);
  EXPECT_EQ(set(bob_, damping), 0u);
}

TEST_F(SharedEngineTest, LessonAndUnitsOfAClientAreItsOwn) {
  const Json lesson = {{"path", "wave/two-slits"}};
  done(teacher_, "lesson_open", lesson);
  engine_.advance(5, 1e6);
  const auto answers = [&] {
    return std::vector<Json>{done(bob_, "look"), done(bob_, "overlay", sized({{"scene_units", true}})),
                             done(bob_, "describe"), done(bob_, "status")};
  };
  const std::vector<Json> before = answers();
  engine_.follow_lesson(ada_, teacher_, true);
  done(ada_, "look", {{"scene_units", true}});
  done(ada_, "translate", {{"language", "de"}, {"texts", {"Waves"}}});
  EXPECT_EQ(answers(), before);
  EXPECT_EQ(refusal(bob_, "lesson_look"), "No lesson is open. Open one first.");
}

TEST_F(SharedEngineTest, LessonOfAClassIsJudgedWhenItsResultsAreShown) {
  done(teacher_, "lesson_open", {{"path", "membrane/drum-modes"}});
  const auto follow = [&](int client) { engine_.follow_lesson(client, teacher_, false); };
  follow(ada_);
  EXPECT_EQ(done(guest_, "status")["steps"], 0) << "not opened again";
  EXPECT_EQ(done(ada_, "lesson_look")["class"], (Json{{"shown", false}}));
  EXPECT_EQ(done(ada_, "lesson_look")["index"], 0);
  done(ada_, "lesson_answer", {{"number", "1"}});
  engine_.advance(40, 1e6);
  engine_.read();
  follow(bob_);  // late
  done(bob_, "lesson_answer", {{"number", "125 * sqrt(2)"}});
  for (const int client : {ada_, bob_}) {
    const Json now = done(client, "lesson_look");
    EXPECT_EQ(now["progress"], 1);
    EXPECT_EQ(now["answer"]["waits"], true) << "nothing tells who is right";
    EXPECT_FALSE(now["answer"].contains("found"));
    EXPECT_EQ(now["points"], 0);
  }
  // An answer can be changed until then, more than once.
  done(ada_, "lesson_answer", {{"number", "2"}});
  done(ada_, "lesson_answer", {{"number", "3"}});
  EXPECT_EQ(done(ada_, "lesson_look")["answer"]["given"], "3");
  engine_.show_results(teacher_);
  for (const int client : {ada_, bob_}) follow(client);
  engine_.read();
  const Json ada = done(ada_, "lesson_look"), bob = done(bob_, "lesson_look");
  EXPECT_EQ(ada["class"], (Json{{"shown", true}}));
  EXPECT_EQ(ada["points"], 0);
  EXPECT_EQ(ada["answer"]["waits"], false) << "there is no second try";
  EXPECT_TRUE(ada["first_try"].is_null());
  EXPECT_EQ(bob["points"], 2);
  EXPECT_EQ(ada["answer"]["found"], bob["answer"]["found"]) << "the same measurement for those who came late";
  // Another step keeps the results of this one, and its own are hidden.
  done(teacher_, "lesson_step", {{"index", 1}});
  for (const int client : {ada_, bob_}) follow(client);
  EXPECT_EQ(done(bob_, "lesson_look")["index"], 1);
  EXPECT_EQ(done(bob_, "lesson_look")["points"], 2);
  EXPECT_EQ(done(bob_, "lesson_look")["class"], (Json{{"shown", false}}));
  // Another scene is open: nothing more is counted, and the answers stay.
  open("wave/droplet");
  EXPECT_EQ(done(bob_, "lesson_look")["points"], 2);
  EXPECT_EQ(done(bob_, "lesson_look")["progress"], 0);
  done(teacher_, "lesson_close");
  follow(bob_);
  EXPECT_EQ(refusal(bob_, "lesson_look"), "No lesson is open. Open one first.");
  EXPECT_EQ(engine_.lesson(bob_), "null");
}

TEST_F(SharedEngineTest, StepOfALessonEndsAGestureWithALockedTool) {
  open("wave/droplet");
  done(ada_, "gesture", sized({{"tool", "wall"}, {"phase", "press"}, {"x", 10}, {"y", 10}}));
  done(teacher_, "lesson_open", {{"path", "membrane/drum-modes"}});
  engine_.follow_lesson(ada_, teacher_, true);
  EXPECT_NE(refusal(ada_, "gesture", sized({{"tool", "wall"}, {"phase", "move"}, {"x", 20}, {"y", 10}})), "");
}

TEST_F(SharedEngineTest, NumbersOfAReadingAreThoseOfEachClient) {
  done(teacher_, "open", {{"scene", "wave/double-slit"}, {"view", {{"automatic", true}}}});
  done(teacher_, "add_instrument", sized({{"kind", "cut"}}));
  done(teacher_, "add_instrument", sized({{"kind", "probe"}}));
  EXPECT_EQ(engine_.advance(40, 1e6).steps, 40);
  engine_.read();
  for (const bool curves : {false, true})
    for (const bool scene_units : {false, true}) {
      const Json with = {{"curves", curves}, {"scene_units", scene_units}};
      EXPECT_EQ(Json::parse(engine_.diagnostics(curves, scene_units)), done(guest_, "look", with)) << with;
      EXPECT_EQ(Json::parse(engine_.status(scene_units)), done(guest_, "status"));
    }
}

TEST_F(SharedEngineTest, CancelledStepLeavesTheRunAsBefore) {
  open("wave/rain");
  engine_.advance(3, 1e6);
  {
    StopRequest stop;
    const StopScopes scopes(engine_.run().experiment().backends(), stop);
    stop.request_stop();
    EXPECT_THROW(engine_.advance(5, 1e6), Stopped);
  }
  EXPECT_EQ(done(teacher_, "status")["steps"], 3);
  engine_.warn(Message("It took long."));
  engine_.read();
  EXPECT_NE(engine_.status(true).find("It took long."), std::string::npos);
  EXPECT_EQ(engine_.advance(5, 1e6).steps, 5);
}

TEST_F(SharedEngineTest, PaintsAsThePageDoes) {
  const Json scene = {{"scene", "wave/droplet"}, {"width", 64}, {"height", 64}};
  done(teacher_, "open", scene);
  engine_.advance(20, 1e6);
  WebEngine page(1);
  page.call(Json{{"call", "open"}, {"with", scene}}.dump());
  page.call(R"({"call": "advance", "with": {"steps": 20}})");
  const auto shared = engine_.paint(60, 41), own = page.paint(60, 41);
  ASSERT_EQ(shared.size(), 60u * 41u);
  EXPECT_TRUE(std::equal(shared.begin(), shared.end(), own.begin(), own.end()));
  EXPECT_THROW(engine_.paint(0, 5), InputError);
}

}  // namespace
}  // namespace perturb
