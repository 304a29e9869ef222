// A class in which every browser has a run of its own ("perturb serve --own-runs"): the page is as always, and tells the
// server how far its lesson is. The teacher's page leads, and gets the answers of all.
import { retranslate, tr } from "./i18n.js";
import { emit, on, run, showMessage, showRefusal } from "./run.js";
import { RemoteEngine } from "./remote_engine.js";

const curvePoints = 100;
let sent = "", led = ""; // what the server knows of the lesson of this page; the lesson that this page has followed

// The page of somebody who has joined begins with this address.
export const isOfClass = () => new URLSearchParams(location.search).has("class");

export async function startClass() {
  const link = new RemoteEngine();
  const call = (name, request) => link.call(name, request);
  const take = ({ role, name, lesson }) => {
    run.classLink = { role, call };
    if (role === "pupil") run.student ||= name; // for the result sheet
    retranslate(); // a teacher's controls have other names
    sent = "";
    tell();
    follow(lesson);
  };
  link.onPush = (push) => {
    if (push.push === "lead") follow(push.lesson);
    else if (push.push === "end") showMessage(() => tr(push.message), "lasting");
    else emit(push.push, push);
  };
  link.onConnection = (state) => {
    emit("connection", state);
    if (state.hello) take(state.hello);
  };
  document.addEventListener("visibilitychange", () => !document.hidden && link.connectNow());
  window.addEventListener("online", () => link.connectNow());
  window.addEventListener("pagehide", () => link.leave());
  on("lesson", tell);
  try {
    take(await link.start());
  } catch (error) {
    showRefusal(error);
  }
}

// Opens the lesson of the class. A pupil may then look at other scenes, until the teacher opens another lesson.
function follow(lesson) {
  if (!lesson || lesson === led || run.classLink.role === "teacher") return;
  led = lesson;
  if (run.lesson?.lesson.path !== lesson) location.hash = `l=${lesson}`;
}

// A message is short, and the teacher looks at the curve of a whole class.
const thinned = (curve) => curve.filter((_, i) => i % Math.ceil(curve.length / curvePoints) === 0)
  .map(([x, y]) => [Number(x.toPrecision(5)), Number(y.toPrecision(5))]);

function tell() {
  const { role, call } = run.classLink ?? {}, kept = run.lesson?.kept;
  if (!role || role === "spectator" || (role === "pupil" && !kept)) return;
  const request = role === "teacher" ? { path: kept?.path ?? "", index: kept?.index ?? 0 }
    : { ...kept, answers: kept.answers.map((answer) => (answer.curve ? { ...answer, curve: thinned(answer.curve) } : answer)) };
  const text = JSON.stringify(request);
  if (text === sent) return;
  sent = text;
  call(role === "teacher" ? "lead" : "keep", request).catch((error) => {
    sent = ""; // a connection that has been lost: again after the next hello
    if (error.kind !== "stopped") showRefusal(error);
  });
}
