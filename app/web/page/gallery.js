// The gallery: thumbnails of all scenes and lessons, by simulation, with a search.
import { icon, make } from "./dom.js";
import { hasFingersOnly, hintOf, retranslate, tr } from "./i18n.js";
import { keepLightness, opensLighter } from "./keep.js";
import { on, run } from "./run.js";
import { showTeacherSheet } from "./teacher_sheet.js";

// "wave/double-slit" -> its thumbnail, made with the page.
const thumbnailOf = (scene) => `thumbnails/${scene.replace("/", "-")}.webp`;

// Shown on scenes that open lighter on this machine.
const lighterMark = (scene) => make("span", { class: "card-badge", "data-lighter": scene, hidden: !opensLighter(scene),
  title: () => tr("This machine is too slow for the full scene."), text: () => tr("Opens lighter here") });

function card({ href, scene, title, line, badge = null, mark = null, more = null }) {
  const image = scene ? make("img", { src: thumbnailOf(scene), alt: "", loading: "lazy", fetchpriority: "low",
    width: 320, height: 200,
    onerror: () => image.replaceWith(make("span", { class: "no-image" }, icon("grid"))) })
    : make("span", { class: "no-image" }, icon("lesson"));
  return make("li", {}, make("a", { class: "card", href },
    make("span", { class: "card-image" }, image, badge && make("span", { class: "card-badge", text: badge }),
      mark),
    make("span", { class: "card-title", text: () => tr(title) }),
    line && make("span", { class: "card-line", text: line })), more);
}

export function fillGallery(main) {
  const search = make("input", { type: "search", id: "search", placeholder: () => tr("Search scenes and lessons"),
    "aria-label": () => tr("Search scenes and lessons"), oninput: () => show(),
    onkeydown: (event) => event.key === "Enter" && search.value && list.querySelector(".card")?.click() });
  const filters = make("div", { class: "filters", role: "group", "aria-label": () => tr("Simulations") });
  const list = make("div", {}), found = make("p", { class: "visually-hidden", role: "status" });
  let chosen = "";

  function show() {
    const words = wordsOf(search.value);
    let count = 0;
    const sections = run.catalog.simulations.filter((one) => !chosen || one.id === chosen).map((simulation) => {
      const scenes = byRank(words, simulation.presets.filter((one) => findsScene(words, simulation, one)));
      const lessons = byRank(words, run.catalog.lessons.filter((one) => one.simulation === simulation.id &&
        findsLesson(words, simulation, one)));
      count += scenes.length + lessons.length;
      if (!scenes.length && !lessons.length) return null;
      return { rank: Math.min(...[...scenes, ...lessons].map((one) => searchRank(words, one))), node: make("section", {},
        make("div", { class: "gallery-head" }, make("h2", { text: () => tr(simulation.title) }),
          make("p", { class: "dim", text: () => tr(simulation.summary) })),
        make("ul", { class: "cards" },
          scenes.map((preset) => card({ href: `#s=${preset.scene}`, scene: preset.scene, title: preset.title,
            line: () => hintOf(preset), mark: lighterMark(preset.scene) })),
          lessons.map((lesson) => card({ href: `#l=${lesson.path}`, scene: lesson.scene, title: lesson.title,
            line: () => tr(lesson.summary), badge: () => tr("Lesson"),
            more: make("button", { type: "button", class: "quiet teacher-sheet", text: () => tr("Sheet for teachers"),
              onclick: () => showTeacherSheet(lesson.path) }) })))) };
    }).filter(Boolean);
    list.replaceChildren(...sections.sort((a, b) => a.rank - b.rank).map((one) => one.node));
    if (!count) list.replaceChildren(make("p", { class: "nothing", text: () =>
      tr("No scene or lesson matches. Use fewer words or choose another simulation.") }));
    found.textContent = words.length ? tr("{} scenes and lessons found", count) : "";
    for (const button of filters.children) button.setAttribute("aria-pressed", String(button.dataset.id === chosen));
  }
  const filter = (id, label) => make("button", { type: "button", class: "chip", "data-id": id, text: label,
    onclick: () => {
    chosen = id;
    show();
  } });
  filters.append(filter("", () => tr("All")), ...run.catalog.simulations.map((one) =>
    filter(one.id, () => tr(one.title))));
  main.replaceChildren(
    make("div", { class: "gallery-intro" },
      make("h1", { text: () => tr("Physics to poke") }),
      make("p", { class: "lead", text: () => (hasFingersOnly()
        ? tr("Open a scene, tap the view, move a slider: the simulation runs live on this device.")
        : tr("Open a scene, click in the view, move a slider: the simulation runs live on this device.")) }),
      make("div", { class: "find" }, make("span", { class: "search" }, icon("search"), search), filters), found),
    list,
    make("footer", { class: "dim small" },
      make("span", { text: () => tr("Perturb {}", run.catalog.version) }), " · ",
      make("a", { href: "#verify", text: () => tr("How accurate is it? Checks against theory") })));
  show();
  on("measured", () => {
    keepLightness(run.status);
    for (const mark of list.querySelectorAll("[data-lighter]")) mark.hidden = !opensLighter(mark.dataset.lighter);
  });
  main.addEventListener("keydown", arrows);
  on("settings", (key) => key === "language" && (retranslate(main), show()));
  // Repeats the search if its text was typed before the translations had arrived.
  let shownIn = "";
  document.addEventListener("retranslated", () => {
    const texts = `${search.value} ${run.catalog.simulations.flatMap((one) => one.presets.flatMap((preset) =>
      preset.keywords ?? [])).map((word) => tr(word)).join()}`;
    if (search.value && texts !== shownIn) {
      shownIn = texts;
      show();
    }
  });
}

// Arrow keys move from card to card.
function arrows(event) {
  const here = event.target.closest?.(".card");
  if (!here || !event.key.startsWith("Arrow")) return;
  /** @type {any[]} */
  const cards = [...document.querySelectorAll("#gallery .card")], box = here.getBoundingClientRect();
  const middle = box.left + box.width / 2;
  const at = cards.indexOf(here);
  let next = null;
  if (event.key === "ArrowRight") next = cards[at + 1];
  else if (event.key === "ArrowLeft") next = cards[at - 1];
  else {
    const direction = event.key === "ArrowDown" ? 1 : -1;
    const rows = cards.map((one) => ({ card: one, at: one.getBoundingClientRect() }))
      .filter(({ at: other }) => direction * (other.top - box.top) > box.height / 2)
      .sort(({ at: a }, { at: b }) => direction * (a.top - b.top) ||
        Math.abs(a.left + a.width / 2 - middle) - Math.abs(b.left + b.width / 2 - middle));
    next = rows[0]?.card;
  }
  if (!next) return;
  event.preventDefault();
  next.focus();
}

// ---- search: in title, hint, simulation and keywords, in English and in the shown language

const has = (texts, words) => {
  const all = texts.filter(Boolean).flatMap((text) => [text, tr(text)]).join(" ").toLowerCase();
  return words.every((word) => all.includes(word));
};

// Order of what a search finds, as search_rank in app/browser/browser_entry.h: whole words of the title, of a keyword,
// then parts of words. Without a search all are equal.
export function searchRank(words, { title, keywords = [] }) {
  const subjects = [title, ...keywords].map((text) => `${text} ${tr(text)}`.toLowerCase());
  const whole = subjects.map((text) => text.split(/[^\p{L}\p{N}]+/u));
  const first = whole.findIndex((all) => words.every((word) => all.includes(word)));
  if (first >= 0) return first;
  const within = subjects.findIndex((text) => words.every((word) => text.includes(word)));
  return within >= 0 ? 1000 + within : 1e6;
}
const byRank = (words, entries) => [...entries].sort((a, b) => searchRank(words, a) - searchRank(words, b));

const wordsOf = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

const findsScene = (words, simulation, preset) =>
  has([preset.title, preset.hint, simulation.title, ...(preset.keywords ?? [])], words);

// Also searches the keywords of the lesson's first scene.
function findsLesson(words, simulation, lesson) {
  const scene = simulation.presets.find((one) => one.scene === lesson.scene);
  return has([lesson.title, lesson.summary, simulation.title, "lesson", "Lesson", ...(scene?.keywords ?? [])], words);
}
