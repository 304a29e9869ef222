// The table of commands (app/commands/commands.cpp): keys and labels for buttons and the help. It is part of the page,
// so that it is there before the engine.
import { tr } from "./i18n.js";
import { run } from "./run.js";

// [{name, keys, shown_key, shown_keys, group, label, repeats}]: the commands that have a key on the page.
export const commandTable = () => run.catalog?.commands ?? [];

// A button's text: its label and the first key of the command, "Faster  (+)". `label`: for a button whose label
// depends on the run.
export function buttonText(name, label = "") {
  const command = commandTable().find((one) => one.name === name);
  return command ? `${label || tr(command.label)}  (${tr(command.shown_key)})` : label;
}
