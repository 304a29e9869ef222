// What every kind of served run does for the people in it: it knows who is connected, passes on what the teacher allows
// them, and answers the calls about that ("people", "allow", "remove", "names").
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "app/serve/people.h"
#include "app/serve/run_server.h"
#include "app/web/engine/engine.h"
#include "app/web/engine/request.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/message.h"

namespace perturb {

// `ClientFields`, `MemberFields`: what the kind of run adds for a connection and for a person.
template <class ClientFields, class MemberFields>
class PeopleRun : public RunServer {
 protected:
  struct Client : ClientFields {
    Socket socket;
    int person = 0;
    bool said_hello = false;
  };
  struct Member : MemberFields {
    Person person;
    bool is_locked = false;  // a pupil who may not change the run
  };

  // `people` must outlive it. `link`: to join, with the code.
  PeopleRun(People& people, std::string link) : people_(people), link_(std::move(link)) {}

  // ---- what the kind of run does

  // The answer to this call, as text; InputError refuses it. `text`: the whole request.
  virtual std::string answer_to(Client& client, const std::string& name, const Json& args, const std::string& text) = 0;
  virtual void answered(Client&) {}
  virtual void came(Member&) {}
  // `client` is no more in clients_; its address identifies it.
  virtual void went(Connection*, Member*) {}
  virtual void removed(Member&) {}  // it is still in members_
  virtual void permissions_have_changed(Member&) {}
  // Adds to what the teacher is told of a person.
  virtual void describe(const Member&, Json&) const {}

  // ---- for it

  // Whether the call is one about people; `answer` is then the answer.
  bool answer_about_people(const Client& client, const std::string& name, const Json& args, Json& answer) {
    if (name != "people" && name != "allow" && name != "remove" && name != "names") return false;
    if (member_of(client).person.role < Role::teacher) throw InputError("Only the teacher can do this.");
    answer = Json::object();
    if (name == "people") answer = people_json();
    if (name == "allow") allow(args);
    if (name == "remove") remove(static_cast<int>(int_in(args, "person", 1, INT32_MAX)));
    if (name == "names") {
      shows_names_ = bool_in(args, "shown", shows_names_);
      send_people();
    }
    return true;
  }

  Member& member_of(const Client& client) { return members_.at(client.person); }
  // Null: removed.
  Member* find_member(const Client& client) {
    const auto found = members_.find(client.person);
    return found == members_.end() ? nullptr : &found->second;
  }
  static void send(const Client& client, const Json& message) { send_text(client.socket, text_of(message)); }
  void send_to_all(const Json& message) {
    const auto text = std::make_shared<const std::string>(text_of(message));
    for (const auto& [socket, client] : clients_)
      if (client.said_hello) client.socket->send_text(text);
  }
  void send_to_teachers(const std::string& text) {
    const auto message = std::make_shared<const std::string>(text);
    for (const auto& [socket, client] : clients_)
      if (const Member* member = find_member(client);
          client.said_hello && member && member->person.role == Role::teacher)
        client.socket->send_text(message);
  }
  void send_people() { send_to_teachers(text_of(people_json())); }

  People& people_;
  const std::string link_;
  std::map<Connection*, Client> clients_;
  std::map<int, Member> members_;  // by the person's id
  bool shows_names_ = false;
  Permissions allowed_;  // of all pupils

 private:
  void handle(Event& event) override {
    if (event.kind == Event::Kind::opened) {
      if (!people_.count_connection(event.person.id, 1)) {
        // Removed since the server has looked.
        event.socket->close(CloseCode::policy, "Join again.");
        return;
      }
      Client& client = clients_[event.socket.get()];
      client.socket = event.socket;
      client.person = event.person.id;
      Member& member = members_[event.person.id];
      member.person = event.person;
      came(member);
      send_people();
      return;
    }
    const auto found = clients_.find(event.socket.get());
    if (found == clients_.end()) return;
    if (event.kind == Event::Kind::received) {
      answer(found->second, event.text);
      return;
    }
    Member* const member = find_member(found->second);
    people_.count_connection(found->second.person, -1);
    clients_.erase(found);
    went(event.socket.get(), member);
    send_people();
  }

  void answer(Client& client, const std::string& text) {
    std::string id = "null", result;
    try {
      const Json request = parse_request(text);
      id = id_of(request);
      const std::string name = text_in(request, "call");
      const Json* given = find_in(request, "with");
      if (!find_member(client)) throw InputError("You have been removed from this run.");
      if (!client.said_hello && name != "hello") throw InputError("The page has not introduced itself. Reload it.");
      result = answer_to(client, name, given ? *given : Json::object(), text);
    } catch (const std::exception& error) {
      result = WebEngine::answer_of(error);
    }
    send_text(client.socket, with_id(id, result));
    answered(client);
  }

  Member& member_with(int id) {
    const auto found = members_.find(id);
    if (found == members_.end()) throw InputError("There is no such person any more.");
    return found->second;
  }

  void allow(const Json& args) {
    if (find_in(args, "person")) {
      Member& one = member_with(static_cast<int>(int_in(args, "person", 1, INT32_MAX)));
      if (one.person.role != Role::pupil) throw InputError("Only pupils can be locked.");
      one.is_locked = !bool_in(args, "changes", !one.is_locked);
      tell_permissions(one);
      send_people();
      return;
    }
    allowed_ = permissions_from(allowed_, args);
    for (auto& [id, member] : members_) tell_permissions(member);
  }
  void tell_permissions(Member& member) {
    permissions_have_changed(member);
    for (const auto& [socket, client] : clients_)
      if (client.said_hello && client.person == member.person.id)
        send(client, json_of_allowed(allowed_, member.is_locked));
  }

  void remove(int id) {
    Member& member = member_with(id);
    if (member.person.role == Role::teacher) throw InputError("A teacher cannot be removed.");
    people_.remove(id);
    removed(member);
    members_.erase(id);
    for (const auto& [socket, client] : clients_) {
      if (client.person != id) continue;
      send(client, {{"push", "end"}, {"message", json_of(Message("The teacher has removed you from this run."))}});
      client.socket->close(CloseCode::policy, "The teacher has removed you from this run.");
    }
    send_people();
  }

  Json people_json() const {
    std::set<int> locked;
    for (const auto& [id, member] : members_)
      if (member.is_locked) locked.insert(id);
    Json json = json_of_people(people_, locked, shows_names_, link_);
    for (Json& one : json["people"])
      if (const auto found = members_.find(one["id"].template get<int>()); found != members_.end())
        describe(found->second, one);
    return json;
  }
};

}  // namespace perturb
