/** Labels of nodes under an older and a newer name. Pure. Source: node_lifecycle_controller.go reconcileNodeLabels. */
import type { Node } from "../../api/types.ts";

/** The newer name is authoritative; the older one follows. */
const pairs: readonly (readonly [newer: string, older: string])[] = [
  ["kubernetes.io/os", "beta.kubernetes.io/os"],
  ["kubernetes.io/arch", "beta.kubernetes.io/arch"],
];

/** The labels that the node lacks or has with another value; empty if there are none. */
export function labelsToSet({ metadata: { labels = {} } }: Node): Readonly<Record<string, string>> {
  const differing = pairs.flatMap(([newer, older]) => {
    const value = labels[newer];
    return value === undefined || labels[older] === value ? [] : [[older, value] as const];
  });
  return Object.fromEntries(differing);
}
