#include "app/serve/serve.h"

#include <cstdlib>
#include <iostream>
#include <utility>

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <nlohmann/json.hpp>
#include <sys/ioctl.h>
#include <unistd.h>

#include "app/io/preset/scenes.h"
#include "app/run/backends.h"
#include "app/run/interrupts.h"
#include "app/serve/net/http_server.h"
#include "app/serve/page_files.h"
#include "app/serve/people.h"
#include "app/serve/qr/qr_code.h"
#include "app/serve/served_run.h"
#include "app/web/engine/engine.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

using Json = nlohmann::ordered_json;

// The addresses of this machine in its networks.
std::vector<std::string> network_addresses() {
  std::vector<std::string> addresses;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return addresses;
  for (const ifaddrs* one = list; one; one = one->ifa_next) {
    if (!one->ifa_addr || one->ifa_addr->sa_family != AF_INET) continue;
    if ((one->ifa_flags & IFF_LOOPBACK) != 0 || (one->ifa_flags & IFF_UP) == 0) continue;
    char text[INET_ADDRSTRLEN] = "";
    const auto* address = reinterpret_cast<const sockaddr_in*>(one->ifa_addr);
    if (inet_ntop(AF_INET, &address->sin_addr, text, sizeof text)) addresses.emplace_back(text);
  }
  freeifaddrs(list);
  return addresses;
}

// Of the terminal that shows the output; 0: there is none, or it may not know colors.
int terminal_columns() {
  const char* kind = std::getenv("TERM");
  winsize size{};
  if (!kind || std::string(kind) == "dumb" || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

HttpAnswer json_answer(int status, const Json& json) {
  HttpAnswer answer;
  answer.status = status;
  answer.type = "application/json";
  answer.fields = {{"Cache-Control", "no-store"}};
  answer.body = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  return answer;
}

// Lets browsers in, and gives them the page.
class Door {
 public:
  Door(People& people, const PageFiles& page, bool is_secure) : people_(people), page_(page), is_secure_(is_secure) {}
  // Cookies are the same for all ports of a host.
  void set_port(int port) { cookie_ = "perturb-" + std::to_string(port); }

  std::optional<Person> person(const HttpRequest& request) const {
    return people_.with_cookie(std::string(request.cookie(cookie_)));
  }
  HttpAnswer answer(const HttpRequest& request) {
    if (request.path == "/join" && request.method == "POST") return join(request);
    if (PageFiles::is_of_join_page(request.path) || person(request)) return page_.answer(request);
    if (request.path == "/" && request.method == "GET") {
      HttpAnswer to_join = plain_answer(303, "Join first.");
      to_join.fields.emplace_back("Location", "/join");
      return to_join;
    }
    return plain_answer(403, "Join first: open this server's address, and type the code.");
  }

 private:
  HttpAnswer join(const HttpRequest& request) {
    if (!same_origin(request))
      return plain_answer(403, "Another page has sent this request. Type the address yourself.");
    std::string code, name;
    bool only_watches = false;
    try {
      const Json json = Json::parse(request.body);
      code = json.at("code").get<std::string>();
      name = json.value("name", "");
      only_watches = json.value("watch", false);
    } catch (const Json::exception&) {
      return plain_answer(400, "The request cannot be read. Reload the page.");
    }
    const People::Joined joined = people_.join(code, name, request.peer, std::string(request.cookie(cookie_)),
                                               People::Clock::now(), only_watches ? Role::spectator : Role::pupil);
    if (joined.cookie.empty()) return json_answer(403, {{"ok", false}, {"message", joined.refusal.english()}});
    HttpAnswer answer = json_answer(200, {{"ok", true}});
    answer.fields.emplace_back("Set-Cookie", cookie_ + "=" + joined.cookie + "; HttpOnly; SameSite=Strict; Path=/" +
                                                 (is_secure_ ? "; Secure" : ""));
    return answer;
  }

  People& people_;
  const PageFiles& page_;
  bool is_secure_;
  std::string cookie_;
};

std::string call_engine(SharedEngine& engine, int client, const char* name, const Json& args) {
  const std::string answer = engine.call(client, Json{{"call", name}, {"with", args}}.dump());
  if (answer.starts_with("{\"error\":")) throw InputError("{}", Json::parse(answer).at("error").get<std::string>());
  return answer;
}

}  // namespace

int serve(const ServeOptions& options) {
  if (options.certificate.empty() != options.key.empty())
    throw InputError("--certificate and --key belong together. Give both, or none for http.");
  Interrupts interrupts;
  Message note;
  SharedEngine engine(make_backends(options.backend, options.threads, &note));
  if (!note.empty()) std::cerr << note.english() << '\n';
  const int owner = engine.add_client(Role::owner);
  const std::string scene = options.scene.empty() ? all_scenes().front().path() : options.scene;
  const Json opening = {{"scene", scene}, {"kernel", options.kernel}, {"live_count", true}};
  call_engine(engine, owner, "open", opening);

  People people;
  const PageFiles page(call_engine(engine, owner, "catalog", Json::object()));
  Door door(people, page, !options.certificate.empty());
  std::unique_ptr<ServedRun> served;
  HttpServer::Handlers handlers;
  handlers.http = [&](const HttpRequest& request) { return door.answer(request); };
  handlers.accepts = [&](const HttpRequest& request) -> std::optional<HttpAnswer> {
    if (request.path != "/run") return plain_answer(404, "There is nothing at this address.");
    if (!same_origin(request)) return plain_answer(403, "Only a page of this server may connect.");
    if (!door.person(request)) return plain_answer(403, "Join first: open this server's address, and type the code.");
    return std::nullopt;
  };
  handlers.opened = [&](const std::shared_ptr<Connection>& connection, const HttpRequest& request) {
    if (const std::optional<Person> person = door.person(request); person && served)
      served->opened(connection, *person);
    else
      connection->close(CloseCode::policy, "Join again.");
  };
  handlers.received = [&](const std::shared_ptr<Connection>& connection, std::string text) {
    if (served) served->received(connection, std::move(text));
  };
  handlers.closed = [&](const std::shared_ptr<Connection>& connection) {
    if (served) served->closed(connection);
  };
  HttpServer::Options network;
  network.address = options.lan ? "0.0.0.0" : "127.0.0.1";
  network.port = options.port;
  network.certificate = options.certificate;
  network.key = options.key;
  HttpServer server(network, std::move(handlers));
  door.set_port(server.port());

  const std::string scheme = options.certificate.empty() ? "http://" : "https://";
  const std::vector<std::string> addresses = options.lan ? network_addresses() : std::vector<std::string>();
  const std::string port = ":" + std::to_string(server.port());
  const std::string here = scheme + "127.0.0.1" + port + "/join#teacher-" + people.secret();
  const std::string link =
      scheme + (addresses.empty() ? "127.0.0.1" : addresses.front()) + port + "/join#" + people.code();
  served = std::make_unique<ServedRun>(engine, people, link);

  std::cout << "Teacher, on this computer: " << here << '\n';
  if (options.lan) {
    std::cout << "Everybody else:            " << link << '\n';
    for (std::size_t k = 1; k < addresses.size(); ++k)
      std::cout << "  in another network:      " << scheme << addresses[k] << port << "/join#" << people.code() << '\n';
    const std::optional<QrCode> qr = addresses.empty() ? std::nullopt : QrCode::make(link);
    if (qr) std::cout << text_of(*qr, terminal_columns());
    if (addresses.empty())
      std::cout << "This computer has no address in a network, so nobody else can join. Connect it, and start again.\n";
  } else {
    std::cout << "To join on this computer:  " << link << '\n'
              << "From afar:                 ssh -L " << server.port() << ":127.0.0.1:" << server.port()
              << " HOST, then open the teacher's link there\n";
  }
  std::cout << "Code: " << people.code() << ". Ctrl+C ends the run for all." << std::endl;
  if (const Message why = VideoEncoder::why_not(); !why.empty())
    std::cerr << "Pictures are sent as JPEG, which takes more of the network: " << why.english() << '\n';

  served->run(interrupts.request());
  server.stop();
  return 0;
}

}  // namespace perturb
