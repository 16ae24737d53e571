/** The output of `kube-apiserver --help`, where envtest looks up which flags it may use. */
import { flagsWith } from "./kube-apiserver-flags.ts";

const intro = `A sandbox of kubectl reconcile, started as kube-apiserver is: an API server in memory, measured against kube-apiserver 1.36.3.

Usage:
  kube-apiserver [flags]

`;

const headings = [
  ["Served:", "served"],
  ["Unneeded, since no client sees their effect:", "unneeded"],
  ["Accepted without effect, which a line on standard error says:", "without effect"],
  ["Refused:", "refused"],
] as const;

/** One flag per line. */
export function helpText(): string {
  const parts = headings.map(([heading, use]) =>
    [heading, ...flagsWith(use).map((name) => `      --${name}`)].join("\n"),
  );
  return `${intro}${parts.join("\n\n")}\n`;
}
