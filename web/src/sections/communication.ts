// SPDX-License-Identifier: BSD-3-Clause
// Traffic between ranks (matrix, peers, communicators) and message sizes.
import { make_matrix_chart } from "../charts/matrix";
import { make_sizes_chart } from "../charts/sizes";
import type { Report } from "../data/report";
import { absent, h, section } from "../dom";
import { make_communicators, make_peers } from "./calls";

export function make_matrix({ profile }: Report): HTMLElement {
  const { matrix } = profile;
  const traffic = matrix.point_to_point.length + matrix.collective.length;
  const aside = h("div", { class: "aside" }, make_peers(profile), make_communicators(profile));
  const alone = aside.childElementCount === 0 ? " alone" : "";
  return section(
    "matrix",
    "Communication between ranks",
    h(
      "div",
      { class: `matrix-pair${alone}` },
      traffic === 0 || matrix.size === 0
        ? absent(
            profile.calls.length === 0
              ? "Plait recorded no MPI calls."
              : "No message between ranks was recorded.",
          )
        : make_matrix_chart(matrix, profile.ranks),
      aside,
    ),
  );
}

export function make_sizes({ profile, machine }: Report): HTMLElement {
  return section(
    "sizes",
    "Message sizes",
    profile.sizes.length === 0
      ? absent(
          profile.calls.length === 0
            ? "Plait recorded no MPI calls."
            : "No message with data was recorded.",
        )
      : make_sizes_chart(profile.sizes, machine?.measured?.paths ?? []),
  );
}
