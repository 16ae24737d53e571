/** `semver()`. Source: apiserver v0.36 pkg/cel/library/semverlib.go; github.com/blang/semver v4.0 semver.go. */
import { goQuoted } from "../../../api/go-text.ts";
import { parseUint64 } from "../values/go-numbers.ts";
import { type CelType, objectOf } from "../values/types.ts";
import { CelError, Opaque, overloadError, type Value } from "../values/value.ts";
import { bind, declare, type FunctionDecl, guards } from "./function.ts";

/** The type of versions. */
const semverType: CelType = objectOf("kubernetes.Semver");

interface Version {
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint];
  readonly pre: readonly string[];
  readonly build: readonly string[];
}

/** A version. */
class Semver extends Opaque {
  readonly type = semverType;
  readonly version: Version;

  constructor(version: Version) {
    super();
    this.version = version;
  }

  equal(other: Value): boolean | CelError {
    return other instanceof Semver ? compare(this.version, other.version) === 0n : overloadError(other);
  }

  text(): string {
    const { numbers, pre, build } = this.version;
    return `${numbers.join(".")}${pre.length > 0 ? `-${pre.join(".")}` : ""}${build.length > 0 ? `+${build.join(".")}` : ""}`;
  }
}

const names = ["major", "minor", "patch"] as const;

function readNumber(text: string, name: (typeof names)[number]): bigint | string {
  if (!/^\d*$/.test(text)) return `Invalid character(s) found in ${name} number ${goQuoted(text)}`;
  if (/^0./.test(text))
    return `${name[0]?.toUpperCase()}${name.slice(1)} number must not contain leading zeroes ${goQuoted(text)}`;
  const value = parseUint64(text);
  if (value !== undefined) return value;
  return `strconv.ParseUint: parsing ${goQuoted(text)}: ${text === "" ? "invalid syntax" : "value out of range"}`;
}

function preProblem(part: string): string | undefined {
  if (part === "") return "Prerelease is empty";
  if (/^\d+$/.test(part))
    return /^0./.test(part)
      ? `Numeric PreRelease version must not contain leading zeroes ${goQuoted(part)}`
      : undefined;
  return /^[0-9A-Za-z-]+$/.test(part) ? undefined : `Invalid character(s) found in prerelease ${goQuoted(part)}`;
}

function buildProblem(part: string): string | undefined {
  if (part === "") return "Build meta data is empty";
  return /^[0-9A-Za-z-]+$/.test(part) ? undefined : `Invalid character(s) found in build meta data ${goQuoted(part)}`;
}

/** Splits off the part after a sign, at the dots. */
function tail(text: string, sign: string): { readonly head: string; readonly parts: readonly string[] } {
  const at = text.indexOf(sign);
  return at < 0 ? { head: text, parts: [] } : { head: text.slice(0, at), parts: text.slice(at + 1).split(".") };
}

/** Parses a version, or returns the error. */
function readVersion(text: string): Version | string {
  if (text === "") return "Version string empty";
  const [major, minor, ...rest] = text.split(".");
  if (major === undefined || minor === undefined || rest.length === 0) return "No Major.Minor.Patch elements found";
  const built = tail(rest.join("."), "+");
  const released = tail(built.head, "-");
  const numbers: bigint[] = [];
  for (const [n, part] of [major, minor, released.head].entries()) {
    const number = readNumber(part, names[n] ?? "patch");
    if (typeof number === "string") return number;
    numbers.push(number);
  }
  const problem =
    released.parts.map(preProblem).find((one) => one !== undefined) ??
    built.parts.map(buildProblem).find((one) => one !== undefined);
  if (problem !== undefined) return problem;
  const [first = 0n, second = 0n, third = 0n] = numbers;
  return { numbers: [first, second, third], pre: released.parts, build: built.parts };
}

/** Reads `v1.2` as `1.2.0`, `01.2.3` as `1.2.3`. */
function normalized(text: string): string | CelError {
  const [first = "", second, ...rest] = text.replace(/^v/, "").split(".");
  const parts = [first, ...(second === undefined ? [] : [second]), ...(rest.length > 0 ? [rest.join(".")] : [])].map(
    (part) => {
      if (part.length < 2) return part;
      const bare = part.replace(/^0+/, "");
      return /^\d/.test(bare) ? bare : `0${bare}`;
    },
  );
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? ""))
    return new CelError("short version cannot contain PreRelease/Build meta data");
  while (parts.length < 3) parts.push("0");
  return parts.join(".");
}

function semverOf(text: string, isNormal = false): Semver | CelError {
  const wanted = isNormal ? normalized(text) : text;
  if (wanted instanceof CelError) return wanted;
  const version = readVersion(wanted);
  return typeof version === "string" ? new CelError(version) : new Semver(version);
}

function comparePre(a: string, b: string): bigint {
  if (a === b) return 0n;
  const [left, right] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (left !== right) return left ? -1n : 1n;
  if (left) return BigInt(a) < BigInt(b) ? -1n : 1n;
  return a < b ? -1n : 1n;
}

function compare(a: Version, b: Version): bigint {
  for (const [n, number] of a.numbers.entries()) {
    const other = b.numbers[n] ?? 0n;
    if (number !== other) return number < other ? -1n : 1n;
  }
  if (a.pre.length === 0 || b.pre.length === 0) return BigInt(Math.sign(b.pre.length - a.pre.length));
  for (const [n, part] of a.pre.entries()) {
    const other = b.pre[n];
    if (other === undefined) return 1n;
    const order = comparePre(part, other);
    if (order !== 0n) return order;
  }
  return a.pre.length < b.pre.length ? -1n : 0n;
}

const { string, bool } = guards;
const isVersion = (value: Value | undefined): value is Semver => value instanceof Semver;
const onTwo = (run: (order: bigint) => Value): ReturnType<typeof bind> =>
  bind<[Semver, Semver]>([isVersion, isVersion], (a, b) => run(compare(a.version, b.version)));
const part = (n: 0 | 1 | 2): ReturnType<typeof bind> =>
  bind<[Semver]>([isVersion], ({ version }) => BigInt.asIntN(64, version.numbers[n]));

/** `semver`, `isSemver`, `major` and the others. */
export const semverFunctions: readonly FunctionDecl[] = declare(
  {
    semver: {
      string_to_semver: ["(string) Semver", bind<[string]>([string], (text) => semverOf(text))],
      string_bool_to_semver: ["(string, bool) Semver", bind<[string, boolean]>([string, bool], semverOf)],
    },
    isSemver: {
      is_semver_string: ["(string) bool", bind<[string]>([string], (text) => semverOf(text) instanceof Semver)],
      is_semver_string_bool: [
        "(string, bool) bool",
        bind<[string, boolean]>([string, bool], (text, isNormal) => semverOf(text, isNormal) instanceof Semver),
      ],
    },
    isGreaterThan: { semver_is_greater_than: ["Semver.(Semver) bool", onTwo((order) => order > 0n)] },
    isLessThan: { semver_is_less_than: ["Semver.(Semver) bool", onTwo((order) => order < 0n)] },
    compareTo: { semver_compare_to: ["Semver.(Semver) int", onTwo((order) => order)] },
    major: { semver_major: ["Semver.() int", part(0)] },
    minor: { semver_minor: ["Semver.() int", part(1)] },
    patch: { semver_patch: ["Semver.() int", part(2)] },
  },
  { Semver: semverType },
);
