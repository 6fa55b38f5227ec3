// SPDX-License-Identifier: BSD-3-Clause
// Opens the built report page with given data in headless Chromium and keeps watch over it.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const web = new URL("../../web/", import.meta.url);
const { chromium } = createRequire(new URL("package.json", web))("playwright-core");

/** The page under test: PLAIT_REPORT_PAGE, else what `npm run build` wrote. */
export const page_path =
  process.env.PLAIT_REPORT_PAGE ?? fileURLToPath(new URL("dist/report.html", web));
const chromium_path = process.env.PLAIT_CHROMIUM ?? "/usr/bin/chromium";
export const cannot_run = !existsSync(chromium_path)
  ? `no Chromium at ${chromium_path}`
  : !existsSync(page_path)
    ? `no page at ${page_path}`
    : false;

const placeholder = '<script id="plait-data" type="application/json">null</script>';

/** Puts data into the page as `plait report` does: "<" as \u003c. */
export function fill_page(data) {
  const page = readFileSync(page_path, "utf8");
  assert.equal(page.split(placeholder).length, 2, "exactly one placeholder");
  const json = typeof data === "string" ? data : JSON.stringify(data).replace(/</g, "\\u003c");
  const [before, after] = page.split(placeholder);
  return before + placeholder.replace("null", () => json) + after;
}

/** A browser with an empty profile of its own. */
export class Browser {
  static async start() {
    const folder = mkdtempSync(join(tmpdir(), "plait-web-"));
    const context = await chromium.launchPersistentContext(join(folder, "user"), {
      executablePath: chromium_path,
      headless: true,
      viewport: { width: 1280, height: 900 },
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
    return new Browser(folder, context);
  }

  constructor(folder, context) {
    this.folder = folder;
    this.context = context;
    this.pages = 0;
  }

  /** Opens the page with `data`; options: width, height, colorScheme. */
  async open(data, { width = 1280, height = 900, colorScheme = "light" } = {}) {
    const path = join(this.folder, `report-${(this.pages += 1)}.html`);
    writeFileSync(path, fill_page(data));
    const page = await this.context.newPage();
    const watch = { messages: [], requests: [], dialogs: [] };
    const url = pathToFileURL(path).href;
    page.on("console", (message) => watch.messages.push(`${message.type()}: ${message.text()}`));
    page.on("pageerror", (error) => watch.messages.push(`error: ${error.message}`));
    page.on("request", (request) => {
      if (request.url() !== url && !request.url().startsWith("data:"))
        watch.requests.push(request.url());
    });
    page.on("dialog", (dialog) => {
      watch.dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    await page.goto(url);
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
    return { page, watch };
  }

  async stop() {
    await this.context.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Nothing on the console, nothing asked of any network, no dialog. */
export function assert_quiet(watch) {
  assert.deepEqual(watch, { messages: [], requests: [], dialogs: [] });
}

/** Plain spaces for the narrow ones between digits and before units. */
export const plain = (text) => text.replace(/[\u202f\u00a0]/g, " ").trim();

/** The texts of a table's rows below a locator; lines of a cell with " | " between them. */
export async function rows_below(table) {
  const rows = await table
    .locator("tbody tr")
    .evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.innerText)));
  return rows.map((row) => row.map((cell) => plain(cell).replace(/\s*\n\s*/g, " | ")));
}

/** The same of the table with a caption. */
export const rows_of = (page, caption) =>
  rows_below(page.getByRole("region", { name: caption, exact: true }));
