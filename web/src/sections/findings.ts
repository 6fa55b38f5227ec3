// SPDX-License-Identifier: BSD-3-Clause
// The findings as cards: what is wrong, the evidence, the cost, and a fix.
import type { Finding, Profile } from "../data/profile";
import { absent, h, section } from "../dom";
import { make_card } from "./card";
import { make_code } from "./code";

const severities = ["high", "medium", "low", "info"];

function order_of(finding: Finding): number {
  const index = severities.indexOf(finding.severity);
  return index < 0 ? severities.length : index;
}

function make_finding(finding: Finding): HTMLElement {
  return make_card({
    severity: severities.includes(finding.severity) ? finding.severity : "info",
    tag: finding.severity,
    title: finding.what,
    id: finding.id,
    rows: [
      ["Evidence", finding.evidence],
      ["Cost", finding.cost],
      ["Fix", is_command(finding.fix) ? make_code(finding.fix, "fix") : finding.fix],
    ],
  });
}

/** A fix with an option or an assignment is a command; any other is advice. */
function is_command(fix: string): boolean {
  return /(^|\s)--?[A-Za-z]|(^|\s)[A-Z_]+=|^(taskset|srun|mpi(exec|run)|env|plait) /.test(fix);
}

export function make_findings(profile: Profile): HTMLElement {
  const findings = [...profile.findings].sort((a, b) => order_of(a) - order_of(b));
  return section(
    "findings",
    "Findings",
    findings.length > 0
      ? h("div", { class: "findings" }, findings.map(make_finding))
      : absent(
          profile.ranks.length === 0
            ? "No findings: no rank left a record."
            : "No problem was found in the placement and communication of ranks and threads.",
        ),
  );
}
