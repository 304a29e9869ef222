// A panel that writes state it does not own does not compile. This file compiles only if that is so.
#include <gtest/gtest.h>

#include "app/ui/panels/panel.h"
#include "app/ui/panels/panel_states.h"

namespace perturb {
namespace {

// Each concept holds if a panel, with its arguments P, can write the state.
template <class P>
concept can_open_tab = requires(P& panel) {
  panel.interface().tab = Tab::view;
};
template <class P>
concept can_set_interface = requires(P& panel) {
  panel.session.set_interface({});
};
template <class P>
concept can_pause = requires(P& panel) {
  panel.session.playback().set_playing(false);
};
template <class P>
concept can_move_camera = requires(P& panel) {
  panel.session.view().camera() = Camera();
};
template <class P>
concept can_choose_tool = requires(P& panel) {
  panel.session.tools().choose("");
};
template <class P>
concept can_change_parameter = requires(P& panel) {
  panel.session.parameters().reset();
};
template <class P>
concept can_remove_instruments = requires(P& panel) {
  panel.session.instrument_controller().remove(0);
};
template <class P>
concept can_close_lesson = requires(P& panel) {
  panel.session.lessons().close();
};
template <class P>
concept can_choose_folder = requires(P& panel) {
  panel.session.output().set_chosen("");
};
template <class P>
concept can_execute = requires(P& panel) {
  panel.session.execute(CommandId::quit);
};
// State of another panel.
template <class P>
concept can_move_hint = requires(P& panel) {
  panel.states.hint.age = 0;
};
template <class P>
concept can_type_answer = requires(P& panel) {
  panel.states.lesson.answer[0] = 'x';
};
template <class P>
concept can_stop_typing = requires(P& panel) {
  panel.rows.typing_.clear();
};
// Its abilities.
template <class P>
concept can_ask = requires(P& panel) {
  panel.ask(ShowTab{Tab::view});
};

static_assert(can_ask<const Panel>);
static_assert(!can_open_tab<const Panel> && !can_set_interface<const Panel> && !can_pause<const Panel>);
static_assert(!can_move_camera<const Panel> && !can_choose_tool<const Panel> && !can_change_parameter<const Panel>);
static_assert(!can_remove_instruments<const Panel> && !can_close_lesson<const Panel>);
static_assert(!can_choose_folder<const Panel> && !can_execute<const Panel>);
static_assert(!can_move_hint<const Panel> && !can_type_answer<const Panel> && !can_stop_typing<const Panel>);

// The concepts fail because of const, and not because a name is wrong.
struct Owner {
  Session& session;
  PanelStates& states;
};
static_assert(can_set_interface<Owner> && can_pause<Owner> && can_move_camera<Owner> && can_choose_tool<Owner>);
static_assert(can_remove_instruments<Owner> && can_close_lesson<Owner> && can_choose_folder<Owner>);
static_assert(can_execute<Owner> && can_move_hint<Owner> && can_type_answer<Owner>);

TEST(PanelOwnership, IsCheckedByTheCompiler) { SUCCEED(); }

}  // namespace
}  // namespace perturb
