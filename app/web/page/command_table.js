// The table of commands (app/commands/commands.cpp): keys and labels for buttons and the help. It is part of the page,
// so that it is there before the engine.
import { hasFingersOnly, tr } from "./i18n.js";
import { run } from "./run.js";

// [{name, keys, shown_key, shown_keys, group, label, repeats}]: the commands that have a key on the page.
export const commandTable = () => run.catalog?.commands ?? [];

// A button's text: its label and, where there may be keys, the first one of the command, "Faster  (+)". `label`: for a
// button whose label depends on the run.
export function buttonText(name, label = "") {
  const command = commandTable().find((one) => one.name === name);
  if (hasFingersOnly()) return label || tr(command?.label);
  return command ? `${label || tr(command.label)}  (${tr(command.shown_key)})` : label;
}
