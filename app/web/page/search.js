// Search of the gallery: in title, hint, simulation and keywords, in English and in the shown language.
import { tr } from "./i18n.js";

const has = (texts, words) => {
  const all = texts.filter(Boolean).flatMap((text) => [text, tr(text)]).join(" ").toLowerCase();
  return words.every((word) => all.includes(word));
};

export const wordsOf = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

export const findsScene = (words, simulation, preset) =>
  has([preset.title, preset.hint, simulation.title, ...(preset.keywords ?? [])], words);

// Also searches the keywords of the lesson's first scene.
export function findsLesson(words, simulation, lesson) {
  const scene = simulation.presets.find((one) => one.scene === lesson.scene);
  return has([lesson.title, lesson.summary, simulation.title, "lesson", "Lesson", ...(scene?.keywords ?? [])], words);
}
