/** The version of Kubernetes that an API server has. */
export interface ServerVersion {
  /** As the server reports it: `v1.36.3`, `v1.33.5-gke.100`. */
  readonly gitVersion: string;
  readonly major: number;
  /** `36`. Of a server that emulates an older version, that one. */
  readonly minor: number;
}

/** The version whose behaviour the built-in controllers and the sandbox have. */
export const ownVersion: ServerVersion = { gitVersion: "v1.36.3", major: 1, minor: 36 };

/**
 * Reads the response of `/version`. What it does not say is assumed to be as in `ownVersion`.
 * Source: apimachinery v0.36 pkg/version/types.go Info.
 */
export function parseServerVersion(response: unknown): ServerVersion {
  // All fields of the response are strings.
  const { gitVersion = "unknown version", ...info } = (response ?? {}) as Readonly<Record<string, string | undefined>>;
  // Some distributions append a plus sign.
  const numberOf = (text: string | undefined): number => Number.parseInt(text ?? "", 10);
  const major = numberOf(info["emulationMajor"] ?? info["major"]);
  const minor = numberOf(info["emulationMinor"] ?? info["minor"]);
  const isKnown = Number.isInteger(major) && Number.isInteger(minor);
  return { gitVersion, ...(isKnown ? { major, minor } : { major: ownVersion.major, minor: ownVersion.minor }) };
}

/** Whether the server has at least this version: `isAtLeast(version, 35)` for Kubernetes 1.35. */
export function isAtLeast({ major, minor }: ServerVersion, wanted: number): boolean {
  return major > 1 || minor >= wanted;
}
