// A run that every browser computes: one order of entries for all, whoever comes when.
#include "app/serve/lockstep_run.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/serve/recorded_run.h"

namespace perturb {
namespace {

class LockstepRunTest : public RecordedRun {
 protected:
  LockstepRunTest() {
    served_ = std::make_unique<LockstepRun>(people_, "http://127.0.0.1/join#" + people_.code(), "wave/rain");
  }
  std::string refusal_of_order(const Browser& browser, const std::string& name, const Json& with) {
    return refusal(browser, "order", {{"call", name}, {"with", with}});
  }
  std::int64_t order(const Browser& browser, const std::string& name, const Json& with = Json::object()) {
    return done(browser, "order", {{"call", name}, {"with", with}}).value("n", std::int64_t{0});
  }
  Browser enter_and_open() {
    const Browser teacher = enter("");
    order(teacher, "open", {{"scene", "wave/rain"}});
    return teacher;
  }
  // The entries that a browser got, without the steps, which depend on the clock.
  static std::vector<std::string> entries(const Browser& browser) {
    std::vector<std::string> found;
    for (const Json& text : browser.socket->texts)
      for (const char* kind : {"do", "checksum", "state", "steps"})
        if (text.value("push", "") == kind) found.push_back(text.dump());
    return found;
  }
  static std::int64_t last_number(const Browser& browser) {
    std::int64_t last = 0;
    for (const std::string& entry : entries(browser)) last = Json::parse(entry)["n"];
    return last;
  }
  static long count(const Browser& browser, const char* push) {
    return static_cast<long>(browser.socket->pushes(push).size());
  }
  // As a page that executes everything at once; `sum`: of its state.
  void report(const Browser& browser, const std::string& sum = "") {
    Json with = {{"n", last_number(browser)}};
    if (!sum.empty()) {
      with["n"] = browser.socket->pushes("checksum").back()["n"];
      with["sum"] = sum;
    }
    done(browser, "done", with);
  }
  // The answer to the request for a state, in two parts.
  void send_state(const Browser& teacher) {
    const std::int64_t number = teacher.socket->pushes("state").back()["n"];
    done(teacher, "state_part", {{"n", number}, {"part", 0}, {"of", 2}, {"data", "QUJD"}});
    done(teacher, "state_part", {{"n", number}, {"part", 1}, {"of", 2}, {"data", "REVG"}});
  }
  // Until there are more entries than a late joiner should execute.
  void run_for_long(const Browser& teacher) {
    while (last_number(teacher) <= static_cast<std::int64_t>(LockstepRun::few_entries) + 5)
      order(teacher, "gesture", event("droplet", "release", 0.2, 0.3));
  }
};

TEST_F(LockstepRunTest, AllGetTheSameEntriesInOneOrder) {
  const Browser teacher = enter_and_open(), ada = enter("Ada"), bob = enter("Bob");
  const std::int64_t first = order(ada, "gesture", event("droplet", "press", 10, 20));
  const std::int64_t second = order(bob, "gesture", event("droplet", "press", 30, 20));
  EXPECT_EQ(second, Json::parse(entries(bob).back())["n"]);
  order(ada, "gesture", event("droplet", "release", 10, 20));
  run_until([&] { return count(teacher, "steps") > 0 && count(bob, "checksum") > 0; });
  EXPECT_EQ(entries(teacher), entries(ada));
  EXPECT_EQ(entries(teacher), entries(bob));
  std::int64_t number = 0;
  for (const std::string& entry : entries(teacher)) EXPECT_EQ(Json::parse(entry)["n"], ++number);
  // Everybody knows whose it is, and with which rights.
  for (const Json& entry : bob.socket->pushes("do")) {
    if (entry["n"] != first) continue;
    EXPECT_EQ(entry["person"], ada.person.id);
    EXPECT_EQ(entry["role"], "pupil");
    EXPECT_EQ(entry["call"], "gesture");
    EXPECT_EQ(entry["with"]["x"], 10);
    EXPECT_FALSE(entry.contains("name"));
  }
}

TEST_F(LockstepRunTest, RefusesWhatARoleMayNotDo) {
  const Browser teacher = enter_and_open(), ada = enter("Ada");
  for (const char* call : {"open", "restart", "view"})
    EXPECT_NE(refusal_of_order(ada, call, Json::object()).find("teacher"), std::string::npos) << call;
  // Not the same for all engines, or no call at all.
  for (const char* call : {"undo", "look", "save", "kernel", "lesson_open", "advance", "nothing"})
    EXPECT_NE(refusal_of_order(teacher, call, Json::object()), "") << call;
  for (const char* call : {"playback", "people", "allow", "remove", "names", "state_part", "picture"})
    EXPECT_EQ(refusal(ada, call), "Only the teacher can do this.") << call;
  EXPECT_NE(refusal(ada, "undo"), "");
  // All devices would get it.
  EXPECT_NE(refusal_of_order(ada, "set", {{"id", std::string(5000, 'x')}}), "");
  EXPECT_NE(refusal(ada, "done", {{"n", 0}, {"sum", "short"}}) + refusal(ada, "done", {{"n", -1}}), "");
  const Browser eve = enter(join_to_watch());
  EXPECT_NE(refusal_of_order(eve, "gesture", event("droplet", "press", 1, 1)), "");
  EXPECT_NE(refusal(teacher, "state_part", {{"n", 1}, {"part", 0}, {"of", 1}, {"data", ""}}), "");
  close(teacher);
  EXPECT_NE(refusal_of_order(ada, "gesture", event("droplet", "press", 1, 1)), "");
}

TEST_F(LockstepRunTest, EntriesOfPupilsHaveTheLocksOfTheirTime) {
  const Browser teacher = enter_and_open(), ada = enter("Ada");
  order(ada, "gesture", event("droplet", "press", 10, 20));
  done(teacher, "allow", {{"tools", {"wall"}}, {"parameters", Json::array()}});
  done(teacher, "names", {{"shown", true}});
  order(ada, "gesture", event("droplet", "press", 10, 20));
  const std::vector<Json> made = teacher.socket->pushes("do");
  ASSERT_EQ(made.size(), 3U);
  EXPECT_FALSE(made[1].contains("tools"));
  EXPECT_EQ(made[2]["tools"], Json({"wall"}));
  EXPECT_EQ(made[2]["parameters"], Json::array());
  EXPECT_EQ(made[2]["objects"], false);
  EXPECT_EQ(made[2]["name"], "Ada");
  EXPECT_EQ(count(ada, "allowed"), 1);
}

TEST_F(LockstepRunTest, LocksOnePupil) {
  const Browser teacher = enter_and_open(), ada = enter("Ada"), bob = enter("Bob");
  done(teacher, "allow", {{"person", ada.person.id}, {"changes", false}});
  EXPECT_EQ(ada.socket->pushes("allowed").back()["locked"], true);
  EXPECT_TRUE(bob.socket->pushes("allowed").empty()) << "what others may do has not changed";
  order(ada, "gesture", event("droplet", "press", 10, 20));
  EXPECT_EQ(teacher.socket->pushes("do").back()["locked"], true);
  order(bob, "gesture", event("droplet", "press", 10, 20));
  EXPECT_FALSE(teacher.socket->pushes("do").back().contains("locked"));
  EXPECT_NE(refusal(teacher, "allow", {{"person", teacher.person.id}, {"changes", false}}), "");
}

TEST_F(LockstepRunTest, WhoComesEarlyGetsAllEntries) {
  const Browser ada = enter("Ada");
  EXPECT_EQ(count(ada, "begin"), 1);
  const Browser teacher = enter_and_open(), bob = enter("Bob");
  EXPECT_EQ(bob.socket->pushes("begin")[0]["state"], false);
  EXPECT_EQ(entries(bob), entries(ada));
}

TEST_F(LockstepRunTest, WhoComesLateBeginsWithAStateOfTheTeacher) {
  const Browser teacher = enter_and_open(), ada = enter("Ada");
  run_until([&] { return count(teacher, "state") == 1; });  // another scene is open: older entries may go
  send_state(teacher);
  run_for_long(teacher);
  const Browser bob = enter("Bob");
  EXPECT_EQ(count(bob, "begin"), 0);
  run_until([&] { return count(teacher, "state") == 2; });
  EXPECT_EQ(count(ada, "state"), 2) << "all forget what people have begun";
  order(ada, "gesture", event("droplet", "press", 10, 20));
  send_state(teacher);
  const std::int64_t number = teacher.socket->pushes("state").back()["n"];
  ASSERT_EQ(count(bob, "begin"), 1);
  EXPECT_EQ(bob.socket->pushes("begin")[0]["n"], number);
  // Its first entry is the next one, and it misses none.
  const std::vector<std::string> own = entries(bob), all = entries(teacher);
  ASSERT_FALSE(own.empty());
  EXPECT_EQ(Json::parse(own.front())["n"], number + 1);
  EXPECT_TRUE(std::equal(own.rbegin(), own.rend(), all.rbegin()));
  HttpRequest request;
  request.path = "/state";
  const std::optional<HttpAnswer> state = served_->http(request);
  ASSERT_TRUE(state);
  EXPECT_EQ(Json::parse(state->body), Json({{"n", number}, {"data", "QUJDREVG"}}));
}

// A stroke that somebody holds for long is ended for all, so that the state has nothing that is not in it.
TEST_F(LockstepRunTest, StrokesEndBeforeAState) {
  const Browser teacher = enter_and_open(), ada = enter("Ada");
  run_until([&] { return count(teacher, "state") == 1; });
  send_state(teacher);
  run_for_long(teacher);
  order(ada, "gesture", event("droplet", "press", 10, 20));
  enter("Bob");
  run_until([&] { return count(teacher, "state") == 2; });
  const std::vector<Json> made = teacher.socket->pushes("do");
  EXPECT_EQ(made.back()["call"], "leave");
  EXPECT_EQ(made.back()["person"], ada.person.id);
  EXPECT_NE(refusal_of_order(ada, "gesture", event("droplet", "move", 12, 20)), "");
  EXPECT_EQ(refusal_of_order(ada, "gesture", event("droplet", "press", 12, 20)), "");
  EXPECT_EQ(refusal_of_order(ada, "gesture", event("droplet", "move", 14, 20)), "");
}

TEST_F(LockstepRunTest, AStateMustBeText) {
  const Browser teacher = enter_and_open();
  run_until([&] { return count(teacher, "state") == 1; });
  const std::int64_t number = teacher.socket->pushes("state").back()["n"];
  EXPECT_NE(refusal(teacher, "state_part", {{"n", number}, {"part", 0}, {"of", 1}, {"data", "a\"b"}}), "");
  EXPECT_FALSE(served_->http({"GET", "/other", "", "", "", {}, {}, "", ""}));
}

TEST_F(LockstepRunTest, TellsADeviceWithAnotherStateInAnyOrderOfReports) {
  const Browser teacher = enter_and_open(), ada = enter("Ada"), bob = enter("Bob");
  run_until([&] { return count(bob, "checksum") > 0; });
  report(ada, "00000000000000a1");
  report(teacher, "00000000000000a1");
  report(bob, "00000000000000b2");
  EXPECT_EQ(count(ada, "differs"), 0);
  EXPECT_EQ(count(bob, "differs"), 1);
  EXPECT_EQ(count(teacher, "differs"), 0);
  // It shows the teacher's pictures from now on, and computes no more.
  done(bob, "pictures", {{"wanted", true}});
  EXPECT_EQ(teacher.socket->pushes("show").back()["wanted"], true);
  const std::size_t before = entries(bob).size();
  order(ada, "gesture", event("droplet", "press", 10, 20));
  EXPECT_EQ(entries(bob).size(), before);
  done(teacher, "picture", {{"jpeg", "QUJD"}, {"width", 4}, {"height", 3}, {"step", 7}});
  ASSERT_EQ(count(bob, "picture"), 1);
  EXPECT_EQ(bob.socket->pushes("picture")[0]["jpeg"], "QUJD");
  EXPECT_EQ(count(ada, "picture"), 0);
  close(bob);
  run_until([&] { return teacher.socket->pushes("show").back()["wanted"] == false; });
}

// The clock stands still while the page that the others follow computes what it has, and while it is away.
TEST_F(LockstepRunTest, TheClockWaitsForTheTeachersPage) {
  const Browser ada = enter("Ada");
  Browser teacher = enter("");
  EXPECT_EQ(count(ada, "steps"), 0) << "no scene is open";
  order(teacher, "open", {{"scene", "wave/rain"}});
  done(teacher, "playback", {{"steps_per_frame", 2}});
  const auto steps = [&] {
    std::int64_t sum = 0;
    for (const Json& one : ada.socket->pushes("steps")) sum += one["count"].get<std::int64_t>();
    return sum;
  };
  run_until([&] { return steps() > 60; });
  const std::jthread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    served_->received(ada.socket, R"({"id":9999,"call":"watch"})");
  });
  run_until([&] { return ada.socket->answer(9999); });
  const auto most = static_cast<std::int64_t>(60 * 2 * (LockstepRun::max_lead + 0.2));
  EXPECT_LE(steps(), most);
  const std::int64_t before = steps();
  report(teacher);
  run_until([&] { return steps() > before; });
  close(teacher);
  run_until([&] { return count(ada, "waits") > 0 && ada.socket->pushes("waits").back()["waits"] == true; });
  teacher = enter("");
  EXPECT_EQ(ada.socket->pushes("waits").back()["waits"], false);
  EXPECT_EQ(entries(teacher).size(), entries(ada).size());
}

TEST_F(LockstepRunTest, RemovesAPupil) {
  const Browser teacher = enter_and_open(), ada = enter("Ada");
  order(ada, "gesture", event("droplet", "press", 10, 20));
  done(teacher, "remove", {{"person", ada.person.id}});
  EXPECT_EQ(ada.socket->close_code, CloseCode::policy);
  EXPECT_EQ(teacher.socket->pushes("do").back()["call"], "leave");
  EXPECT_NE(refusal(teacher, "remove", {{"person", ada.person.id}}), "");
}

TEST_F(LockstepRunTest, SurvivesGarbage) {
  const Browser teacher = enter_and_open();
  for (const char* text :
       {"", "{", "[]", "null", R"({"id":90001})", R"({"id":-1,"call":"order"})",
        R"({"id":90002,"call":"order","with":{"call":"gesture","with":[]}})",
        R"({"id":90003,"call":"order","with":{"call":7}})", R"({"id":90004,"call":"done","with":{"n":1e9}})",
        R"({"id":90005,"call":"order","with":{"call":"drag_object","with":{"end":1}}})"})
    served_->received(teacher.socket, text);
  done(teacher, "people");
}

}  // namespace
}  // namespace perturb
