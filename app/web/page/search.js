// What the gallery's search finds: by title, hint, simulation and keywords, in English and as they are shown.
import { tr } from "./i18n.js";

const has = (texts, words) => {
  const all = texts.filter(Boolean).flatMap((text) => [text, tr(text)]).join(" ").toLowerCase();
  return words.every((word) => all.includes(word));
};

export const wordsOf = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

export const findsScene = (words, simulation, preset) =>
  has([preset.title, preset.hint, simulation.title, ...(preset.keywords ?? [])], words);

// By the keywords of the scene that it begins with, too.
export function findsLesson(words, simulation, lesson) {
  const scene = simulation.presets.find((one) => one.scene === lesson.scene);
  return has([lesson.title, lesson.summary, simulation.title, "lesson", "Lesson", ...(scene?.keywords ?? [])], words);
}
