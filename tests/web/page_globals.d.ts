// What the type check of the page does not know: browser interfaces that are newer than its tables, node's parts in
// engine.js, and properties that the page gives to elements.
declare const process: any;
declare module "node:*";
declare var CompressionStream: any;
declare var DecompressionStream: any;
interface RequestInit {
  priority?: any;
}
interface Element {
  boundTexts?: Map<string, () => string>;
  showAgain?: () => void;
}
