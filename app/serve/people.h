// Who takes part in a served run: the code and the secret that let a browser in, names and roles.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/web/engine/roles.h"
#include "cuda/core/backend/message.h"

namespace perturb {

struct Person {
  int id = 0;  // from 1
  std::string name;
  Role role = Role::pupil;
  int connections = 0;  // open ones: a person may have several tabs
};

// Thread-safe.
class People {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr int max_people = 300;
  static constexpr std::size_t max_name_bytes = 60;
  // Wrong codes within a minute, from one address and from all: a code of six characters then lasts for years.
  static constexpr int max_guesses_of_address = 10, max_guesses = 100;

  People();

  // What pupils type, and what the teacher's link holds. Neither may be printed except to the terminal.
  const std::string& code() const { return code_; }
  const std::string& secret() const { return secret_; }

  // The value of the cookie by which the browser is known from now on, or why it is refused. `cookie`: the one that it
  // has already; the same person then has another name. `with_code`: the role of people who have the pupils' code: a
  // spectator needs no name, and becomes another person as a pupil.
  struct Joined {
    std::string cookie;  // empty: refused
    Message refusal;
  };
  Joined join(const std::string& code, const std::string& name, const std::string& peer, const std::string& cookie,
              Clock::time_point now = Clock::now(), Role with_code = Role::pupil);

  // The person with this cookie; none: unknown, or removed.
  std::optional<Person> with_cookie(const std::string& cookie) const;
  std::vector<Person> all() const;  // by id
  // False: nobody has this number any more.
  bool count_connection(int id, int change);
  // The browser must join again; its name stays free.
  void remove(int id);

 private:
  struct Guesses {
    Clock::time_point since;
    int count = 0;
  };
  // Whether the address has guesses left.
  bool may_guess(const std::string& peer, Clock::time_point now);
  std::string free_name(const std::string& name) const;

  const std::string code_, secret_;
  mutable std::mutex mutex_;
  std::map<std::string, Person> people_;  // by cookie
  std::map<std::string, Guesses> guesses_;
  Guesses all_guesses_;
  int last_id_ = 0;
};

// A name as it is shown: without control characters, invisible ones and spaces at its ends, cut after
// People::max_name_bytes between two characters. Empty if nothing is left or it is not UTF-8.
std::string tidy_name(const std::string& typed);

}  // namespace perturb
