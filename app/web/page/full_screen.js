// Full screen: the whole page, or, in windows whose panels are below the view, the view alone.
import { iconButton } from "./dom.js";
import { tr } from "./i18n.js";
import { on, showMessage } from "./run.js";

// Windows in which the panels are below the view, and low ones (style.css).
const smallViews = matchMedia("(max-width: 52rem) and (orientation: portrait), (max-width: 34rem), " +
  "(max-height: 30rem)");

const root = document.documentElement;
const isAlone = () => root.classList.contains("alone");

export function fullScreen() {
  const showNoFullscreen = () => showMessage(() => tr("Cannot fill the screen: this browser does not allow it. Open " +
    "the page in its own window, or add it to the home screen and open it there."), "error");
  if (isAlone() || document.fullscreenElement) return leaveFullScreen();
  const alone = smallViews.matches;
  root.classList.toggle("alone", alone);
  // (Browsers of iPhones do not fill the screen; the view alone still fills the window.)
  if (root.requestFullscreen) root.requestFullscreen().catch(() => alone || showNoFullscreen());
  else if (!alone) showNoFullscreen();
}

function leaveFullScreen() {
  root.classList.remove("alone");
  if (document.fullscreenElement) document.exitFullscreen();
}

// The button that brings the page back, over the view that is alone.
export function leaveButton() {
  for (const event of ["escape", "left"]) on(event, leaveFullScreen);
  document.addEventListener("fullscreenchange", () => document.fullscreenElement || leaveFullScreen());
  return iconButton("close", () => tr("Leave full screen"), leaveFullScreen, { class: "icon-button leave-alone" });
}
