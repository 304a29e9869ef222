// State that panels keep from pass to pass. Every panel reads all of it; the one that owns a state can write it.
#pragma once

#include "app/ui/kernels/kernel_editor.h"
#include "app/ui/kernels/kernel_panel.h"
#include "app/ui/kernels/puzzle_card.h"
#include "app/ui/panels/dialogs.h"
#include "app/ui/panels/file_browser.h"
#include "app/ui/panels/lesson_panel.h"
#include "app/ui/panels/parameter_panel.h"
#include "app/ui/panels/scene_panel.h"
#include "app/ui/panels/view_overlays.h"
#include "app/ui/plots/plot_dock.h"
#include "app/ui/widgets/floating_box.h"

namespace perturb {

struct PanelStates {
  FloatingBox color_bar;
  HintState hint;
  LessonPanelState lesson;
  FileBrowserState files;
  SceneBrowserState browser;
  PresetPromptState preset;
  KernelEditorState kernel_editor;
  SizeSweepState size_sweep;
  PuzzleCardState puzzle_card;
  PlotDockState plots;
  CountOfferState count_offer;
};

}  // namespace perturb
