// SPDX-License-Identifier: BSD-3-Clause
// The findings as cards: what, the evidence, the cost, and what mends it.
import type { Finding, Profile } from "../data/profile";
import { absent, h, section } from "../dom";
import { make_code } from "./code";

const severities = ["high", "medium", "low", "info"];

function rank_of(finding: Finding): number {
  const index = severities.indexOf(finding.severity);
  return index < 0 ? severities.length : index;
}

function make_card(finding: Finding): HTMLElement {
  const level = severities.includes(finding.severity) ? finding.severity : "info";
  return h(
    "article",
    { class: `finding ${level}` },
    h(
      "div",
      { class: "finding-head" },
      h("span", { class: "severity" }, finding.severity),
      h("h3", {}, finding.what),
      finding.id === "" ? null : h("code", { class: "finding-id" }, finding.id),
    ),
    h(
      "dl",
      {},
      finding.evidence === "" ? null : [h("dt", {}, "Evidence"), h("dd", {}, finding.evidence)],
      finding.cost === "" ? null : [h("dt", {}, "Cost"), h("dd", {}, finding.cost)],
      finding.mend === ""
        ? null
        : [
            h("dt", {}, "Mend"),
            h("dd", {}, is_command(finding.mend) ? make_code(finding.mend, "mend") : finding.mend),
          ],
    ),
  );
}

/** A mend is a command when it has an option or an assignment, else advice. */
function is_command(mend: string): boolean {
  return /(^|\s)--?[A-Za-z]|(^|\s)[A-Z_]+=|^(taskset|srun|mpi(exec|run)|env|plait) /.test(mend);
}

export function make_findings(profile: Profile): HTMLElement {
  const findings = [...profile.findings].sort((a, b) => rank_of(a) - rank_of(b));
  return section(
    "findings",
    "Findings",
    findings.length > 0
      ? h("div", { class: "findings" }, findings.map(make_card))
      : absent(
          profile.ranks.length === 0
            ? "No finding: nothing was recorded that one could rest on."
            : "Nothing to mend was found in how ranks and threads were placed and communicate.",
        ),
  );
}
