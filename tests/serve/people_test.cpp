// Codes, names and roles of a served run.
#include "app/serve/people.h"

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace perturb {
namespace {

class PeopleTest : public testing::Test {
 protected:
  // Of someone new, from an address that nobody else has.
  People::Joined join_as(const std::string& name) { return people_.join(people_.code(), name, "10.0.0.1", "", now_); }
  People::Joined join_teacher(const std::string& name = "", const std::string& cookie = "") {
    return people_.join("teacher-" + people_.secret(), name, "127.0.0.1", cookie, now_);
  }
  People::Joined guess(const std::string& code, const std::string& peer) {
    return people_.join(code, "Mallory", peer, "", now_);
  }
  // With the right length, and no character of a code.
  static std::string wrong_code() { return "000000"; }
  Person with(const People::Joined& joined) const {
    EXPECT_NE(joined.cookie, "") << joined.refusal;
    const std::optional<Person> person = people_.with_cookie(joined.cookie);
    EXPECT_TRUE(person.has_value());
    return person.value_or(Person());
  }

  People people_;
  People::Clock::time_point now_ = People::Clock::now();
};

TEST_F(PeopleTest, CodeMakesPupilsAndSecretMakesTeachers) {
  const Person ada = with(join_as("Ada")), teacher = with(join_teacher("Ms. Byron"));
  EXPECT_EQ(ada.role, Role::pupil);
  EXPECT_EQ(ada.name, "Ada");
  EXPECT_EQ(teacher.role, Role::teacher);
  EXPECT_NE(ada.id, teacher.id);
  std::string spaced = people_.code();
  for (char& c : spaced)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  spaced.insert(3, " - ");
  EXPECT_NE(people_.join(spaced, "Bob", "10.0.0.2", "", now_).cookie, "") << "as people type it";
  for (const std::string& code :
       {std::string(), std::string("teacher-"), wrong_code(), people_.secret(), "teacher-" + people_.code(),
        people_.code() + people_.code().substr(0, 1), people_.code().substr(1)}) {
    const People::Joined refused = guess(code, "10.0.0.3");
    EXPECT_EQ(refused.cookie, "") << code;
    EXPECT_EQ(refused.refusal.english(), "This code is wrong. Read it again: the teacher shows it.");
  }
  EXPECT_EQ(people_.all().size(), 3u);
}

TEST_F(PeopleTest, CodesAndCookiesDiffer) {
  std::set<std::string> all{people_.code(), people_.secret(), People().code(), People().secret()};
  for (const char* name : {"Ada", "Bob", "Cem"}) all.insert(join_as(name).cookie);
  EXPECT_EQ(all.size(), 7u);
}

TEST_F(PeopleTest, LimitsWrongCodesOfAnAddress) {
  for (int k = 0; k < People::max_guesses_of_address; ++k)
    EXPECT_EQ(guess(wrong_code(), "10.0.0.9").refusal.english().find("too many"), std::string::npos) << k;
  const People::Joined refused = guess(people_.code(), "10.0.0.9");
  EXPECT_EQ(refused.cookie, "") << "otherwise more guesses would find it";
  EXPECT_EQ(refused.refusal.english(),
            "There were too many wrong codes. Wait for a minute, and ask the teacher for the code.");
  EXPECT_NE(join_as("Ada").cookie, "") << "from another address";
  now_ += std::chrono::seconds(59);
  EXPECT_EQ(guess(people_.code(), "10.0.0.9").cookie, "");
  now_ += std::chrono::seconds(2);
  EXPECT_NE(guess(people_.code(), "10.0.0.9").cookie, "");
}

TEST_F(PeopleTest, LimitsWrongCodesOfAllAddressesButNotTheSecret) {
  for (int k = 0; k < People::max_guesses; ++k) guess(wrong_code(), "10.0.1." + std::to_string(k));
  EXPECT_EQ(join_as("Ada").cookie, "");
  EXPECT_EQ(guess("teacher-" + wrong_code(), "10.0.0.1").refusal.english().find("There were too many"), 0u);
  EXPECT_NE(join_teacher().cookie, "") << "pupils must not lock the teacher out";
  now_ += std::chrono::seconds(61);
  EXPECT_NE(join_as("Ada").cookie, "");
}

TEST_F(PeopleTest, RightCodesAreNoGuesses) {
  for (int k = 0; k < 2 * People::max_guesses; ++k) EXPECT_NE(join_as("Ada").cookie, "") << k;
}

TEST_F(PeopleTest, TidiesNames) {
  const std::string limit(People::max_name_bytes, 'a');
  const std::vector<std::vector<std::string>> names = {{"Ada", "Ada"},
                                                       {"  Ada \t\n Lovelace  ", "Ada Lovelace"},
                                                       {"B\u00e9r\u00e9nice \u00d6z", "B\u00e9r\u00e9nice \u00d6z"},
                                                       {"\u674e\u56db \U0001f600", "\u674e\u56db \U0001f600"},
                                                       {"A\x01\x1f\x7f"
                                                        "B",
                                                        "A B"},
                                                       {"A\u0085\u00a0B", "A B"},
                                                       {"A\u200b\u200d\u202e\u2066\u2069\ufeff\u00adB", "AB"},
                                                       {"\u2019\u2013\u2026", "\u2019\u2013\u2026"},
                                                       {"", ""},
                                                       {" \t\u200b\u00a0 ", ""},
                                                       {"A\xff", ""},
                                                       {"A\xc3", ""},
                                                       {"A\x80", ""},
                                                       {limit + "b", limit},
                                                       {limit.substr(1) + " b", limit.substr(1)},
                                                       {limit.substr(1) + "\u00d6", limit.substr(1)}};
  for (const std::vector<std::string>& one : names) EXPECT_EQ(tidy_name(one[0]), one[1]) << one[0];
}

TEST_F(PeopleTest, NamesAreUnique) {
  EXPECT_EQ(with(join_as("Ada")).name, "Ada");
  EXPECT_EQ(with(join_as(" Ada ")).name, "Ada 2");
  const Person third = with(join_as("Ada"));
  EXPECT_EQ(third.name, "Ada 3");
  people_.remove(third.id);
  EXPECT_EQ(with(join_as("Ada")).name, "Ada 3") << "free again";
  EXPECT_EQ(join_as(" \n").refusal.english(), "A name is missing. Type yours.");
  // Teachers need none, and then share none.
  EXPECT_EQ(with(join_teacher()).name, "");
  EXPECT_EQ(with(join_teacher()).name, "");
}

TEST_F(PeopleTest, CookieThatComesBackKeepsPersonAndRole) {
  const People::Joined first = join_as("Ada");
  const Person ada = with(first);
  const auto again = [&](const std::string& name) {
    return people_.join(people_.code(), name, "10.0.0.7", first.cookie, now_);
  };
  EXPECT_EQ(again("Ada").cookie, first.cookie);
  EXPECT_EQ(with(first).name, "Ada") << "her own name is not taken";
  EXPECT_EQ(again("Ada L.").cookie, first.cookie);
  EXPECT_EQ(with(first).id, ada.id);
  EXPECT_EQ(with(first).name, "Ada L.");
  EXPECT_EQ(with(first).role, Role::pupil);
  join_as("Bob");
  again("Bob");
  EXPECT_EQ(with(first).name, "Bob 2");
  // The same browser as teacher is another person: nobody's role changes.
  const People::Joined teacher = join_teacher("", first.cookie);
  EXPECT_NE(teacher.cookie, first.cookie);
  EXPECT_EQ(with(teacher).role, Role::teacher);
  EXPECT_EQ(with(first).role, Role::pupil);
  EXPECT_EQ(join_teacher("Ms. Byron", teacher.cookie).cookie, teacher.cookie);
  EXPECT_EQ(with(teacher).name, "Ms. Byron");
  join_teacher("", teacher.cookie);
  EXPECT_EQ(with(teacher).name, "Ms. Byron");
  // A cookie alone lets nobody in, and one that was not given here names nobody.
  EXPECT_EQ(people_.join(wrong_code(), "Ada", "10.0.0.7", first.cookie, now_).cookie, "");
  for (const char* cookie : {"", "stolen"}) {
    EXPECT_FALSE(people_.with_cookie(cookie).has_value());
    EXPECT_NE(people_.join(people_.code(), "Eve", "10.0.0.7", cookie, now_).cookie, cookie);
  }
}

TEST_F(PeopleTest, SpectatorNeedsTheCodeButNoName) {
  const auto watch = [&](const std::string& code, const std::string& name, const std::string& cookie) {
    return people_.join(code, name, "10.0.0.8", cookie, now_, Role::spectator);
  };
  EXPECT_EQ(watch(wrong_code(), "Eve", "").cookie, "");
  const People::Joined first = watch(people_.code(), "", "");
  const Person guest = with(first);
  EXPECT_EQ(guest.role, Role::spectator);
  EXPECT_EQ(guest.name, "");
  EXPECT_EQ(watch(people_.code(), "Ada", first.cookie).cookie, first.cookie);
  EXPECT_EQ(with(first).name, "Ada");
  EXPECT_EQ(with(watch("teacher-" + people_.secret(), "", "")).role, Role::teacher);

  // To take part, they join again: as another person, because a person's role does not change.
  EXPECT_EQ(people_.join(people_.code(), "", "10.0.0.8", first.cookie, now_).refusal.english(),
            "A name is missing. Type yours.");
  const People::Joined second = people_.join(people_.code(), "Ada", "10.0.0.8", first.cookie, now_);
  EXPECT_NE(second.cookie, first.cookie);
  EXPECT_EQ(with(second).role, Role::pupil);
  EXPECT_EQ(with(second).name, "Ada");
  EXPECT_FALSE(people_.with_cookie(first.cookie)) << "gone from the list";
  // One who is still connected, in another tab, stays on it. So does a pupil, who may have answers.
  const People::Joined third = watch(people_.code(), "Bob", "");
  people_.count_connection(with(third).id, 1);
  EXPECT_EQ(with(people_.join(people_.code(), "Bob", "10.0.0.8", third.cookie, now_)).name, "Bob 2");
  EXPECT_EQ(with(watch(people_.code(), "Ada", second.cookie)).name, "Ada 2");
  EXPECT_EQ(with(second).role, Role::pupil);
}

TEST_F(PeopleTest, RemovedPersonMustJoinAgain) {
  const People::Joined first = join_as("Ada");
  const Person ada = with(first);
  EXPECT_TRUE(people_.count_connection(ada.id, 1));
  EXPECT_EQ(with(first).connections, 1);
  people_.remove(ada.id);
  EXPECT_FALSE(people_.with_cookie(first.cookie).has_value());
  EXPECT_TRUE(people_.all().empty());
  EXPECT_FALSE(people_.count_connection(ada.id, -1));
  const People::Joined second = people_.join(people_.code(), "Ada", "10.0.0.1", first.cookie, now_);
  EXPECT_NE(second.cookie, first.cookie);
  EXPECT_NE(with(second).id, ada.id);
  EXPECT_EQ(with(second).connections, 0);
}

TEST_F(PeopleTest, ListIsSortedAndLimited) {
  for (int k = 0; k < People::max_people; ++k) EXPECT_NE(join_as("Pupil").cookie, "");
  EXPECT_EQ(join_as("Pupil").refusal.english(),
            std::to_string(People::max_people) + " people have joined already: no more are possible. Ask the teacher.");
  const std::vector<Person> all = people_.all();
  ASSERT_EQ(all.size(), static_cast<std::size_t>(People::max_people));
  for (std::size_t k = 0; k < all.size(); ++k) EXPECT_EQ(all[k].id, static_cast<int>(k) + 1);
  people_.remove(all.front().id);
  EXPECT_NE(join_as("Pupil").cookie, "");
}

}  // namespace
}  // namespace perturb
