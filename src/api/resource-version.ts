/** Resource versions: texts to clients, but whole numbers that may be compared since Kubernetes 1.35. */

const wellFormed = /^[1-9]\d*$/;

/**
 * Below 0, 0 or above 0 as `a` is older than, the same as, or newer than `b`; both of one kind and one cluster. Undefined if
 * either is not a whole number without leading zeros (`""`, `"0"`, those of an aggregated API server of its own making).
 * Source: apimachinery v0.36 util/resourceversion/resourceversion.go.
 */
export function compareResourceVersions(a: string, b: string): number | undefined {
  if (!wellFormed.test(a) || !wellFormed.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
