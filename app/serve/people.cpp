#include "app/serve/people.h"

#include <algorithm>
#include <iterator>

#include "app/serve/net/join_code.h"

namespace perturb {

namespace {

constexpr int code_characters = 6, secret_characters = 30;
constexpr std::chrono::minutes guess_time{1};
const std::string teacher_prefix = "teacher-";

// Control characters separate words. `character`: UTF-8.
bool is_space(const std::string& character) {
  const auto first = static_cast<unsigned char>(character.front());
  return first <= ' ' || first == 0x7F || (character >= "\u0080" && character <= "\u00A0" && character.size() == 2);
}

// Characters that take no room, or turn the direction of what follows.
bool is_invisible(const std::string& character) {
  constexpr const char* ranges[][2] = {{"\u00AD", "\u00AD"}, {"\u061C", "\u061C"}, {"\u200B", "\u200F"},
                                       {"\u2028", "\u202E"}, {"\u2060", "\u206F"}, {"\uFEFF", "\uFEFF"}};
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [&](const auto& range) { return character >= range[0] && character <= range[1]; });
}

// Length in bytes of the UTF-8 character that begins here; 0: it is none.
std::size_t character_bytes(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u; };
  const unsigned first = byte(at);
  std::size_t count = 0;
  if (first < 0x80)
    count = 1;
  else if (first >= 0xC2 && first < 0xE0)
    count = 2;
  else if (first >= 0xE0 && first < 0xF0)
    count = 3;
  else if (first >= 0xF0 && first < 0xF5)
    count = 4;
  for (std::size_t k = 1; k < count; ++k)
    if ((byte(at + k) & 0xC0u) != 0x80u) return 0;
  return count;
}

}  // namespace

std::string tidy_name(const std::string& typed) {
  std::string name;
  bool wants_space = false;
  for (std::size_t at = 0; at < typed.size();) {
    const std::size_t bytes = character_bytes(typed, at);
    if (bytes == 0) return "";
    const std::string character = typed.substr(at, bytes);
    at += bytes;
    if (is_invisible(character)) continue;
    if (is_space(character)) {
      wants_space = !name.empty();
      continue;
    }
    const std::size_t added = character.size() + (wants_space ? 1 : 0);
    if (name.size() + added > People::max_name_bytes) break;
    if (wants_space) name += ' ';
    wants_space = false;
    name += character;
  }
  return name;
}

People::People() : code_(make_code(code_characters)), secret_(make_code(secret_characters)) {}

bool People::may_guess(const std::string& peer, Clock::time_point now) {
  std::erase_if(guesses_, [now](const auto& one) { return now - one.second.since > guess_time; });
  if (now - all_guesses_.since > guess_time) all_guesses_ = {now, 0};
  const auto found = guesses_.find(peer);
  return all_guesses_.count < max_guesses && (found == guesses_.end() || found->second.count < max_guesses_of_address);
}

std::string People::free_name(const std::string& name) const {
  const auto is_taken = [this](const std::string& one) {
    return std::any_of(people_.begin(), people_.end(), [&](const auto& entry) { return entry.second.name == one; });
  };
  std::string free = name;
  for (int number = 2; is_taken(free); ++number) free = name + " " + std::to_string(number);
  return free;
}

People::Joined People::join(const std::string& code, const std::string& name, const std::string& peer,
                            const std::string& cookie, Clock::time_point now, Role with_code) {
  const std::lock_guard lock(mutex_);
  const bool is_teacher = code.starts_with(teacher_prefix);
  const bool is_right = is_teacher ? equal_in_constant_time(code.substr(teacher_prefix.size()), secret_)
                                   : equal_in_constant_time(tidy_code(code), code_);
  // The secret is too long to be guessed, and the guesses of others must not lock the teacher out.
  if (!(is_teacher && is_right) && !may_guess(peer, now))
    return {"", Message("There were too many wrong codes. Wait for a minute, and ask the teacher for the code.")};
  if (!is_right) {
    const auto found = guesses_.try_emplace(peer, Guesses{now, 0}).first;
    ++found->second.count;
    ++all_guesses_.count;
    return {"", Message("This code is wrong. Read it again: the teacher shows it.")};
  }
  const std::string tidied = tidy_name(name);
  const Role role = is_teacher ? Role::teacher : with_code;
  if (role == Role::pupil && tidied.empty()) return {"", Message("A name is missing. Type yours.")};
  const auto known = people_.find(cookie);
  if (known != people_.end() && known->second.role == role) {
    if (known->second.name != tidied && !tidied.empty()) {
      known->second.name.clear();
      known->second.name = free_name(tidied);
    }
    return {cookie, {}};
  }
  // A spectator who now takes part leaves the list, so that the name is free. No answer is lost by it.
  if (known != people_.end() && known->second.role == Role::spectator && known->second.connections == 0)
    people_.erase(known);
  if (people_.size() >= static_cast<std::size_t>(max_people))
    return {"", Message("{} people have joined already: no more are possible. Ask the teacher.", max_people)};
  Person person;
  person.id = ++last_id_;
  person.role = role;
  if (!tidied.empty()) person.name = free_name(tidied);
  const std::string made = make_code(secret_characters);
  people_[made] = person;
  return {made, {}};
}

std::optional<Person> People::with_cookie(const std::string& cookie) const {
  const std::lock_guard lock(mutex_);
  const auto found = people_.find(cookie);
  if (found == people_.end()) return std::nullopt;
  return found->second;
}

std::vector<Person> People::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<Person> all;
  for (const auto& [cookie, person] : people_) all.push_back(person);
  std::sort(all.begin(), all.end(), [](const Person& a, const Person& b) { return a.id < b.id; });
  return all;
}

bool People::count_connection(int id, int change) {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::find_if(people_.begin(), people_.end(), [id](const auto& entry) { return entry.second.id == id; });
  if (found == people_.end()) return false;
  found->second.connections += change;
  return true;
}

void People::remove(int id) {
  const std::lock_guard lock(mutex_);
  std::erase_if(people_, [id](const auto& entry) { return entry.second.id == id; });
}

}  // namespace perturb
