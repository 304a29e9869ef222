#include "app/web/engine.h"

#include <algorithm>
#include <new>
#include <utility>

#include "app/web/calls.h"
#include "app/web/request.h"
#include "cuda/core/catalog.h"
#include "cuda/core/check.h"
#include "cuda/core/ground_view.h"
#include "cuda/core/shown.h"

namespace perturb {

namespace {

constexpr WebCall web_calls[] = {
    {"catalog", &WebCalls::catalog},
    {"add_texts", &WebCalls::add_texts},
    {"translate", &WebCalls::translate},
    {"verify", &WebCalls::verify},
    {"open", &WebCalls::open},
    {"scene", &WebCalls::scene},
    {"facts", &WebCalls::facts},
    {"advance", &WebCalls::advance},
    {"look", &WebCalls::look},
    {"view", &WebCalls::view},
    {"locate", &WebCalls::locate},
    {"describe", &WebCalls::describe},
    {"gesture", &WebCalls::gesture},
    {"act", &WebCalls::act},
    {"set", &WebCalls::set},
    {"restart", &WebCalls::restart},
    {"undo", &WebCalls::undo},
    {"redo", &WebCalls::redo},
    {"go_back", &WebCalls::go_back},
    {"kernel", &WebCalls::kernel},
    {"save", &WebCalls::save},
    {"load", &WebCalls::load},
    {"script", &WebCalls::script},
    {"lesson_open", &WebCalls::lesson_open},
    {"lesson_step", &WebCalls::lesson_step},
    {"lesson_answer", &WebCalls::lesson_answer},
    {"lesson_look", &WebCalls::lesson_look},
    {"lesson_close", &WebCalls::lesson_close},
};

const WebCall& find_call(const std::string& name) {
  for (const WebCall& call : web_calls)
    if (name == call.name) return call;
  std::vector<std::string> names;
  for (const WebCall& call : web_calls) names.emplace_back(call.name);
  throw InputError("There is no call \"" + name + "\"" + did_you_mean(name, names));
}

const char* too_little_memory = "There is not enough memory for this: close other tabs, or choose a smaller size.";

WebEngine::Json failure(const std::string& words, const char* kind) { return {{"error", words}, {"kind", kind}}; }

}  // namespace

WebEngine::WebEngine(int threads) : backend_(Backend::make_cpu(threads)) {}

std::string WebEngine::call(const std::string& request) {
  Json answer;
  try {
    const Json json = Json::parse(request);
    const Json* with = find_in(json, "with");
    const WebCall& call = find_call(text_in(json, "call"));
    answer = call.handler(*this, with ? *with : Json::object());
  } catch (const InputError& error) {
    answer = failure(error.what(), "input");
  } catch (const Error& error) {
    answer = failure(error.what(), "error");
  } catch (const nlohmann::json::exception& error) {
    answer = failure("What is asked for cannot be read (" + std::string(error.what()) + "): check it.", "input");
  } catch (const std::bad_alloc&) {
    answer = failure(too_little_memory, "error");
  } catch (const std::exception& error) {
    answer = failure("The engine failed (" + std::string(error.what()) + "): open the scene again.", "error");
  }
  // Numbers that are none become null.
  return answer.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Experiment& WebEngine::experiment() {
  if (!experiment_ || !experiment_->has_run()) throw InputError("No scene is open: open one first.");
  return *experiment_;
}

const RunFacts& WebEngine::facts() {
  experiment();
  return *runner_->facts();
}

const RunFacts& WebEngine::facts_anew() {
  experiment();
  runner_->look_again();
  return *runner_->facts();
}

Answer WebEngine::ask(Order order) {
  experiment();
  Answer answer;
  runner_->post(std::move(order), [&](Answer& told) { answer = told; });
  if (!answer.note.empty()) note_ = answer.note;
  answer.check();
  return answer;
}

void WebEngine::begin(Start start, const std::string& kernel) {
  if (!kernel.empty()) {
    const SimulationInfo& info = find_simulation(start.scene.setup.simulation);
    if (kernel != "auto") kernel_index(info, kernel);
    start.kernel = kernel;
  }
  if (!experiment_) {
    auto made = std::make_unique<Experiment>(*backend_, std::move(start));
    runner_ = std::make_unique<Runner>(*made, Runner::Where::here);
    experiment_ = std::move(made);
  } else {
    experiment_->open(std::move(start));
    runner_->look_again();
  }
  range_.forget();
  seconds_per_step_ = 0;
}

const Quantity& WebEngine::shown_quantity() {
  const SimulationInfo& info = experiment().info();
  return info.quantities[quantity_index(info, experiment().shown().view.quantity)];
}

ViewSettings WebEngine::resolved_view() {
  ViewSettings view = experiment().shown().view;
  const Quantity& quantity = shown_quantity();
  view.quantity = quantity.id;
  if (view.colormap.empty()) view.colormap = quantity.colormap;
  if (view.automatic && range_.known()) {
    view.minimum = range_.minimum(), view.maximum = range_.maximum();
  } else {
    const ShownRange range = shown_range(view, quantity);
    view.minimum = range.low, view.maximum = range.high;
  }
  return view;
}

void WebEngine::follow_range(const Diagnostics& diagnostics) {
  if (experiment().shown().view.automatic)
    range_.follow(diagnostics, shown_quantity().is_signed);
  else
    range_.forget();
}

// A pixel's middle is meant, as the window's pointer means it.
Camera::Point WebEngine::place_of(double x, double y, int width, int height) {
  const RunFacts& run = facts();
  const Camera& camera = experiment().shown().camera;
  const Camera::Point at = camera.to_domain(x, height - y, width, height, run.domain_width, run.domain_height);
  return shown_quantity().in_space ? GroundView(camera, run.domain_width, run.domain_height).to_ground(at) : at;
}

std::span<const std::uint32_t> WebEngine::paint(int width, int height) {
  trouble_.clear();
  try {
    constexpr int most_side = 8192;
    if (width < 1 || height < 1 || width > most_side || height > most_side)
      throw InputError("A picture has from 1 to " + std::to_string(most_side) + " pixels a side.");
    picture_.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
    if (experiment().shown().view.automatic && !range_.known()) {
      order::Look first;
      first.view = resolved_view(), first.wait = true;
      follow_range(ask(first).diagnostics);
    }
    const ViewSettings view = resolved_view();
    if (!colors_ || colors_->id() != view.colormap)
      colors_ = std::make_unique<ColorTable>(*backend_, find_colormap(view.colormap));
    ask(order::Paint{{picture_.data(), width, height, width}, colors_.get(), experiment().shown().camera, view});
    // The bottom row is the first one of Pixels.
    for (int j = 0; j < height / 2; ++j) {
      std::uint32_t* low = picture_.data() + static_cast<std::size_t>(j) * static_cast<std::size_t>(width);
      std::uint32_t* high =
          picture_.data() + static_cast<std::size_t>(height - 1 - j) * static_cast<std::size_t>(width);
      std::swap_ranges(low, low + width, high);
    }
    return picture_;
  } catch (const std::bad_alloc&) {
    trouble_ = too_little_memory;
  } catch (const std::exception& error) {
    trouble_ = error.what();
  }
  return {};
}

}  // namespace perturb
