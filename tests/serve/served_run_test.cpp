// A served run with connections that only record: who may call what, and who gets which numbers, pictures and messages.
#include "app/serve/served_run.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/io/image/png_codec.h"
#include "app/lessons/result_sheet.h"
#include "app/run/backends.h"
#include "app/run/runner.h"
#include "app/serve/video/video_encoder.h"
#include "app/serve/video/video_message.h"
#include "app/web/engine/calls.h"
#include "tests/serve/recorded_run.h"
#include "tests/support/scene_of_width.h"

namespace perturb {
namespace {

class ServedRunTest : public RecordedRun {
 protected:
  ServedRunTest() { begin({{"scene", "wave/rain"}, {"width", 64}, {"height", 64}}); }
  // Serves another scene, to nobody yet.
  void begin(const Json& scene) {
    const Json opened = Json::parse(engine_.call(owner_, Json{{"call", "open"}, {"with", scene}}.dump()));
    EXPECT_FALSE(opened.contains("error")) << opened;
    served_ = std::make_unique<ServedRun>(engine_, people_, "http://127.0.0.1/join#" + people_.code());
  }
  void pause(const Browser& teacher) { done(teacher, "playback", {{"playing", false}}); }
  std::int64_t steps() { return engine_.run().status()->steps; }
  std::string last_action() {
    const std::vector<Event>& log = engine_.run().experiment().log();
    return log.empty() ? "" : std::get<Action>(log.back().change).kind;
  }

  SharedEngine engine_{make_backends("cpu", 1)};
  const int owner_ = engine_.add_client(Role::owner);
};

// ---- calls

TEST_F(ServedRunTest, AllowsItsCallsByRole) {
  const Browser teacher = enter(""), ada = enter("Ada"), bob = enter("Bob"), guest = enter(join_to_watch());
  struct Row {
    const char* call;
    Json with;
    bool is_for_all;
  };
  const std::vector<Row> rows = {
      {"hello", {{"video", "none"}}, true},          {"watch", {{"curves", true}}, true},
      {"playback", {{"playing", false}}, false},     {"playback", {{"one_step", true}}, false},
      {"playback", {{"steps_per_frame", 3}}, false}, {"people", Json::object(), false},
      {"allow", {{"tools", Json::array()}}, false},  {"names", {{"shown", true}}, false},
      {"show_results", Json::object(), false},       {"class_results", Json::object(), false},
      {"remove", {{"person", bob.person.id}}, false}};
  done(teacher, "lesson_open", {{"path", "membrane/drum-modes"}});
  const std::vector<std::string> of_engine = names_of_calls();
  for (const Row& row : rows) {
    EXPECT_EQ(std::count(of_engine.begin(), of_engine.end(), row.call), 0) << row.call << " is hidden";
    for (const Browser* one : {&ada, &guest})
      EXPECT_EQ(refusal(*one, row.call, row.with), row.is_for_all ? "" : "Only the teacher can do this.") << row.call;
    EXPECT_EQ(refusal(teacher, row.call, row.with), "") << row.call;
  }
  EXPECT_EQ(people_.all().size(), 3u);
}

TEST_F(ServedRunTest, PassesOtherCallsToTheEngineInTheRoleOfThePerson) {
  const Browser teacher = enter(""), ada = enter("Ada"), guest = enter(join_to_watch());
  const int own_teacher = engine_.add_client(Role::teacher), own_pupil = engine_.add_client(Role::pupil),
            own_guest = engine_.add_client(Role::spectator);
  const auto by_role = [](const std::string& error) {
    const bool is = error.starts_with("A shared run does not do this: ") || error.starts_with("Only the teacher can") ||
                    error.starts_with("You can only watch");
    return is ? error : "";
  };
  // Without arguments many fail; but not for the role.
  for (const std::string& name : names_of_calls())
    for (const auto& [browser, client] :
         {std::pair(&teacher, own_teacher), std::pair(&ada, own_pupil), std::pair(&guest, own_guest)}) {
      const Json direct = Json::parse(engine_.call(client, Json{{"call", name}}.dump()));
      EXPECT_EQ(by_role(refusal(*browser, name)), by_role(direct.value("error", ""))) << name;
    }
}

TEST_F(ServedRunTest, SendsNothingBeforeHello) {
  const Browser silent = open(join("Ada")), teacher = enter("", "jpeg");
  run_until([&] { return !teacher.socket->pushes("numbers").empty() && teacher.socket->media.size() > 2; });
  done(teacher, "playback", {{"steps_per_frame", 2}});
  EXPECT_TRUE(silent.socket->texts.empty());
  EXPECT_TRUE(silent.socket->media.empty());
  EXPECT_TRUE(silent.socket->ends.empty());
  for (const char* name : {"status", "watch", "playback", "gesture", "nonsense"})
    EXPECT_EQ(refusal(silent, name), "The page has not introduced itself. Reload it.") << name;
  EXPECT_NE(refusal(silent, "hello", {{"video", 5}}), "");
  EXPECT_NE(refusal(silent, "status"), "") << "that was no introduction";
  done(silent, "hello", {{"video", "jpeg"}});
  run_until([&] { return !silent.socket->pushes("numbers").empty() && !silent.socket->media.empty(); });
}

TEST_F(ServedRunTest, HelloDescribesTheRun) {
  const Json hello = done(open(join("Ada")), "hello", {{"video", "none"}});
  EXPECT_EQ(hello["role"], "pupil");
  EXPECT_EQ(hello["name"], "Ada");
  EXPECT_EQ(hello["playing"], true);
  EXPECT_TRUE(hello["allowed"]["tools"].is_null());
  EXPECT_TRUE(hello["allowed"]["parameters"].is_null());
  EXPECT_EQ(hello["status"]["scene"], "wave/rain");
  EXPECT_FALSE(hello["catalog"]["simulations"].empty());
  const int width = hello["picture"]["width"], height = hello["picture"]["height"];
  EXPECT_EQ(width % 2 + height % 2, 0);
  EXPECT_EQ(width, height) << "the tank is a square";
  EXPECT_LE(width * height, ServedRun::max_pixels);
  EXPECT_EQ(done(open(join("")), "hello")["role"], "teacher");
}

TEST_F(ServedRunTest, AnswersNonsenseAndGoesOn) {
  const Browser teacher = enter(""), ada = enter("Ada");
  pause(teacher);
  const std::string nested(20'000, '['), unnested(20'000, ']');
  std::string objects;
  for (int k = 0; k < 9'000; ++k) objects += "{\"a\":";
  objects += "1" + std::string(9'000, '}');
  for (const std::string& text : {std::string(),
                                  std::string("{"),
                                  std::string("null"),
                                  std::string("7"),
                                  std::string("[]"),
                                  std::string("{}"),
                                  std::string("\xff\xfe"),
                                  std::string("{\"id\":1,\"call\":\"status\"} x"),
                                  nested,
                                  nested + unnested,
                                  "{\"id\":1,\"call\":\"act\",\"with\":" + nested + unnested + "}",
                                  "{\"id\":1,\"call\":\"act\",\"with\":" + objects + "}",
                                  std::string(R"({"call":"restart"})"),
                                  std::string(R"({"id":"7","call":"restart"})"),
                                  std::string(R"({"id":-1,"call":"restart"})"),
                                  std::string(R"({"id":1.5,"call":"restart"})"),
                                  std::string(R"({"id":1e300,"call":"restart"})"),
                                  std::string(R"({"id":9223372036854775807,"call":"restart"})"),
                                  std::string(R"({"id":null,"call":"restart"})"),
                                  std::string(R"({"id":[1],"call":"restart"})")}) {
    const std::size_t before = teacher.socket->texts.size();
    served_->received(teacher.socket, text);
    run_until([&] { return teacher.socket->texts.size() > before; });
    const Json answer = teacher.socket->texts.at(before);
    EXPECT_EQ(answer.at("id"), nullptr) << text.substr(0, 60);
    EXPECT_EQ(answer.at("kind"), "input") << text.substr(0, 60);
    EXPECT_NE(answer.at("error"), "") << text.substr(0, 60);
  }
  const std::uint64_t opening = engine_.run().experiment().opening();
  EXPECT_NE(refusal(teacher, "explode").find("explode"), std::string::npos);
  EXPECT_NE(refusal(teacher, ""), "");
  for (const Json& with : {Json(7), Json("x"), Json::array({1, 2}), Json(nullptr)}) {
    for (const char* name : {"open", "gesture", "act", "set", "remove", "return_to_step"})
      EXPECT_NE(refusal(teacher, name, with), "") << name << with;
    for (const char* name : {"watch", "people", "allow", "names", "status"})
      EXPECT_EQ(refusal(teacher, name, with), "") << name << with;
  }
  for (const char* name : {"tools", "parameters"})
    for (const Json& list : {Json(7), Json::array({1}), Json::array({Json::array()})})
      EXPECT_NE(refusal(teacher, "allow", {{name, list}}), "") << list;
  EXPECT_NE(refusal(teacher, "playback", {{"steps_per_frame", 0}}), "");
  EXPECT_NE(refusal(teacher, "playback", {{"playing", "yes"}}), "");
  EXPECT_EQ(engine_.run().experiment().opening(), opening);
  EXPECT_EQ(done(ada, "status")["steps"], steps());
  EXPECT_TRUE(done(ada, "hello")["allowed"]["tools"].is_null());
}

TEST_F(ServedRunTest, IgnoresConnectionsThatItDoesNotHave) {
  const Browser ada = enter("Ada");
  const auto stranger = std::make_shared<RecordedConnection>([] {});
  served_->received(stranger, R"({"id":1,"call":"hello"})");
  served_->closed(stranger);
  close(ada);
  served_->received(ada.socket, R"({"id":999999,"call":"status"})");
  done(enter("Bob"), "status");
  EXPECT_TRUE(stranger->texts.empty());
  EXPECT_EQ(ada.socket->answer(999'999), nullptr);
}

TEST_F(ServedRunTest, AnswersCallsOfAnotherThreadInTheirOrder) {
  const Person person = join("Ada");
  const Browser teacher = enter("");
  const auto socket = std::make_shared<RecordedConnection>([this] {
    if (stop_ && is_reached_()) stop_->request_stop();
  });
  constexpr int calls = 100;
  const std::jthread server([&] {
    served_->opened(socket, person);
    served_->received(socket, R"({"id":0,"call":"hello"})");
    for (int k = 1; k < calls; ++k)
      served_->received(socket, Json{{"id", k}, {"call", k % 2 == 0 ? "status" : "describe"}}.dump());
    served_->closed(socket);
  });
  run_until([&] { return socket->answer(calls - 1); });
  int next = 0;
  for (const Json& text : socket->texts)
    if (text.contains("id")) {
      EXPECT_EQ(text["id"], next++);
    }
  EXPECT_EQ(next, calls);
}

// ---- numbers

TEST_F(ServedRunTest, SendsNumbersToAllAsEachWantsThem) {
  const Browser teacher = enter(""), ada = enter("Ada"), bob = enter("Bob");
  done(ada, "watch", {{"curves", true}, {"scene_units", false}});
  const auto newest = [](const Browser& browser) { return browser.socket->pushes("numbers").back(); };
  const auto has_moved = [&](const Browser& browser) {
    return !browser.socket->pushes("numbers").empty() && newest(browser)["status"]["steps"] > 0;
  };
  run_until([&] { return has_moved(ada) && has_moved(bob); });
  EXPECT_EQ(newest(ada)["diagnostics"]["step"], newest(ada)["status"]["steps"]);
  pause(teacher);
  const std::size_t before = bob.socket->pushes("numbers").size();
  done(bob, "watch");
  run_until([&] { return bob.socket->pushes("numbers").size() > before; });
  EXPECT_EQ(newest(ada)["diagnostics"], Json::parse(engine_.diagnostics(true, false)));
  EXPECT_EQ(newest(bob)["diagnostics"], Json::parse(engine_.diagnostics(false, true)));
  EXPECT_EQ(newest(bob)["status"]["steps"], steps());
}

// ---- pictures

class ServedVideoTest : public ServedRunTest {
 protected:
  void SetUp() override {
    if (const Message reason = VideoEncoder::why_not(); !reason.empty()) GTEST_SKIP() << reason;
  }
  // A start, then a key frame, then all others.
  static void expect_whole_video(std::span<const Medium> media) {
    ASSERT_GE(media.size(), 2u);
    EXPECT_EQ(media[0].kind(), MessageKind::start);
    EXPECT_TRUE(media[1].is_key());
    for (std::size_t k = 1; k < media.size(); ++k) {
      EXPECT_EQ(media[k].kind(), MessageKind::fragment) << k;
      EXPECT_EQ(media[k].number(), media[1].number() + k - 1);
      EXPECT_GE(media[k].step(), media[k - 1].step());
    }
  }
};

TEST_F(ServedVideoTest, BeginsWithStartAndKeyFrame) {
  const Browser ada = enter("Ada", "webcodecs"), bob = enter("Bob", "mse");
  run_until([&] { return ada.socket->media.size() > 6 && bob.socket->media.size() > 6; });
  const Browser cem = enter("Cem", "mse");
  run_until([&] { return cem.socket->media.size() > 3; });
  for (const Browser& one : {ada, bob, cem}) expect_whole_video(one.socket->media);
  EXPECT_GT(cem.socket->media[1].number(), 0u) << "of the same video";
  EXPECT_GT(cem.socket->media.back().step(), 0);
  for (const Browser& one : {bob, cem})
    EXPECT_EQ(one.socket->media.back().bytes, ada.socket->media.back().bytes) << "one buffer for all";
}

TEST_F(ServedVideoTest, ClientThatRefusedMediaContinuesWithKeyFrame) {
  const Browser ada = enter("Ada", "webcodecs"), bob = enter("Bob", "webcodecs"), cem = open(join("Cem"));
  cem.socket->refuses_media = true;
  done(cem, "hello", {{"video", "webcodecs"}});
  run_until([&] { return ada.socket->media.size() > 3 && cem.socket->refused > 0; });
  ada.socket->refuses_media = true;
  run_until([&] { return ada.socket->refused > 0; });
  const std::size_t before = ada.socket->media.size();
  const std::uint64_t last = ada.socket->media.back().number();
  ada.socket->refuses_media = cem.socket->refuses_media = false;
  run_until([&] { return ada.socket->media.size() > before + 2 && cem.socket->media.size() > 2; });
  EXPECT_EQ(ada.socket->media[before].kind(), MessageKind::fragment);
  EXPECT_TRUE(ada.socket->media[before].is_key());
  EXPECT_GT(ada.socket->media[before].number(), last + 1);
  EXPECT_EQ(ada.socket->count(MessageKind::start), 1);
  expect_whole_video(std::span(ada.socket->media).first(before));
  expect_whole_video(bob.socket->media);
  expect_whole_video(cem.socket->media);
}

TEST_F(ServedVideoTest, AnotherSceneIsAnotherVideo) {
  const Browser teacher = enter(""), ada = enter("Ada", "webcodecs"), bob = enter("Bob", "mse");
  run_until([&] { return ada.socket->media.size() > 3 && bob.socket->media.size() > 3; });
  pause(teacher);
  EXPECT_NE(refusal(ada, "open", {{"scene", "wave/droplet"}}), "");
  const std::size_t before = ada.socket->media.size(), before_bob = bob.socket->media.size();
  const std::size_t pushed = ada.socket->pushes("playing").size();
  done(teacher, "open", {{"scene", "wave/string"}, {"width", 128}});
  run_until([&] { return ada.socket->media.size() > before + 3 && bob.socket->media.size() > before_bob + 3; });
  for (const auto& [browser, from] : {std::pair(&ada, before), std::pair(&bob, before_bob)}) {
    const std::span<const Medium> media = std::span(browser->socket->media).subspan(from);
    expect_whole_video(media);
    EXPECT_EQ(media[1].number(), 0u);
    EXPECT_NE(*media[0].bytes, *browser->socket->media[0].bytes) << "another aspect";
    EXPECT_EQ(browser->socket->pushes("playing").back()["playing"], true);
  }
  EXPECT_GT(ada.socket->pushes("playing").size(), pushed);
}

TEST_F(ServedRunTest, SendsJpegToThoseWhoWantItAndNothingToOthers) {
  const Browser ada = enter("Ada", "jpeg"), bob = enter("Bob", "jpeg"), cem = enter("Cem"),
                dan = enter("Dan", "webcodecs");
  bob.socket->refuses_media = true;
  run_until([&] { return ada.socket->media.size() > 3 && dan.socket->media.size() > 3 && bob.socket->refused > 2; });
  bob.socket->refuses_media = false;
  run_until([&] { return !bob.socket->media.empty(); });
  for (const Browser& one : {ada, bob})
    for (const Medium& medium : one.socket->media) {
      EXPECT_EQ(medium.kind(), MessageKind::jpeg);
      EXPECT_TRUE(medium.is_key());
      EXPECT_TRUE(medium.file().starts_with("\xff\xd8\xff"));
    }
  EXPECT_TRUE(cem.socket->media.empty());
  EXPECT_EQ(dan.socket->count(MessageKind::jpeg) == 0, VideoEncoder::why_not().empty());
}

TEST_F(ServedRunTest, PausedRunSendsItsExactPictureOnceToEach) {
  const Browser teacher = enter(""), ada = enter("Ada", "jpeg"), bob = enter("Bob", "webcodecs");
  const auto stills = [](const Browser& browser) { return browser.socket->count(MessageKind::png); };
  run_until([&] { return ada.socket->media.size() > 1 && bob.socket->media.size() > 1; });
  pause(teacher);
  for (const Browser& one : {teacher, ada, bob}) EXPECT_EQ(one.socket->pushes("playing").back()["playing"], false);
  run_until([&] { return stills(ada) > 0 && stills(bob) > 0; });
  const Browser cem = enter("Cem", "jpeg");
  run_until([&] { return stills(cem) > 0; });
  close(cem);
  const Browser dan = enter("Dan", "webcodecs");
  run_until([&] { return stills(dan) > 0; });
  for (const Browser& one : {ada, bob, cem, dan}) {
    EXPECT_EQ(stills(one), 1);
    ASSERT_EQ(one.socket->media.back().kind(), MessageKind::png);
    EXPECT_EQ(one.socket->media.back().step(), static_cast<double>(steps()));
  }
  for (const Browser& one : {cem, dan}) EXPECT_EQ(one.socket->media.size(), 1u) << "the run does not move for them";

  const Json size = done(ada, "hello")["picture"];
  const int width = size["width"], height = size["height"];
  Picture sent;
  ASSERT_TRUE(read_color_png(ada.socket->media.back().file(), sent));
  ASSERT_EQ(sent.width, width);
  ASSERT_EQ(sent.height, height);
  const std::span<const std::uint32_t> painted = engine_.paint(width, height);  // top row first
  const auto columns = static_cast<std::size_t>(width), rows = static_cast<std::size_t>(height);
  constexpr std::uint32_t colors = 0xFFFFFF;
  std::size_t different = 0;
  for (std::size_t j = 0; j < rows; ++j)
    for (std::size_t i = 0; i < columns; ++i)
      if (((painted[j * columns + i] ^ sent.pixels[(rows - 1 - j) * columns + i]) & colors) != 0) ++different;
  EXPECT_EQ(different, 0u);

  const std::int64_t before = steps();
  done(teacher, "playback", {{"one_step", true}});
  EXPECT_EQ(steps(), before + 1);
  run_until([&] { return stills(ada) > 1 && stills(bob) > 1 && stills(dan) > 1; });
  for (const Browser& one : {ada, bob, dan}) {
    EXPECT_EQ(stills(one), 2);
    EXPECT_EQ(one.socket->media.back().step(), static_cast<double>(before + 1));
  }
  EXPECT_EQ(steps(), before + 1);
}

// ---- people

TEST_F(ServedRunTest, PokeOfAPupilIsMarkedForAll) {
  const Browser teacher = enter(""), ada = enter("Ada"), bob = enter("Bob");
  done(ada, "gesture", event("droplet", "press", 100, 300));
  done(ada, "gesture", event("droplet", "move", 120, 300));
  done(ada, "gesture", event("droplet", "release", 120, 300));
  EXPECT_NE(refusal(ada, "gesture", event("hammer", "press", 100, 300)), "");
  done(teacher, "names", {{"shown", true}});
  done(ada, "gesture", event("droplet", "press", 200, 100));
  const Camera::Point place = engine_.run().position_of(100, 300, 400, 400);
  for (const Browser& one : {teacher, ada, bob}) {
    const std::vector<Json> marks = one.socket->pushes("mark");
    ASSERT_EQ(marks.size(), 2u);
    EXPECT_EQ(marks[0]["at"], (Json{0.25, 0.75}));
    EXPECT_EQ(marks[0]["x"], place.x);
    EXPECT_EQ(marks[0]["y"], place.y);
    EXPECT_EQ(marks[0]["color"], ada.person.id);
    EXPECT_EQ(marks[0]["name"], "");
    EXPECT_EQ(marks[1]["at"], (Json{0.5, 0.25}));
    EXPECT_EQ(marks[1]["name"], "Ada");
  }
  done(teacher, "names", {{"shown", false}});
  done(bob, "gesture", event("droplet", "press", 200, 100));
  EXPECT_EQ(ada.socket->pushes("mark").back()["name"], "");
}

TEST_F(ServedRunTest, SpectatorSeesAllAndChangesNothing) {
  const Browser teacher = enter(""), guest = enter(join_to_watch(), "jpeg"), ada = enter("Ada");
  const Json hello = done(guest, "hello", {{"video", "jpeg"}});
  EXPECT_EQ(hello["role"], "spectator");
  EXPECT_EQ(hello["name"], "");
  run_until([&] { return !guest.socket->media.empty() && !guest.socket->pushes("numbers").empty(); });
  done(guest, "look", {{"curves", true}});
  pause(teacher);
  done(teacher, "lesson_open", {{"path", "wave/two-slits"}});
  EXPECT_EQ(guest.socket->pushes("lesson").back()["lesson"]["index"], 0);
  done(teacher, "lesson_close");
  const std::size_t events = engine_.run().experiment().log().size();
  const Json droplet = {{"kind", "droplet"}, {"values", {{"x", 0.5}, {"y", 0.5}}}};
  for (const auto& [call, with] :
       {std::pair("gesture", event("droplet", "press", 100, 100)), std::pair("act", Json{{"action", droplet}}),
        std::pair("place", Json{{"kind", "oscillator"}}),
        std::pair("drag_object", Json{{"object", 1}, {"handle", 0}, {"start", {9, 9}}}),
        std::pair("set", Json{{"changes", {{"damping", 0.02}}}}), std::pair("lesson_answer", Json{{"number", "1"}})})
    EXPECT_EQ(refusal(guest, call, with), "You can only watch this run. Join as a pupil to take part.") << call;
  EXPECT_EQ(engine_.run().experiment().log().size(), events);
  EXPECT_TRUE(ada.socket->pushes("mark").empty());
  const Json people = done(teacher, "people")["people"];
  EXPECT_EQ(
      people[1],
      (Json{{"id", guest.person.id}, {"name", ""}, {"role", "spectator"}, {"connected", true}, {"locked", false}}));
  done(teacher, "remove", {{"person", guest.person.id}});
  EXPECT_EQ(guest.socket->close_code, CloseCode::policy);
}

TEST_F(ServedRunTest, TeacherLocksToolsAndParameters) {
  const Browser teacher = enter(""), ada = enter("Ada");
  const Json press = event("droplet", "press", 100, 150), wall = event("wall", "press", 100, 150);
  const Json damping = {{"changes", {{"damping", 0.02}}}};
  const std::string locked = "The teacher has locked this tool. Choose another one.";
  done(teacher, "allow", {{"tools", {"droplet"}}, {"parameters", Json::array()}});
  const Browser bob = enter("Bob");
  for (const Browser& one : {teacher, ada}) {
    ASSERT_EQ(one.socket->pushes("allowed").size(), 1u);
    EXPECT_EQ(one.socket->pushes("allowed")[0]["tools"], Json::array({"droplet"}));
    EXPECT_EQ(one.socket->pushes("allowed")[0]["parameters"], Json::array());
  }
  EXPECT_EQ(done(bob, "hello")["allowed"]["tools"], Json::array({"droplet"}));
  for (const Browser& one : {ada, bob}) {
    EXPECT_EQ(refusal(one, "gesture", press), "");
    EXPECT_EQ(refusal(one, "gesture", wall), locked);
    EXPECT_EQ(done(one, "set", damping)["errors"].size(), 1u);
    EXPECT_NE(refusal(one, "place", {{"kind", "oscillator"}}), "");
  }
  EXPECT_EQ(refusal(teacher, "gesture", wall), "");
  EXPECT_TRUE(done(teacher, "set", damping)["errors"].empty());

  done(teacher, "allow", {{"tools", {"wall", "objects"}}});
  const std::set<std::string> open = ada.socket->pushes("allowed").back()["tools"];
  EXPECT_EQ(open, (std::set<std::string>{"objects", "wall"}));
  EXPECT_EQ(ada.socket->pushes("allowed").back()["parameters"], Json::array()) << "not given: as before";
  EXPECT_EQ(refusal(ada, "gesture", press), locked);
  EXPECT_EQ(refusal(ada, "place", {{"kind", "oscillator"}}), "");

  done(teacher, "allow", {{"tools", nullptr}, {"parameters", nullptr}});
  EXPECT_TRUE(ada.socket->pushes("allowed").back()["tools"].is_null());
  EXPECT_TRUE(ada.socket->pushes("allowed").back()["parameters"].is_null());
  EXPECT_EQ(refusal(ada, "gesture", press), "");
  EXPECT_TRUE(done(bob, "set", damping)["errors"].empty());
}

TEST_F(ServedRunTest, TeacherLocksOnePupil) {
  begin({{"scene", "fibers/lone"}});
  const Browser teacher = enter(""), ada = enter("Ada"), bob = enter("Bob"), guest = enter(join_to_watch());
  pause(teacher);
  const auto lock = [&](const Browser& browser, bool locks) {
    return refusal(teacher, "allow", {{"person", browser.person.id}, {"changes", !locks}});
  };
  const Json set = {{"changes", {{"time_step", 0.01}}}};
  const std::string locked = "The teacher has locked the run for you. You can still watch and answer.";
  done(ada, "gesture", event("pull", "press", 200, 200));
  done(ada, "gesture", event("pull", "move", 240, 200));
  EXPECT_EQ(lock(ada, true), "");
  EXPECT_EQ(last_action(), "let-go") << "her gesture ends";
  EXPECT_EQ(ada.socket->pushes("allowed").back()["locked"], true);
  EXPECT_TRUE(bob.socket->pushes("allowed").empty());
  EXPECT_EQ(teacher.socket->pushes("people").back()["people"][1]["locked"], true);
  const std::size_t events = engine_.run().experiment().log().size();
  EXPECT_EQ(refusal(ada, "gesture", event("pull", "press", 200, 200)), locked);
  EXPECT_EQ(refusal(ada, "place", {{"kind", "fiber"}}), locked);
  EXPECT_EQ(refusal(ada, "drag_object", {{"object", 1}, {"handle", 0}, {"start", {9, 9}}}), locked);
  EXPECT_EQ(done(ada, "set", set)["errors"].size(), 1u);
  EXPECT_EQ(refusal(ada, "act", {{"action", {{"kind", "let-go"}}}}), locked);
  EXPECT_EQ(engine_.run().experiment().log().size(), events);
  EXPECT_EQ(refusal(bob, "gesture", event("pull", "press", 200, 200)), "");

  // The locks of all change nothing of it, and neither does a new connection.
  done(teacher, "allow", {{"tools", nullptr}, {"parameters", nullptr}});
  close(ada);
  const Browser again = enter(ada.person);
  EXPECT_EQ(done(again, "hello")["allowed"]["locked"], true);
  EXPECT_EQ(refusal(again, "gesture", event("pull", "press", 200, 200)), locked);
  done(teacher, "lesson_open", {{"path", "membrane/drum-modes"}});
  done(again, "lesson_answer", {{"number", "3"}});
  done(teacher, "open", {{"scene", "fibers/lone"}});
  EXPECT_EQ(refusal(again, "gesture", event("pull", "press", 200, 200)), locked) << "in another scene";

  done(teacher, "allow", {{"tools", {"pull"}}, {"parameters", Json::array()}});
  EXPECT_EQ(lock(ada, false), "");
  EXPECT_EQ(again.socket->pushes("allowed").back(), bob.socket->pushes("allowed").back());
  EXPECT_EQ(refusal(again, "gesture", event("pull", "press", 200, 200)), "");
  EXPECT_EQ(done(again, "set", set)["errors"].size(), 1u) << "locked for all";

  for (const Browser& one : {teacher, guest}) EXPECT_EQ(lock(one, true), "Only pupils can be locked.");
  EXPECT_EQ(refusal(teacher, "allow", {{"person", 99}}), "There is no such person any more.");
  EXPECT_EQ(refusal(bob, "allow", {{"person", bob.person.id}, {"changes", true}}), "Only the teacher can do this.");
}

TEST_F(ServedRunTest, RemovedPersonIsToldAndDisconnected) {
  const Browser teacher = enter(""), ada = enter("Ada"), second_tab = open(ada.person), bob = enter("Bob");
  done(second_tab, "hello");
  const std::size_t before = ada.socket->ends.size();
  done(teacher, "remove", {{"person", ada.person.id}});
  for (const Browser& one : {ada, second_tab}) {
    EXPECT_EQ(one.socket->close_code, CloseCode::policy);
    EXPECT_EQ(one.socket->ends.back()["message"], "The teacher has removed you from this run.");
  }
  EXPECT_EQ(ada.socket->ends.size(), before + 1) << "the end of all is not sent to her";
  EXPECT_FALSE(bob.socket->close_code);
  const Json list = teacher.socket->pushes("people").back()["people"];
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[1]["name"], "Bob");
  EXPECT_NE(refusal(teacher, "remove", {{"person", ada.person.id}}), "");
  EXPECT_NE(refusal(teacher, "remove", {{"person", teacher.person.id}}), "");
  // Calls that were under way, and a tab that was just opened.
  served_->received(ada.socket, R"({"id":5,"call":"gesture"})");
  const Browser late = open(ada.person);
  close(ada);
  close(second_tab);
  done(bob, "gesture", event("droplet", "press", 100, 100));
  EXPECT_EQ(late.socket->close_code, CloseCode::policy);
  close(late);
  const Browser again = enter("Ada");
  EXPECT_NE(again.person.id, ada.person.id);
  done(again, "gesture", event("droplet", "press", 100, 100));
}

TEST_F(ServedRunTest, TeacherSeesWhoIsConnected) {
  const Browser teacher = enter(""), ada = enter("Ada"), bob = enter("Bob");
  const auto row = [&](const Browser& browser) {
    const Json answer = done(teacher, "people");
    for (const Json& one : answer["people"])
      if (one["id"] == browser.person.id) return one;
    return Json();
  };
  EXPECT_EQ(row(ada),
            (Json{{"id", ada.person.id}, {"name", "Ada"}, {"role", "pupil"}, {"connected", true}, {"locked", false}}));
  const std::size_t pushed = teacher.socket->pushes("people").size();
  const Browser tab = open(ada.person);
  close(ada);
  EXPECT_EQ(row(ada)["connected"], true) << "in another tab";
  close(tab);
  EXPECT_EQ(row(ada)["connected"], false);
  EXPECT_GT(teacher.socket->pushes("people").size(), pushed);
  const Json push = teacher.socket->pushes("people").back();
  EXPECT_EQ(push["code"], people_.code());
  EXPECT_EQ(push["names"], false);
  EXPECT_TRUE(bob.socket->pushes("people").empty());
  EXPECT_EQ(done(teacher, "people").dump().find(people_.secret()), std::string::npos);
}

TEST_F(ServedRunTest, PersonWhoReturnsContinues) {
  const Browser teacher = enter(""), ada = enter("Ada");
  done(teacher, "lesson_open", {{"path", "wave/two-slits"}});
  close(ada);
  const Browser back = open(ada.person);
  EXPECT_NE(refusal(back, "lesson_look"), "") << "first it says hello";
  done(back, "hello");
  done(back, "lesson_look");
}

TEST_F(ServedRunTest, ClosedConnectionReleasesItsGesture) {
  begin({{"scene", "fibers/lone"}});
  const Browser teacher = enter("", "jpeg"), ada = enter("Ada");
  pause(teacher);
  done(ada, "gesture", event("pull", "press", 200, 200));
  done(ada, "gesture", event("pull", "move", 240, 200));
  EXPECT_EQ(last_action(), "pull");
  run_until([&] { return teacher.socket->count(MessageKind::png) > 0; });
  const long before = teacher.socket->count(MessageKind::png);
  close(ada);
  run_until([&] { return teacher.socket->count(MessageKind::png) > before; });
  EXPECT_EQ(last_action(), "let-go");
  const Browser bob = enter("Bob");
  done(bob, "gesture", event("pull", "press", 200, 200));
  done(bob, "gesture", event("pull", "move", 240, 200));
  run_until([&] { return teacher.socket->count(MessageKind::png) > before + 1; });
  done(teacher, "remove", {{"person", bob.person.id}});
  EXPECT_EQ(last_action(), "let-go");
  run_until([&] { return teacher.socket->count(MessageKind::png) > before + 2; });
  const std::int64_t step = steps();
  done(teacher, "playback", {{"playing", true}});
  run_until([&] { return steps() > step; });
  done(enter("Cem"), "gesture", event("pull", "press", 200, 200));
}

// ---- time

TEST_F(ServedRunTest, PausesOnceWhenTheRunIsComplete) {
  const Browser teacher = enter("");
  const auto playing = [&] {
    const std::vector<Json> pushes = teacher.socket->pushes("playing");
    return pushes.empty() || pushes.back()["playing"] == true;
  };
  // A front of a few hundred discs, which crosses the domain in about 150 steps. (It begins at once: opened here.)
  done(teacher, "open",
       {{"scene", "particles/shock"}, {"width", 20}, {"height", 10}, {"parameters", {{"count", 200}, {"box", 100}}}});
  run_until([&] { return !playing(); });
  EXPECT_FALSE(engine_.run().status()->completion.empty());
  const std::int64_t step = steps();
  EXPECT_GT(step, 80);
  done(teacher, "playback", {{"playing", true}});
  const std::size_t numbers = teacher.socket->pushes("numbers").size();
  run_until([&] { return teacher.socket->pushes("numbers").size() > numbers + 1; });
  EXPECT_TRUE(playing()) << "the teacher continues";
  EXPECT_GT(steps(), step);
}

// ---- the lesson of a class

class ClassLessonTest : public ServedRunTest {
 protected:
  static Json newest(const Browser& browser, const char* push) {
    const std::vector<Json> pushes = browser.socket->pushes(push);
    return pushes.empty() ? Json() : pushes.back();
  }
  Json lesson_of(const Browser& pupil) { return newest(pupil, "lesson").value("lesson", Json()); }
  // What the teacher sees, once there are so many answers to this step.
  Json answers(const Browser& teacher, int step, int given, bool shown) {
    const auto now = [&] { return newest(teacher, "answers"); };
    run_until([&] {
      return now().is_object() && now()["step"] == step && now()["given"] == given && now()["shown"] == shown;
    });
    return now();
  }
};

TEST_F(ClassLessonTest, AllFollowTheTeacherAndAnswer) {
  const Browser teacher = enter(""), ada = enter("Ada"), bob = enter("Bob");
  EXPECT_NE(refusal(ada, "lesson_open", {{"path", "wave/two-slits"}}), "");
  EXPECT_NE(refusal(teacher, "show_results"), "");
  const Json opened = done(teacher, "lesson_open", {{"path", "membrane/drum-modes"}});
  EXPECT_EQ(opened["class"], (Json{{"shown", false}}));
  EXPECT_EQ(lesson_of(ada)["lesson"]["path"], "membrane/drum-modes");
  EXPECT_TRUE(teacher.socket->pushes("lesson").empty()) << "it has the answer of its call";
  for (const Browser& one : {ada, bob}) EXPECT_NE(refusal(one, "lesson_step", {{"index", 1}}), "");
  EXPECT_NE(refusal(ada, "show_results"), "");
  EXPECT_NE(refusal(ada, "class_results"), "");

  done(ada, "lesson_answer", {{"number", "1"}});
  const Browser cem = enter("Cem");
  EXPECT_EQ(done(cem, "hello")["lesson"]["index"], 0) << "late";
  done(cem, "lesson_answer", {{"number", "125 * sqrt(2)"}});
  const Json before = answers(teacher, 0, 2, false);
  EXPECT_EQ(before["people"], 3);
  EXPECT_EQ(before["kind"], "number");
  ASSERT_EQ(before["numbers"].size(), 2u);
  EXPECT_EQ(before["numbers"][0]["text"], "1");
  EXPECT_TRUE(before["numbers"][1]["points"].is_null());
  for (const char* hidden : {"found", "theory"}) EXPECT_FALSE(before.contains(hidden));
  EXPECT_TRUE(ada.socket->pushes("answers").empty()) << "pupils see only their own";

  // Measured after so many steps; nobody is told before the teacher shows it.
  run_until([&] { return steps() > 60; });
  EXPECT_EQ(done(cem, "lesson_look")["answer"]["waits"], true);
  EXPECT_NE(refusal(bob, "lesson_answer", {{"number", "1"}, {"index", 1}}), "") << "meant for another step";
  done(teacher, "show_results");
  EXPECT_NE(refusal(bob, "lesson_answer", {{"number", "1"}, {"index", 0}}), "") << "too late";
  EXPECT_EQ(lesson_of(cem)["points"], 2);
  EXPECT_EQ(lesson_of(ada)["points"], 0);
  EXPECT_EQ(lesson_of(ada)["answer"]["waits"], false);
  const Json after = answers(teacher, 0, 2, true);
  EXPECT_EQ(after["numbers"][0]["points"], 0);
  EXPECT_EQ(after["numbers"][1]["points"], 2);
  EXPECT_NEAR(after["found"].get<double>(), after["numbers"][1]["value"].get<double>(), 3);

  const Json table = done(teacher, "class_results");
  EXPECT_EQ(table["file"], "results-membrane-drum-modes.csv");
  const std::vector<ResultSheet> sheets = parse_result_sheets(table["text"], "table");
  ASSERT_EQ(sheets.size(), 3u);
  EXPECT_EQ(sheets[0].student, "Ada");
  EXPECT_EQ(sheets[0].rows[0].first_answer, "1");
  EXPECT_EQ(sheets[1].points(), 0) << "Bob has not answered";
  EXPECT_EQ(sheets[2].points(), 2);

  done(teacher, "lesson_step", {{"index", 1}});
  EXPECT_EQ(lesson_of(bob)["index"], 1);
  EXPECT_EQ(answers(teacher, 1, 0, false)["people"], 3);
  done(teacher, "lesson_close");
  EXPECT_TRUE(newest(bob, "lesson")["lesson"].is_null());
  EXPECT_TRUE(done(bob, "hello")["lesson"].is_null());
}

TEST_F(ClassLessonTest, ReturningPupilHasLessonAndAnswer) {
  const Browser teacher = enter("");
  const Person ada = join("Ada");
  const Browser first = open(ada);
  done(first, "hello", {{"video", "none"}});
  done(teacher, "lesson_open", {{"path", "membrane/drum-modes"}});
  done(first, "lesson_answer", {{"number", "3"}});
  close(first);
  const Json answered = answers(teacher, 0, 1, false);
  EXPECT_EQ(answered["people"], 1) << "the answer of one who is gone counts";
  const Browser again = open(ada);
  EXPECT_EQ(done(again, "hello", {{"video", "none"}})["lesson"]["answer"]["given"], "3");
  // A new start of the lesson has no answers.
  done(teacher, "lesson_open", {{"path", "membrane/drum-modes"}});
  EXPECT_TRUE(lesson_of(again)["answer"].is_null());
}

TEST_F(ClassLessonTest, EndsForAllWithAnotherScene) {
  const Browser teacher = enter(""), other = enter(""), ada = enter("Ada");
  for (const Browser& caller : {teacher, other}) {
    done(teacher, "lesson_open", {{"path", "membrane/drum-modes"}});
    EXPECT_EQ(lesson_of(ada)["index"], 0);
    done(caller, "open", {{"scene", "wave/droplet"}});
    EXPECT_TRUE(lesson_of(ada).is_null());
    EXPECT_NE(refusal(ada, "lesson_answer", {{"number", "3"}}), "");
    EXPECT_NE(refusal(teacher, "class_results"), "");
  }
}

TEST_F(ClassLessonTest, SpectatorIsNotCounted) {
  const Browser teacher = enter(""), guest = enter(join_to_watch()), ada = enter("Ada");
  done(teacher, "lesson_open", {{"path", "membrane/drum-modes"}});
  done(ada, "lesson_answer", {{"number", "3"}});
  EXPECT_EQ(answers(teacher, 0, 1, false)["people"], 1);
  EXPECT_EQ(parse_result_sheets(done(teacher, "class_results")["text"], "table").size(), 1u);
}

TEST_F(ClassLessonTest, RemovedPupilIsNoPartOfIt) {
  const Browser teacher = enter(""), ada = enter("Ada"), bob = enter("Bob");
  done(teacher, "lesson_open", {{"path", "membrane/drum-modes"}});
  done(ada, "lesson_answer", {{"number", "3"}});
  done(teacher, "remove", {{"person", ada.person.id}});
  done(teacher, "lesson_step", {{"index", 1}});  // before the connection of the removed one ends
  EXPECT_EQ(lesson_of(bob)["index"], 1);
  EXPECT_EQ(answers(teacher, 1, 0, false)["people"], 1);
}

TEST_F(ServedRunTest, StopTellsAll) {
  const Browser teacher = enter(""), ada = enter("Ada"), silent = open(join("Bob"));
  StopRequest stop;
  done(ada, "status");
  for (const Browser& one : {teacher, ada}) one.socket->ends.clear();
  stop.request_stop();
  served_->run(stop);
  for (const Browser& one : {teacher, ada}) {
    ASSERT_EQ(one.socket->ends.size(), 1u);
    EXPECT_EQ(one.socket->ends[0]["message"], "The teacher has ended this shared run.");
  }
  EXPECT_TRUE(silent.socket->ends.empty());
}

// ---- the run of another front end, as of a window

class VisitedRunTest : public testing::Test {
 protected:
  using Json = ServedJson;

  VisitedRunTest() {
    run_job(job::Visit{[this](Experiment& experiment) {
      engine_ = std::make_unique<SharedEngine>(experiment);
      served_ = std::make_unique<ServedRun>(*engine_, people_, "http://127.0.0.1/join#" + people_.code());
    }});
  }
  void run_job(RunJob job) {
    runner_.post(std::move(job), [](JobResult& result) { EXPECT_NO_THROW(result.check()); });
    while (!runner_.is_idle()) {
      runner_.wait_until(Runner::Clock::now() + std::chrono::seconds(1));
      runner_.deliver_results();
    }
  }
  void visit() {
    run_job(job::Visit{[this](Experiment&) { served_->visit(playing_, 5); }});
  }
  // A minute is only reached by a fault.
  void visit_until(const std::function<bool()>& is_reached) {
    const auto end = Runner::Clock::now() + std::chrono::minutes(1);
    while (!is_reached() && Runner::Clock::now() < end) visit();
    EXPECT_TRUE(is_reached());
  }
  std::shared_ptr<RecordedConnection> enter(const std::string& name) {
    const auto socket = std::make_shared<RecordedConnection>([] {});
    served_->opened(socket, people_.with_cookie(people_.join(people_.code(), name, "10.0.0.1", "").cookie).value());
    call(socket, "hello", {{"video", "jpeg"}});
    return socket;
  }
  Json call(const std::shared_ptr<RecordedConnection>& socket, const std::string& name, const Json& with) {
    const int id = ++last_id_;
    served_->received(socket, Json{{"id", id}, {"call", name}, {"with", with}}.dump());
    visit_until([&] { return socket->answer(id); });
    const Json* answer = socket->answer(id);
    return answer ? *answer : Json();
  }
  static Json event(const char* tool, const char* phase) {
    return {{"tool", tool}, {"phase", phase}, {"x", 100}, {"y", 100}, {"width", 400}, {"height", 400}};
  }

  std::unique_ptr<Backend> backend_ = Backend::make_cpu(1);
  Experiment experiment_{*backend_, scene_of_width("wave/droplet", 64)};
  People people_;
  bool playing_ = true;
  std::unique_ptr<SharedEngine> engine_;
  std::unique_ptr<ServedRun> served_;
  Runner runner_{experiment_, Runner::Where::own_thread};
  int last_id_ = 0;
};

TEST_F(VisitedRunTest, PeopleAndFrontEndChangeOneRun) {
  const auto ada = enter("Ada");
  EXPECT_TRUE(call(ada, "gesture", event("droplet", "press")).contains("result"));
  EXPECT_TRUE(call(ada, "gesture", event("droplet", "release")).contains("result"));
  EXPECT_EQ(runner_.status()->events, 1u) << "the front end knows it";
  EXPECT_FALSE(runner_.status()->next_undo.empty());
  run_job(job::Undo{});
  EXPECT_EQ(runner_.status()->events, 0u);
  EXPECT_EQ(call(ada, "status", Json::object())["result"]["events"], 0);

  run_job(job::SetParameters{{{"damping", 0.02}}, false});
  run_job(job::Advance{7});
  visit_until([&] {
    const std::vector<Json> numbers = ada->pushes("numbers");
    return !numbers.empty() && numbers.back()["status"]["steps"] == 7;
  });
  EXPECT_EQ(ada->pushes("numbers").back()["status"]["parameters"]["damping"], 0.02);
  visit_until([&] { return !ada->media.empty() && ada->media.back().step() == 7; });
  EXPECT_EQ(experiment_.simulation().steps(), 7) << "a visit takes no steps";
}

TEST_F(VisitedRunTest, FrontEndDecidesAboutTimeAndScene) {
  const auto ada = enter("Ada");
  playing_ = false;
  visit();
  EXPECT_EQ(ada->pushes("playing").back(), (Json{{"push", "playing"}, {"playing", false}, {"steps_per_frame", 5}}));
  for (const char* name : {"playback", "open", "undo", "restart"})
    EXPECT_TRUE(call(ada, name, Json::object()).contains("error")) << name;

  call(ada, "gesture", event("droplet", "press"));
  Start other;
  other.scene = scene_of_width("wave/rain", 64);
  run_job(job::Open{[&] { return other; }});
  visit_until([&] { return ada->pushes("numbers").back()["status"]["scene"] == "wave/rain"; });
  EXPECT_EQ(ada->pushes("playing").back()["playing"], false);
  EXPECT_TRUE(call(ada, "gesture", event("droplet", "press")).contains("result")) << "a gesture of its own";
  EXPECT_EQ(runner_.status()->events, 1u);
}

TEST_F(VisitedRunTest, PausedRunIsSentOnceUntilItChanges) {
  playing_ = false;
  const auto ada = enter("Ada");
  const auto stills = [&] { return ada->count(MessageKind::png); };
  visit_until([&] { return stills() == 1; });
  ViewChange view = experiment_.shown();
  view.camera.zoom = 2;
  run_job(view);
  visit_until([&] { return stills() == 2; });
  run_job(job::Visit{[this](Experiment&) { served_->end(); }});
  EXPECT_EQ(ada->ends.size(), 1u);
}

}  // namespace
}  // namespace perturb
