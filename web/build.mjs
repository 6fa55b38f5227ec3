// SPDX-License-Identifier: BSD-3-Clause
// Builds the report's page: one HTML file with its script and style inside, and a place for data.
//
//   node build.mjs [OUTPUT]      (default: dist/report.html)
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const output = resolve(process.argv[2] ?? join(here, "dist", "report.html"));

const bundle = async (entry) => {
  const result = await build({
    entryPoints: [join(here, "src", entry)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["es2020", "chrome100", "firefox100", "safari15"],
    charset: "ascii",
    legalComments: "none",
    logLevel: "warning",
    define: { "process.env.NODE_ENV": '"production"' },
  });
  return result.outputFiles[0].text.trim();
};

// Inside <script>, "</script" would end the element and "<!--" would change how it is parsed.
const script = (await bundle("main.ts"))
  .replace(/<\/(script)/gi, "<\\/$1")
  .replace(/<!--/g, "<\\!--");
const style = await bundle("style.css");
if (/<\/style/i.test(style)) throw new Error("the style sheet contains </style");

// The licences of what is bundled ask to be passed on with it.
const licence = (name, file) =>
  `${name}\n\n${readFileSync(join(here, "node_modules", name, file), "utf8").trim()}`;
const licences = [
  "This file contains Apache ECharts, zrender and tslib. Their notices and licences:",
  licence("echarts", "NOTICE"),
  licence("echarts", "LICENSE"),
  licence("zrender", "LICENSE"),
  licence("tslib", "LICENSE.txt"),
]
  .join("\n\n")
  .replace(/--(!?)>/g, "- -$1>");

const hash = createHash("sha256").update(script).digest("base64");
const parts = { style, script, hash: `'sha256-${hash}'`, licences };
const page = readFileSync(join(here, "src", "page.html"), "utf8").replace(
  /\{\{(\w+)\}\}/g,
  (_, name) => parts[name],
);

mkdirSync(dirname(output), { recursive: true });
// Through a file beside it: builds that run at once each leave a whole page.
const temporary = `${output}.${process.pid}`;
writeFileSync(temporary, page);
renameSync(temporary, output);
console.log(`${output}: ${(Buffer.byteLength(page) / 1024).toFixed(0)} KiB`);
