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

/** What `version --licenses` prints. */
export function licensesText(): string {
  const ours = `kubectl-reconcile ${version} is licensed under ${license} (LICENSE, NOTICE).

Its compiled binary holds the Bun runtime (MIT; the libraries linked into Bun have licences of their own, listed at
https://github.com/oven-sh/bun/blob/main/LICENSE.md) and these packages:`;
  const theirs = thirdPartyPackages.map(
    ({ name, version, license, text }) => `${"=".repeat(80)}\n${name} ${version} (${license})\n\n${text}`,
  );
  return `${[ours, ...theirs].join("\n\n")}\n`;
}
