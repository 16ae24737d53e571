/** Resource versions: opaque strings for clients before Kubernetes 1.35, comparable whole numbers since. */

const wellFormed = /^[1-9]\d*$/;

/**
 * Below 0, 0 or above 0 if `a` is older than, equal to, or newer than `b`, both of the same kind and cluster. Undefined if either is not a
 * whole number without leading zeros (`""`, `"0"`, versions of some aggregated API servers).
 * Source: apimachinery v0.36 util/resourceversion/resourceversion.go.
 */
export function compareResourceVersions(a: string, b: string): number | undefined {
  if (!wellFormed.test(a) || !wellFormed.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
