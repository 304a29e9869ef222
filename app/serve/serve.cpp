#include "app/serve/serve.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <optional>
#include <utility>

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <nlohmann/json.hpp>
#include <sys/ioctl.h>
#include <unistd.h>

#include "app/io/preset/presets.h"
#include "app/io/preset/scenes.h"
#include "app/run/backends.h"
#include "app/run/interrupts.h"
#include "app/serve/lockstep_run.h"
#include "app/serve/net/http_server.h"
#include "app/serve/own_runs.h"
#include "app/serve/page_files.h"
#include "app/serve/people.h"
#include "app/serve/qr/qr_code.h"
#include "app/serve/served_run.h"
#include "app/serve/share.h"
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
  Door(People& people, const PageFiles& page, const char* start, bool is_secure)
      : people_(people), page_(page), start_(start), is_secure_(is_secure) {}
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
    HttpAnswer answer = json_answer(200, {{"ok", true}, {"start", start_}});
    answer.fields.emplace_back("Set-Cookie", cookie_ + "=" + joined.cookie + "; HttpOnly; SameSite=Strict; Path=/" +
                                                 (is_secure_ ? "; Secure" : ""));
    return answer;
  }

  People& people_;
  const PageFiles& page_;
  const char* const start_;
  bool is_secure_;
  std::string cookie_;
};

std::string call_engine(SharedEngine& engine, int client, const char* name, const Json& args) {
  const std::string answer = engine.call(client, Json{{"call", name}, {"with", args}}.dump());
  if (answer.starts_with("{\"error\":")) throw InputError("{}", Json::parse(answer).at("error").get<std::string>());
  return answer;
}

// A run with its server: lets people in, gives them the page, and passes on what they send.
class Site {
 public:
  // Makes what serves the run, with the link to join it.
  using MakeRun = std::function<std::unique_ptr<RunServer>(People& people, const std::string& link)>;
  // `start`: where the page of somebody who has joined begins.
  Site(PageFiles page, const HttpServer::Options& network, const char* start, const MakeRun& make_run)
      : is_secure_(!network.certificate.empty()),
        page_(std::move(page)),
        door_(people_, page_, start, is_secure_),
        server_(network, handlers()) {
    door_.set_port(server_.port());
    const std::vector<std::string> addresses =
        network.address == any_address ? network_addresses() : std::vector<std::string>();
    for (const std::string& address : addresses) links_.push_back(base(address) + people_.code());
    has_address_ = !links_.empty();
    if (!has_address_) links_.push_back(base("127.0.0.1") + people_.code());
    run_ = make_run(people_, links_.front());
    is_open_ = true;
  }
  ~Site() { server_.stop(); }
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;

  static constexpr const char* any_address = "0.0.0.0";

  RunServer& run() { return *run_; }
  const People& people() const { return people_; }
  int port() const { return server_.port(); }
  // For pupils, one in each network of this machine; without a network one that only this machine has.
  const std::vector<std::string>& links() const { return links_; }
  bool has_address() const { return has_address_; }
  std::string teacher_link() const { return base("127.0.0.1") + "teacher-" + people_.secret(); }

 private:
  std::string base(const std::string& address) const {
    return (is_secure_ ? "https://" : "http://") + address + ":" + std::to_string(server_.port()) + "/join#";
  }
  HttpServer::Handlers handlers() {
    HttpServer::Handlers all;
    all.http = [this](const HttpRequest& request) {
      if (is_open_ && door_.person(request))
        if (std::optional<HttpAnswer> answer = run_->http(request)) return *answer;
      return door_.answer(request);
    };
    all.accepts = [this](const HttpRequest& request) -> std::optional<HttpAnswer> {
      if (request.path != "/run") return plain_answer(404, "There is nothing at this address.");
      if (!same_origin(request)) return plain_answer(403, "Only a page of this server may connect.");
      if (!door_.person(request))
        return plain_answer(403, "Join first: open this server's address, and type the code.");
      return std::nullopt;
    };
    all.opened = [this](const std::shared_ptr<Connection>& connection, const HttpRequest& request) {
      if (const std::optional<Person> person = door_.person(request); person && is_open_)
        run_->opened(connection, *person);
      else
        connection->close(CloseCode::policy, "Join again.");
    };
    all.received = [this](const std::shared_ptr<Connection>& connection, std::string text) {
      if (is_open_) run_->received(connection, std::move(text));
    };
    all.closed = [this](const std::shared_ptr<Connection>& connection) {
      if (is_open_) run_->closed(connection);
    };
    return all;
  }

  const bool is_secure_;
  People people_;
  const PageFiles page_;
  Door door_;
  std::vector<std::string> links_;
  bool has_address_ = false;
  std::unique_ptr<RunServer> run_;
  std::atomic<bool> is_open_{false};  // the server's thread may use `run_`
  HttpServer server_;                 // last: its handlers use the others
};

// The run of a window, between its jobs.
class WindowShare final : public Share {
 public:
  explicit WindowShare(Experiment& experiment)
      : engine_(experiment),
        site_(PageFiles(call_engine(engine_, engine_.add_client(Role::owner), "catalog", Json::object())), network(),
              "/#served", [this](People& people, const std::string& link) {
                auto run = std::make_unique<ServedRun>(engine_, people, link);
                run_ = run.get();
                return run;
              }) {
    status_.link = site_.links().front();
    status_.code = site_.people().code();
    status_.has_network = site_.has_address();
    status_.qr = QrCode::make(status_.link);
  }

  void visit(bool playing, int steps_per_frame) override { run_->visit(playing, steps_per_frame); }
  void end() override { run_->end(); }
  const Status& status() const override { return status_; }
  int people() const override {
    const std::vector<Person> all = site_.people().all();
    return static_cast<int>(
        std::count_if(all.begin(), all.end(), [](const Person& person) { return person.connections > 0; }));
  }

 private:
  static HttpServer::Options network() {
    HttpServer::Options network;
    network.address = Site::any_address;
    return network;
  }

  SharedEngine engine_;
  ServedRun* run_ = nullptr;  // of the site
  Site site_;
  Status status_;
};

}  // namespace

std::shared_ptr<Share> share_run(Experiment& experiment) { return std::make_shared<WindowShare>(experiment); }

int serve(const ServeOptions& options) {
  if (options.certificate.empty() != options.key.empty())
    throw InputError("--certificate and --key belong together. Give both, or none for http.");
  Interrupts interrupts;
  if (options.lockstep && options.own_runs) throw InputError("--lockstep and --own-runs exclude each other. Omit one.");
  const bool browsers_compute = options.lockstep || options.own_runs;
  const char* const option = options.own_runs ? "--own-runs" : "--lockstep";
  if (browsers_compute && options.page.empty())
    throw InputError(
        "{} needs the page with its engine for browsers. Make it with \"scripts/web --build\", and add "
        "\"--page build/web\".",
        option);
  if (browsers_compute && !options.kernel.empty())
    throw InputError("--kernel is not possible with {}: the browsers compute. Omit it.", option);
  if (options.own_runs && !options.scene.empty())
    throw InputError("With --own-runs everybody chooses a scene, and the teacher a lesson. Omit \"{}\".",
                     options.scene);
  const std::string scene = options.scene.empty() ? all_scenes().front().path() : options.scene;
  std::optional<SharedEngine> engine;  // none: the browsers have it
  std::optional<PageFiles> page;
  if (!options.page.empty()) page.emplace(std::filesystem::path(options.page));
  if (browsers_compute) {
    load_scene(scene);
  } else {
    Message note;
    engine.emplace(make_backends(options.backend, options.threads, &note));
    if (!note.empty()) std::cerr << note.english() << '\n';
    const int owner = engine->add_client(Role::owner);
    const Json opening = {{"scene", scene}, {"kernel", options.kernel}, {"live_count", true}};
    call_engine(*engine, owner, "open", opening);
    if (!page) page.emplace(call_engine(*engine, owner, "catalog", Json::object()));
  }

  HttpServer::Options network;
  network.address = options.lan ? Site::any_address : "127.0.0.1";
  network.port = options.port;
  network.certificate = options.certificate;
  network.key = options.key;
  Site site(std::move(*page), network, options.own_runs ? "/?class" : "/#served",
            [&](People& people, const std::string& joining) -> std::unique_ptr<RunServer> {
              if (options.own_runs) return std::make_unique<OwnRuns>(people, joining);
              if (options.lockstep) return std::make_unique<LockstepRun>(people, joining, scene);
              return std::make_unique<ServedRun>(*engine, people, joining);
            });
  const std::string& link = site.links().front();

  std::cout << "Teacher, on this computer: " << site.teacher_link() << '\n';
  if (options.lan) {
    std::cout << "Everybody else:            " << link << '\n';
    for (std::size_t k = 1; k < site.links().size(); ++k)
      std::cout << "  in another network:      " << site.links()[k] << '\n';
    const std::optional<QrCode> qr = site.has_address() ? QrCode::make(link) : std::nullopt;
    if (qr) std::cout << text_of(*qr, terminal_columns());
    if (!site.has_address())
      std::cout << "This computer has no address in a network, so nobody else can join. Connect it, and start again.\n";
  } else {
    std::cout << "To join on this computer:  " << link << '\n'
              << "From afar:                 ssh -L " << site.port() << ":127.0.0.1:" << site.port()
              << " HOST, then open the teacher's link there\n";
  }
  std::cout << "Code: " << site.people().code() << ". Ctrl+C ends the run for all." << std::endl;
  if (const Message why = VideoEncoder::why_not(); !why.empty() && !browsers_compute)
    std::cerr << "Pictures are sent as JPEG, which takes more of the network: " << why.english() << '\n';

  site.run().run(interrupts.request());
  return 0;
}

}  // namespace perturb
