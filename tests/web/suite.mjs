// SPDX-License-Identifier: BSD-3-Clause
// Runs all tests of the report's page in one process, so that they share one browser.
//   node --test tests/web/suite.mjs             all of them
//   node --test tests/web/compare.test.mjs      one file
import { readdirSync } from "node:fs";

const files = readdirSync(new URL(".", import.meta.url)).filter((name) =>
  name.endsWith(".test.mjs"),
);
for (const name of files.sort()) await import(new URL(name, import.meta.url).href);
