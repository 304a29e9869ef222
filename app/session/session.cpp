#include "app/session/session.h"

#include <variant>

#include "app/io/preset/scenes.h"
#include "app/run/lighter.h"
#include "app/run/run_text.h"
#include "cuda/core/backend/check.h"

namespace perturb {

Session::Session(Experiment& experiment, int steps_per_frame, Runner::Where where)
    : client_(experiment, where),
      switcher_(client_, [this](bool new_scene) { on_run_replaced(new_scene); }),
      view_(client_),
      pointer_(client_.backend().is_cuda()),
      diagnostics_poller_(client_, view_, pointer_),
      readings_(client_, instruments_, diagnostics_poller_),
      playback_(client_, readings_, steps_per_frame, [this](bool leaves_end) { on_run_returned(leaves_end); }),
      parameters_(client_, switcher_, [this](const std::string& id) { return lessons_.parameter_is_open(id); }),
      kernel_controller_(client_),
      lessons_(client_, interface_, playback_, view_, switcher_, parameters_, kernel_controller_,
               diagnostics_poller_.latest(), [this] { tools_.follow_lesson(); }),
      instrument_controller_(client_, view_, panels_.areas, instruments_),
      object_controller_(client_, view_, lessons_, panels_.areas, interface_),
      audio_output_(client_, instruments_),
      singing_(client_, parameters_),
      autosave_controller_(client_, instruments_),
      kernel_editor_(client_, interface_, playback_),
      puzzles_(interface_),
      measurements_(client_, diagnostics_poller_, instruments_,
                    [this]() -> const DisplayUnits& { return display_units(); }),
      output_(client_),
      file_chooser_(client_, interface_, output_, autosave_controller_),
      file_opener_(client_, interface_, playback_, switcher_, view_, lessons_, instrument_controller_,
                   autosave_controller_, file_chooser_, kernel_editor_),
      exporter_(client_, measurements_, instruments_, output_, autosave_controller_,
                [this](const std::string& text) { window_commands_.push_back(CopyText{text}); }),
      presets_(client_, interface_, playback_.pace()),
      tools_(
          client_, view_, lessons_, panels_.areas, pointer_, [this] { interface_.show_hint(false); },
          [this](const std::vector<Action>& actions) {
            // The arrow keys keep moving the crosshair.
            if (!input_.crosshair().position() && object_controller_.select_created(actions))
              instrument_controller_.deselect();
          },
          [this](const ParameterChange& change, bool by_wheel) {
            const bool is_open = lessons_.parameter_is_open(change.id);
            if (is_open) by_wheel ? parameters_.change_by_wheel(change) : parameters_.change(change);
            return is_open;
          }),
      input_(client_, interface_, panels_, parameters_, instrument_controller_, object_controller_, tools_, pointer_,
             [this](const Command& command) { execute(command); }) {
  client_.show_units([this]() -> const DisplayUnits& { return display_units(); });
  switcher_.block_scene_undo_while([this] { return lesson() != nullptr; });
  on_run_replaced(true);
}

// Cancels the running job first, because jobs refer to the parts.
Session::~Session() { client_.disconnect(); }

const DisplayUnits& Session::display_units() const {
  static const DisplayUnits none;
  // Texts of lessons have the units of their scenes.
  if (!interface().preferences.scene_units && !lesson()) return none;
  const DomainSize domain = client_.domain();
  if (run().scene != shown_scene_ || domain.width != shown_domain_.width || domain.height != shown_domain_.height) {
    shown_scene_ = run().scene;
    shown_domain_ = domain;
    shown_units_ = units_in_domain(run().scene->units, info(), domain.width, domain.height);
  }
  return shown_units_;
}

void Session::on_run_replaced(bool new_scene) {
  const Scene& begun = *run().scene;
  ++runs_;
  tools_.on_run_replaced(new_scene);
  instrument_controller_.on_run_replaced(new_scene);
  object_controller_.on_run_replaced(new_scene);
  readings_.on_run_replaced();
  playback_.on_run_replaced(new_scene);
  diagnostics_poller_.forget();
  view_.on_run_replaced(new_scene);
  pointer_.forget_value();
  pointer_.set_waits(backend().is_cuda());
  parameters_.on_run_replaced(new_scene);
  kernel_controller_.on_run_replaced(new_scene);
  lessons_.on_run_replaced();
  if (const KeptCurves* kept = kept_curves_.find(past_end_of(run()))) {
    diagnostics_poller_.restore_history(kept->history);
    instruments_.restore_readings(*kept->instruments);
  }
  if (!new_scene) return;
  client_.dismiss_error();  // it belongs to the previous scene
  if (begun.count.is_from_machine) client_.show_message(count_text(begun));
  if (begun.lightness.is_from_machine) client_.show_message(lighter_text(begun));
  ++scenes_;
  autosave_controller_.on_scene_replaced();
  if (!lesson()) interface_.add_recent(full_scene_path_of(begun.setup));
  interface_.show_hint(!begun.hint.empty());
  interface_.forget_hidden_plots();
}

void Session::on_run_returned(bool leaves_end) {
  const PastEnd end = past_end_of(run());
  if (run().steps < end.step && (leaves_end || !kept_curves_.has_newest(end)))
    kept_curves_.keep(end, {diagnostics_poller_.history(), instruments_.readings()});
  tools_.on_run_replaced(false);
  instrument_controller_.on_run_replaced(false);
  instruments_.clear_means();
  object_controller_.on_run_replaced(false);
  pointer_.forget_value();
  parameters_.on_run_replaced(false);
  lessons_.on_run_replaced();
}

// ---- commands

// Passes each command to the part that executes it.
struct Session::Executor {
  Session& s;

  void operator()(CommandId id) const {
    switch (id) {
      case CommandId::play_pause:
        return s.playback_.set_playing(!s.playback_.playing());
      case CommandId::single_step:
        return s.playback_.take_one_step();
      case CommandId::restart:
        return s.switcher_.restart(false);
      case CommandId::restart_keeping:
        return s.switcher_.restart(true);
      case CommandId::step_back:
        return s.playback_.move_in_past(0);
      case CommandId::past_back:
        return s.playback_.move_in_past(-past_share);
      case CommandId::past_forward:
        return s.playback_.move_in_past(past_share);
      case CommandId::undo:
        return s.switcher_.undo_or_redo(true);
      case CommandId::redo:
        return s.switcher_.undo_or_redo(false);
      case CommandId::faster:
        return s.pace().faster();
      case CommandId::slower:
        return s.pace().slower();
      case CommandId::speed_unit:
        return s.pace().next_unit();
      case CommandId::cancel_step:
        return s.playback_.cancel_step();
      case CommandId::restore_last_good:
        s.playback_.set_playing(false);  // the cause may persist: let the user check first
        return s.switcher_.restore_last_good();
      case CommandId::apply_remedy:
        s.playback_.set_playing(true);
        return s.switcher_.apply_remedy();
      case CommandId::reset_parameters:
        return s.parameters_.reset();

      case CommandId::home_view:
        return s.view_.go_home();
      case CommandId::toggle_theory:
        return s.toggle_theory();
      case CommandId::toggle_microscope:
        return s.toggle_microscope();
      case CommandId::toggle_launch:
        return s.toggle_launch();
      case CommandId::show_suggested:
        return s.view_.show_suggested();
      case CommandId::describe:
        return s.view_.describe(s.display_units());

      case CommandId::previous_scene:
        return s.file_opener_.open_neighbour(-1);
      case CommandId::next_scene:
        return s.file_opener_.open_neighbour(1);
      case CommandId::previous_step:
        return s.lessons_.previous_step();
      case CommandId::next_step:
        return s.lessons_.next_step();
      case CommandId::close_lesson:
        return s.lessons_.close();

      case CommandId::save_state:
        return s.exporter_.save_state();
      case CommandId::save_state_as:
        return s.file_chooser_.open(FileChooser::Purpose::save_state);
      case CommandId::open_file:
        return s.file_chooser_.open(FileChooser::Purpose::open);
      case CommandId::output_folder:
        return s.file_chooser_.open(FileChooser::Purpose::output_folder);
      case CommandId::show_output_folder:
        return s.output_.show();
      case CommandId::copy_command_line:
        return s.exporter_.copy_command_line();
      case CommandId::save_script:
        return s.exporter_.save_script();
      case CommandId::save_preset:
        return s.presets_.open_prompt();
      case CommandId::copy_numbers:
        return s.exporter_.copy_numbers();
      case CommandId::copy_image:
        return (*this)(Export{ExportKind::image_to_clipboard});
      case CommandId::report:
        return (*this)(Export{ExportKind::report});
      case CommandId::film:
        s.interface_.close(Overlay::export_files);
        return s.window_commands_.push_back(id);

      case CommandId::browse:
        return s.interface_.toggle_browser();
      case CommandId::measure:
        s.input_.close_lists();
        return s.interface_.show_measuring();
      case CommandId::export_files:
        return s.interface_.toggle(Overlay::export_files);
      case CommandId::toggle_panels:
        return s.interface_.toggle_panels();
      case CommandId::toggle_plots:
        return s.interface_.toggle_plot_dock();
      case CommandId::toggle_color_bar:
        return s.interface_.toggle_color_bar();
      case CommandId::presentation:
        return s.interface_.toggle_presentation();
      case CommandId::help:
        if (s.interface().overlay == Overlay::help) return s.interface_.close(Overlay::help);
        return s.interface_.show_help_page(0);
      case CommandId::about_scene:
        return s.interface_.show_scene_help();
      case CommandId::lessons:
        return s.interface_.show_help_page(lessons_help_page);
      case CommandId::larger_text:
        return s.interface_.scale_text(1.1);
      case CommandId::smaller_text:
        return s.interface_.scale_text(1 / 1.1);
      case CommandId::hide_hint:
        return s.interface_.show_hint(false);
      case CommandId::focus_panel:
        s.input_.focus_panel();
        return s.interface_.show_panels();
      case CommandId::dismiss_message:
        s.client_.dismiss_error();
        return;
      case CommandId::close_overlay:
        return s.close_topmost();

      case CommandId::screenshot:
      case CommandId::end_film:
      case CommandId::fullscreen:
      case CommandId::share:
      case CommandId::quit:
        return s.window_commands_.push_back(id);
    }
  }

  void operator()(const ParameterChange& change) const { s.parameters_.change(change); }
  void operator()(const ChooseKernel& kernel) const { s.playback_.choose_kernel(kernel); }
  void operator()(const ReturnToStep& back) const { s.playback_.return_to(back.step); }
  void operator()(const ChooseTool& tool) const { s.tools_.choose(tool.id); }
  void operator()(const ChangeBrush& c) const { s.tools_.change_brush(c.tool, c.field, c.value); }
  void operator()(const ShowQuantity& shown) const { s.view_.show_quantity(shown.id); }
  void operator()(const ChangeView& change) const { s.view_.change(change.view, change.centred); }

  void operator()(const OpenScene& scene) const { s.file_opener_.open_scene(scene.path); }
  void operator()(const OpenFile& file) const { s.file_opener_.open_file(file.path); }
  void operator()(const DropFiles& files) const { s.file_opener_.open_dropped(files.paths); }
  void operator()(const UseImage& image) const { s.file_opener_.use_image(image.kind); }
  void operator()(const AnswerRecovery& answer) const { s.file_opener_.answer_recovery(answer.wanted); }
  void operator()(const ChangeCount& change) const { s.switcher_.restart_with_width(change.count); }
  void operator()(const ChangeRace& change) const { s.switcher_.restart_race(change.by_time); }
  void operator()(const MeasureKernels& measure) const {
    return measure.on ? s.kernel_controller_.measure() : s.kernel_controller_.stop();
  }
  void operator()(const MeasureSizes& measure) const {
    return measure.on ? s.kernel_controller_.measure_sizes(measure.largest) : s.kernel_controller_.stop_sizes();
  }
  void operator()(const MeasureFrames& measure) const { s.frame_times_.measure(measure.on); }
  void operator()(const CompileKernel& kernel) const { s.kernel_editor_.compile(kernel.text); }
  void operator()(const CheckPuzzle& check) const { s.puzzles_.check(check.puzzle, check.text); }
  void operator()(const SaveKernelText& kernel) const { s.exporter_.save_kernel_text(kernel.text); }
  void operator()(const AnswerUnreadKernel& answer) const { s.kernel_editor_.answer(answer.accepted); }
  void operator()(const ListFolder& list) const { s.file_chooser_.list(list.folder); }
  void operator()(const SaveStateAs& save) const { s.file_chooser_.save_state_as(save.path); }
  void operator()(const SavePreset& save) const { s.presets_.save(save.title); }
  void operator()(const SaveSound& save) const { s.exporter_.save_sound(save.probe); }
  void operator()(const ChooseOutputFolder& c) const {
    s.interface_.close(Overlay::files);
    s.output_.choose(c.folder);
  }
  void operator()(const Export& asked) const {
    if (asked.what == ExportKind::curves) return s.exporter_.save_curves();
    if (asked.what == ExportKind::fields) return s.exporter_.export_fields();
    if (asked.what == ExportKind::numbers) return s.exporter_.copy_numbers();
    if (asked.what == ExportKind::kernels) return s.exporter_.save_kernels();
    if (asked.what == ExportKind::kernel_sizes) return s.exporter_.save_sizes(s.kernel_controller_.sizes());
    if (asked.what == ExportKind::whole_window) s.interface_.close_overlay();
    s.window_commands_.push_back(asked);
  }
  void operator()(const CopyText& copy) const { s.window_commands_.push_back(copy); }

  void operator()(const OpenLesson& lesson) const { s.lessons_.open(lesson.lesson); }
  void operator()(const AnswerQuestion& a) const { s.lessons_.answer(a.text, a.choice, a.sketch); }
  void operator()(const SaveResultSheet& save) const {
    if (save.for_paper)
      s.lessons_.save_result_page(save.student, s.measurements_.curves(), s.output_);
    else
      s.lessons_.save_result_sheet(save.student, s.output_);
  }
  void operator()(const SaveTeacherSheet& save) const {
    s.lessons_.save_teacher_sheet(save.lesson, s.output_);
    s.interface_.close_overlay();  // the message with the file's name is below it
  }

  void operator()(const SelectObject& select) const {
    s.instrument_controller_.deselect();
    s.object_controller_.select(select.object);
  }
  void operator()(const ChangeObject& c) const { s.object_controller_.change(c.object, c.number, c.value); }
  void operator()(const AddObject& add) const {
    s.instrument_controller_.deselect();
    s.object_controller_.add(add.kind);
  }
  void operator()(const RemoveObject& remove) const { s.object_controller_.remove(remove.object); }

  void operator()(const PlaceInstrument& place) const { s.instrument_controller_.choose(place.kind); }
  void operator()(const SelectInstrument& select) const {
    s.object_controller_.deselect();
    s.instrument_controller_.select(select.id);
  }
  void operator()(const RemoveInstrument& remove) const { s.instrument_controller_.remove(remove.id); }
  void operator()(const ChangeInstrument& change) const { s.instrument_controller_.change(change.changed); }
  void operator()(const PlayProbe& play) const { s.audio_output_.play(play.probe); }
  void operator()(const Sing&) const { s.singing_.toggle(); }

  void operator()(const ChangeInterface& change) const {
    std::visit([&](const auto& set) { s.interface_.set(set.member, set.value); }, change.setting);
  }
  void operator()(const ShowTab& show) const { s.interface_.show_tab(show.tab); }
  void operator()(const ShowHelpPage& show) const { s.interface_.show_help_page(show.page); }
  void operator()(const ShowPlot& plot) const { s.interface_.show_plot(plot.id, plot.shown); }
  void operator()(const ResizePlotDock& dock) const { s.interface_.resize_plot_dock(dock.height); }
  void operator()(const OverlayPlots& plots) const { s.interface_.overlay_plots(plots.id, plots.over); }
  void operator()(const ChooseTheme& choice) const {
    s.lessons_.drop_theme();
    s.interface_.choose(choice.theme);
  }
};

void Session::execute(const Command& command) {
  try {
    std::visit(Executor{*this}, command);
  } catch (const Error& error) {
    show_error(error.message());
  }
}

void Session::toggle_theory() {
  ViewSettings view = view_.settings();
  if (!view.theory && diagnostics_poller_.latest().marks.empty()) return client_.show_message(no_theory_text);
  view.theory = !view.theory;
  view_.change(view, view_.centred());
}

void Session::toggle_microscope() {
  if (!interface().microscope && !run().can_inspect) return client_.show_message(no_inspection_text);
  interface_.set(&InterfaceState::microscope, !interface().microscope);
}

void Session::toggle_launch() {
  if (!interface().launch && !run().maps_launch) return client_.show_message(no_launch_text);
  interface_.set(&InterfaceState::launch, !interface().launch);
}

// An open list covers everything; ImGui closes it too if it has the focus.
void Session::close_topmost() {
  // A dialog returns the keys to the panel that had them.
  if (interface().overlay == Overlay::none) input_.leave_panel();
  if (input_.close_lists()) return;
  if (playback_.film()) return window_commands_.push_back(CommandId::end_film);
  const bool was_open = instrument_controller_.stop_placing() || interface_.close_overlay() ||
                        instrument_controller_.deselect() || object_controller_.deselect() || client_.dismiss_error() ||
                        interface_.close_drawer() || input_.hide_crosshair() || interface_.end_presentation() ||
                        autosave_controller_.put_off_offer();
  if (!was_open) interface_.show_hint(false);
}

// ---- a frame

void Session::handle(const std::vector<InputEvent>& events, const Layout& layout, Keyboard keyboard,
                     PanelFeedback panels) {
  panels_ = std::move(panels);
  client_.begin_frame();
  input_.begin_frame();
  for (const Command& command : std::exchange(posted_, {})) execute(command);
  input_.handle(events, layout, keyboard);
  if (!layout.is_drawer) interface_.set(&InterfaceState::drawer_open, false);
  view_.sync_with_run();
  object_controller_.end_frame();
}

bool Session::is_idle() {
  client_.poll();
  return client_.is_idle();
}

void Session::visit_run(std::function<void(Experiment&)> visit, std::function<void(bool done)> then) {
  client_.post(job::Visit{std::move(visit)}, [this, then = std::move(then)](JobResult& result) {
    bool done = !result.cancelled;
    try {
      result.check();
    } catch (const Error& error) {
      client_.show_error(error.message());
      done = false;
    }
    then(done);
  });
}

void Session::observe(bool wait) {
  client_.refresh_status();
  if (client_.is_idle()) view_.sync_with_run();  // changed by a script's event
  readings_.read_cuts();
  switcher_.follow_returns();
  switcher_.find_remedy();
  // While paused, the numbers and the automatic range belong to exactly the state shown, so the image does not change.
  const bool is_paused = !playback_.playing() || !run().stop_reason.empty();
  const bool shows_kernels = interface().shows_kernels() || lessons_.shows_kernels();
  diagnostics_poller_.poll({wait || is_paused, shows_kernels, interface().microscope, interface().launch,
                            interface().launch_colors != LaunchColors::none, interface().launch_block},
                           [this](const Diagnostics& numbers) {
                             lessons_.check_answer();
                             view_.follow(numbers);
                           });
  const bool was_measuring = kernel_controller_.is_measuring();
  kernel_controller_.poll();
  if (was_measuring && !kernel_controller_.is_measuring()) lessons_.check_answer();
  puzzles_.poll();
  kernel_editor_.poll();
}

void Session::paint(Pixels pixels, const ColorTable& table) {
  client_.run_frame_job(job::Paint{pixels, &table, view_.camera(), view_.resolved()}, [](JobResult&) {});
}

void Session::end_frame(double frame_seconds, double busy_seconds) {
  diagnostics_poller_.elapse(frame_seconds);
  pointer_.elapse(frame_seconds);
  readings_.elapse(frame_seconds);
  view_.elapse(frame_seconds);
  audio_output_.update();
  singing_.update();
  autosave_controller_.end_frame(frame_seconds);
  client_.age_message(frame_seconds);
  playback_.end_frame(frame_seconds, busy_seconds);
  frame_times_.end_frame();
}

}  // namespace perturb
