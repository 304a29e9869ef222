// The lab report: a page for paper about the experiment, in another tab.
import { make } from "./dom.js";
import { showPaper } from "./exports.js";
import { imageSize, viewImage } from "./frames.js";
import { currentLanguage, tr } from "./i18n.js";
import { call, showMessage } from "./run.js";
import { settings } from "./settings.js";

const maxPixels = 2e6; // of the picture on paper
const viewMark = "data:perturb-view"; // stands for the picture in the request: a server takes no long ones

export async function showReport() {
  const isShown = await showPaper(async () => {
    const { image, width, height } = await viewImage(imageSize(1, maxPixels));
    const view = make("canvas", { width, height });
    view.getContext("2d").putImageData(new ImageData(new Uint8ClampedArray(image), width, height), 0, 0);
    const { page } = await call("lab_report", { picture: viewMark, scene_units: settings.sceneUnits,
      language: currentLanguage() });
    return { page: page.replace(viewMark, () => view.toDataURL()), stem: "lab-report" };
  });
  if (isShown) showMessage(() => tr("The report is in another tab, to be printed or saved."));
}
