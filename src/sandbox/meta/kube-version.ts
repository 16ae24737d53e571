/** The order of API versions: `v2` before `v1`, `v1` before `v1beta1`. Source: apimachinery v0.36 version/helpers.go. */

const pattern = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/;

/** The rank of a Kubernetes-style version: stable ones first, then by major and minor number. */
function rankOf(version: string): readonly [stage: number, major: number, minor: number] | undefined {
  const [, major, stage, minor = "0"] = pattern.exec(version) ?? [];
  if (major === undefined) return undefined;
  return [stage === undefined ? 2 : stage === "beta" ? 1 : 0, Number(major), Number(minor)];
}

/** Negative if `one` is less preferred than `other`. Other version strings come last, ordered by text. */
export function compareKubeAwareVersions(one: string, other: string): number {
  if (one === other) return 0;
  const [left, right] = [rankOf(one), rankOf(other)];
  if (left === undefined || right === undefined) {
    if (left === undefined && right === undefined) return one < other ? 1 : -1;
    return left === undefined ? -1 : 1;
  }
  return left[0] - right[0] || left[1] - right[1] || left[2] - right[2];
}
