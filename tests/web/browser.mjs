// SPDX-License-Identifier: BSD-3-Clause
// Opens the built report page with given data in headless Chromium and keeps watch over it.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { next_frame } from "./page.mjs";

const web = new URL("../../web/", import.meta.url);
const { chromium } = createRequire(new URL("package.json", web))("playwright-core");

/** The page under test: PLAIT_REPORT_PAGE, else what `npm run build` wrote. */
export const page_path =
  process.env.PLAIT_REPORT_PAGE ?? fileURLToPath(new URL("dist/report.html", web));
const chromium_path = process.env.PLAIT_CHROMIUM ?? "/usr/bin/chromium";
const cannot_run = !existsSync(chromium_path)
  ? `no Chromium at ${chromium_path}`
  : !existsSync(page_path)
    ? `no page at ${page_path}`
    : false;

const placeholder = '<script id="plait-data" type="application/json">null</script>';
let parts = null;

/** Puts data into the page as `plait report` does: "<" as \u003c. */
function fill_page(data) {
  parts ??= readFileSync(page_path, "utf8").split(placeholder);
  assert.equal(parts.length, 2, "exactly one placeholder");
  const json = typeof data === "string" ? data : JSON.stringify(data).replace(/</g, "\\u003c");
  return parts[0] + placeholder.replace("null", () => json) + parts[1];
}

/** A tab of the browser. Loading a page in a used tab takes a third of the time of a new tab. */
class Tab {
  constructor(page, path) {
    Object.assign(this, { page, path, url: pathToFileURL(path).href });
    this.watch = { messages: [], requests: [], dialogs: [] };
    const { watch } = this;
    page.on("console", (message) => watch.messages.push(`${message.type()}: ${message.text()}`));
    page.on("pageerror", (error) => watch.messages.push(`error: ${error.message}`));
    page.on("request", (request) => {
      if (request.url() !== this.url && !request.url().startsWith("data:"))
        watch.requests.push(request.url());
    });
    page.on("dialog", (dialog) => {
      watch.dialogs.push(dialog.message());
      void dialog.dismiss();
    });
  }

  async load(data, { width = 1280, height = 900, colorScheme = "light" }) {
    writeFileSync(this.path, fill_page(data));
    await this.page.mouse.move(0, 0);
    await this.page.setViewportSize({ width, height });
    await this.page.emulateMedia({ media: "screen", colorScheme });
    await this.page.goto(this.url);
    await next_frame(this.page);
  }

  /** Nothing was written to the console, asked of a network, or said in a dialog. */
  assert_quiet() {
    assert.deepEqual(this.watch, { messages: [], requests: [], dialogs: [] });
  }
}

/** One browser for all tests of the process, started when the first page is opened. */
const browser = { running: null, folder: "", tabs: 0, idle: [], users: 0 };

async function start_browser() {
  browser.folder = mkdtempSync(join(tmpdir(), "plait-web-"));
  browser.running = await chromium.launch({
    executablePath: chromium_path,
    headless: true,
    args: [
      "--headless=new",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

async function stop_browser() {
  const { running, folder } = browser;
  Object.assign(browser, { running: null, idle: [] });
  await running?.close();
  if (folder !== "") rmSync(folder, { recursive: true, force: true });
}

async function take_tab() {
  if (browser.running === null) await start_browser();
  if (browser.idle.length > 0) return browser.idle.pop();
  const path = join(browser.folder, `report-${(browser.tabs += 1)}.html`);
  // Each in a window of its own: a tab behind another one would draw once in a second.
  return new Tab(await browser.running.newPage(), path);
}

/** Gives a tab back without its page, which would be drawn again for the next page's size. */
async function give_back(tab) {
  await tab.page.goto("about:blank");
  browser.idle.push(tab);
}

/** A block of tests that open pages; skipped where there is no browser or no page. */
export function page_tests(name, body) {
  if (!cannot_run) browser.users += 1;
  describe(name, { skip: cannot_run }, () => {
    body();
    after(async () => {
      browser.users -= 1;
      if (browser.users === 0) await stop_browser();
    });
  });
}

/**
 * Opens the page with `data`, calls `check` with it, and asserts that the page was quiet.
 * Options: width, height, colorScheme.
 */
export async function check_page(data, check, options = {}) {
  const tab = await take_tab();
  try {
    await tab.load(data, options);
    await check(tab.page);
    tab.assert_quiet();
  } catch (error) {
    await tab.page.close();
    throw error;
  }
  await give_back(tab);
}

/**
 * Opens the page with `data` once for all tests of a block and asserts after each of them that it
 * was quiet. Calls `ready` with the page before the first test.
 */
export function share_page(data, ready, options = {}) {
  let tab = null;
  before(async () => {
    tab = await take_tab();
    await tab.load(data, options);
    await ready(tab.page);
  });
  after(async () => {
    tab.assert_quiet();
    await give_back(tab);
  });
}
