// SPDX-License-Identifier: BSD-3-Clause
// The data that the tests show on the report's page. Functions make a new copy at each call, unless
// they say otherwise.
export * from "./fixtures/compare.mjs";
export * from "./fixtures/hostile.mjs";
export * from "./fixtures/machine.mjs";
export * from "./fixtures/other_pages.mjs";
export * from "./fixtures/profiles.mjs";
export * from "./fixtures/samples.mjs";
export * from "./fixtures/timeline.mjs";
export * from "./fixtures/traces.mjs";
