/** The licences of what the binary holds: ours, and those of the packages compiled into it. */
import { license, version } from "../../cli/version.ts";
import thirdParty from "./third-party.json" with { type: "json" };

/** A package whose code is in the binary. */
export interface ThirdPartyPackage {
  readonly name: string;
  readonly version: string;
  /** Its SPDX expression. */
  readonly license: string;
  /** The texts that its package carries. */
  readonly text: string;
}

/** By name. Made by `npm run check -- --write`. */
export const thirdPartyPackages: readonly ThirdPartyPackage[] = thirdParty;

/** What `version --licenses` prints, and `THIRD-PARTY-LICENSES.txt` holds. */
export function licensesText(packages: readonly ThirdPartyPackage[] = thirdPartyPackages): string {
  const ours = `kubectl-reconcile ${version} is licensed under ${license} (LICENSE, NOTICE).

It follows the behaviour of Kubernetes, and includes messages, field tables and defaults of it: Copyright The Kubernetes
Authors, Apache-2.0, https://github.com/kubernetes/kubernetes/blob/master/LICENSE.

Its compiled binary contains the Bun runtime (MIT), which links JavaScriptCore (LGPL-2) and other libraries; their licences
are listed at https://github.com/oven-sh/bun/blob/main/LICENSE.md. It also contains these packages:`;
  const theirs = packages.map(
    ({ name, version, license, text }) => `${"=".repeat(80)}\n${name} ${version} (${license})\n\n${text}`,
  );
  return `${[ours, ...theirs].join("\n\n")}\n`;
}
