// The page's modules in node, with what they read of a browser when they are loaded.
const nothing = () => {};
globalThis.matchMedia = () => ({ matches: false, addEventListener: nothing });
globalThis.document = { documentElement: {}, addEventListener: nothing, dispatchEvent: nothing, querySelectorAll: () => [] };

export const page = (name) => import(new URL(`../../../app/web/page/${name}.js`, import.meta.url));

// Runs `body` with the page in this language.
const { setLanguage } = await page("i18n");
export function inLanguage(id, body) {
  setLanguage(id);
  try {
    body();
  } finally {
    setLanguage("en");
  }
}
