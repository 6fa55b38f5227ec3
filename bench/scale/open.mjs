// SPDX-License-Identifier: BSD-3-Clause
// Prints how many seconds Chromium takes to open a page and draw it: the median of new tabs.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { next_frame } from "../../tests/web/page.mjs";

const TABS = 5;
const web = new URL("../../web/package.json", import.meta.url);
const { chromium } = createRequire(web)("playwright-core");
const browser = await chromium.launch({
  executablePath: process.env.PLAIT_CHROMIUM ?? "/usr/bin/chromium",
  args: ["--headless=new", "--no-sandbox", "--disable-gpu"],
});
const seconds = [];
for (let tab = 0; tab < TABS; ++tab) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.goto(pathToFileURL(process.argv[2]).href);
  await next_frame(page);
  seconds.push((await page.evaluate(() => performance.now())) / 1000);
  await page.close();
}
await browser.close();
console.log(seconds.sort((a, b) => a - b)[(TABS - 1) / 2]);
