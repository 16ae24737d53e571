/**
 * The policy in a namespace's labels: a level and a version to enforce, and one to warn by. (Audit labels are only validated: there is no
 * audit mode here.) Source: pod-security-admission v0.36 api/helpers.go.
 */
import { invalid, type FieldError } from "../../../meta/field-errors.ts";

const levels = ["privileged", "baseline", "restricted"] as const;

/** From the loosest to the strictest. */
export type Level = (typeof levels)[number];

/** A minor version of Kubernetes 1.x; `latest` is newer than every number. */
export type Version = number | "latest";

/** A level of the Pod Security Standards, at a version. */
export interface LevelVersion {
  readonly level: Level;
  readonly version: Version;
}

/** What a namespace enforces and what it warns about. */
export interface Policy {
  readonly enforce: LevelVersion;
  readonly warn: LevelVersion;
}

/** The policy in a namespace's labels, and the errors in these labels. */
export interface PolicyOfLabels {
  /** Always a usable policy: an invalid level counts as `restricted` for enforce and as `privileged` for warn. */
  readonly policy: Policy;
  readonly errors: readonly FieldError[];
}

const prefix = "pod-security.kubernetes.io/";

/** Negative if `a` is looser than `b`. */
export function compareLevels(a: Level, b: Level): number {
  return levels.indexOf(a) - levels.indexOf(b);
}

/** `baseline:v1.30`, as in messages. */
export function shownPolicy({ level, version }: LevelVersion): string {
  return `${level}:${version === "latest" ? version : `v1.${version}`}`;
}

/** The largest minor version that a label can specify: Go's int. */
const largestMinor = 2n ** 63n - 1n;

function parsedVersion(text: string): Version | undefined {
  if (text === "latest") return text;
  const minor = /^v1\.(0|[1-9][0-9]*)$/.exec(text)?.[1];
  return minor === undefined || BigInt(minor) > largestMinor ? undefined : Number(minor);
}

const parsedLevel = (text: string): Level | undefined => levels.find((level) => level === text);

interface Mode {
  /** Undefined if the label is missing. */
  readonly level: string | undefined;
  readonly parsed: Level | undefined;
  readonly version: Version;
  readonly hasVersion: boolean;
}

/** Reads the two labels of a mode; appends problems to `errors`. */
function modeOf(labels: Readonly<Record<string, string>>, mode: string, errors: FieldError[]): Mode {
  const wrong = (name: string, value: string, why: string): void => {
    errors.push(invalid(`metadata.labels[${prefix}${name}]`, value, why));
  };
  const level = labels[`${prefix}${mode}`];
  const parsed = level === undefined ? undefined : parsedLevel(level);
  if (level !== undefined && parsed === undefined) wrong(mode, level, `must be one of ${levels.join(", ")}`);
  const versionLabel = labels[`${prefix}${mode}-version`];
  const version = versionLabel === undefined ? "latest" : parsedVersion(versionLabel);
  if (versionLabel !== undefined && version === undefined)
    wrong(`${mode}-version`, versionLabel, 'must be "latest" or "v1.x"');
  return { level, parsed, version: version ?? "latest", hasVersion: versionLabel !== undefined };
}

/** The policy in these labels of a namespace, and all errors in them. Without labels everything is allowed. */
export function policyOf(labels: Readonly<Record<string, string>> = {}): PolicyOfLabels {
  const errors: FieldError[] = [];
  const enforced = modeOf(labels, "enforce", errors);
  modeOf(labels, "audit", errors);
  const warned = modeOf(labels, "warn", errors);
  const otherwise = enforced.level === undefined ? "privileged" : "restricted";
  const enforce = { level: enforced.parsed ?? otherwise, version: enforced.version } as const;
  // The warn level defaults to the enforced one: for workloads whose pods would be rejected.
  const warn =
    warned.level === undefined && enforced.parsed !== undefined && enforced.parsed !== "privileged"
      ? { level: enforced.parsed, version: warned.hasVersion ? warned.version : enforce.version }
      : { level: warned.parsed ?? "privileged", version: warned.version };
  return { policy: { enforce, warn }, errors };
}
