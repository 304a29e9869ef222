// A class in which every browser computes a run of its own: the server knows who is at which step of which lesson, and
// shows the teacher the answers. It has no engine. The messages are described in docs/web.md, "Runs of their own".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/lessons/lesson_session.h"
#include "app/serve/people_run.h"

namespace perturb {

struct OwnRunClient {};

struct OwnRunMember {
  std::optional<LessonSession> lesson;  // as the person's page has reported it last
};

class OwnRuns : public PeopleRun<OwnRunClient, OwnRunMember> {
 public:
  // `people` must outlive it. `link`: to join, with the code.
  OwnRuns(People& people, std::string link) : PeopleRun(people, std::move(link)) {}

  void run(const StopRequest& stop) override;

 private:
  std::string answer_to(Client& client, const std::string& name, const Json& args, const std::string& text) override;
  void came(Member&) override { has_answers_ = true; }
  void went(Connection*, Member*) override { has_answers_ = true; }
  void removed(Member&) override { has_answers_ = true; }
  void describe(const Member& member, Json& person) const override;

  Json hello(Client& client);
  // A teacher's page is at this step of a lesson, which pupils' pages open; without a path it has closed it.
  void lead(const Json& args);
  // The lesson of a pupil's page, as that page keeps it.
  void keep(Member& member, const Json& args);
  Json class_results() const;
  void send_answers();
  // The pupils who have the teacher's lesson open, or had it.
  std::vector<const Member*> pupils() const;

  std::optional<LessonSession> led_;
  bool has_answers_ = false;  // since the last push of answers
  std::string sent_;          // that push
};

}  // namespace perturb
