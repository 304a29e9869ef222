// Removes spaces and comments from JavaScript with Emscripten's own tool, which supports scripts but not modules.
//
//   node app/web/shrink.mjs TOOL FILE     TOOL: tools/acorn-optimizer.js; FILE: a module that emcc has made, replaced
import { execFileSync } from "node:child_process";
import fs from "node:fs";

const [tool, file] = process.argv.slice(2);
const exported = /\nexport default (\w+);\s*$/;
const text = fs.readFileSync(file, "utf8");
const [, name] = exported.exec(text);
const script = `${file}.script`;
fs.writeFileSync(script, text.replace(exported, "\n").replaceAll("import.meta", "importMeta"));
const small = execFileSync(process.execPath, [tool, script, "minifyWhitespace"], { encoding: "utf8", maxBuffer: 1 << 26 });
fs.rmSync(script);
fs.writeFileSync(file, `${small.trimEnd().replaceAll("importMeta", "import.meta")}\nexport default ${name};\n`);
