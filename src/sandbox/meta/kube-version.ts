/** The order of API versions: `v2` is preferred to `v1`, that to `v1beta1`. Source: apimachinery v0.36 version/helpers.go. */

const pattern = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/;

/** Of a version that is written as Kubernetes writes them: stable ones first, then by major and minor number. */
function rankOf(version: string): readonly [stage: number, major: number, minor: number] | undefined {
  const [, major, stage, minor = "0"] = pattern.exec(version) ?? [];
  if (major === undefined) return undefined;
  return [stage === undefined ? 2 : stage === "beta" ? 1 : 0, Number(major), Number(minor)];
}

/** Below zero if `one` is preferred less than `other`. Versions written otherwise come last, by their text. */
export function compareKubeAwareVersions(one: string, other: string): number {
  if (one === other) return 0;
  const [left, right] = [rankOf(one), rankOf(other)];
  if (left === undefined || right === undefined) {
    if (left === undefined && right === undefined) return one < other ? 1 : -1;
    return left === undefined ? -1 : 1;
  }
  return left[0] - right[0] || left[1] - right[1] || left[2] - right[2];
}
