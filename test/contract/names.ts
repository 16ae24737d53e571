/**
 * Names that replace what differs in every run (uids, versions, times, generated names, addresses). What is distinct in a case stays
 * distinct: the first uid is UID1 wherever it occurs, the second one UID2.
 */

export type Json = Record<string, unknown>;

/** A response, and the time in which it was made: by the clock of its server, in ms since 1970. */
export interface Answered {
  readonly body: unknown;
  readonly from: number;
  readonly until: number;
}

/** Original texts and their names. What is the same in every run, or was sent by the case itself, has no name. */
export interface Names {
  /** Uids, by first appearance. */
  readonly uids: ReadonlyMap<string, string>;
  /** Versions of objects by their order: equal ones stay equal, later ones later. Those of APIServices have a separate order. */
  readonly versions: ReadonlyMap<string, string>;
  /** Versions that the case itself sent as numbers. */
  readonly sentVersions: ReadonlySet<string>;
  /** Times: during the case, before it, or how long after it. If the case orders times: their order. */
  readonly times: ReadonlyMap<string, string>;
  /** The same times, and those that the case sent, in ms since 1970. */
  readonly instants: readonly number[];
  /** Creation times of objects, by uid. */
  readonly created: ReadonlyMap<string, string>;
  /** Generated names, by first appearance. */
  readonly generated: ReadonlyMap<string, string>;
  /** Addresses of Services that the server allocated, by first appearance. */
  readonly addresses: ReadonlyMap<string, string>;
  /** Whether times are compared by their order. */
  readonly ordersTimes: boolean;
}

export const uid: RegExp = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
export const time: RegExp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
/** Generated names that occur without a `generateName`: in error messages, and as the name of a pod's volume. */
export const madeUp: RegExp = /\b(A_|madeup-|kube-api-access-)([a-z0-9]{5})\b/g;
/** An address in the range of Services, but not the range itself. */
export const address: RegExp = /\b10\.0\.\d+\.\d+\b(?!\/)/g;
/** Source: apimachinery pkg/util/rand/rand.go `alphanums`: no vowels, and no characters that are easily confused. */
const suffixAlphabet = /^[bcdfghjklmnpqrstvwxz2456789]{5}$/;
/** Length to which the base of a generated name is truncated. */
const longestStem = 58;

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether an object is a list or a table, whose version is the server's. */
export function isListObject({ kind, items, rows }: Json): boolean {
  return Array.isArray(items) || Array.isArray(rows) || (typeof kind === "string" && /List$|^Table$/.test(kind));
}

export interface Circumstances {
  /** Start of the case, by the clock of its server. */
  readonly startedAt: number;
  /** Everything that the case sends, except values that it takes from responses. */
  readonly sent: unknown;
  readonly ordersTimes: boolean;
}

export function namesOf(answers: readonly Answered[], { startedAt, sent, ordersTimes }: Circumstances): Names {
  const said = JSON.stringify(sent ?? null);
  const texts = answers.flatMap(({ body }) => textsIn(body));
  const isOurs = (found: string): boolean => !said.includes(found);
  const created = new Map<string, string>();
  for (const meta of answers.flatMap(({ body }) => metasIn(body))) {
    const { uid: of, creationTimestamp } = meta;
    if (typeof of === "string" && typeof creationTimestamp === "string" && !created.has(of))
      created.set(of, creationTimestamp);
  }
  const times = timesOf(answers, { startedAt, isOurs, ordersTimes });
  const written = [...said.matchAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g)].map(([found]) => found);
  return {
    uids: numbered(texts.flatMap((text) => text.match(uid) ?? []).filter(isOurs), "UID"),
    versions: versionsOf(answers),
    sentVersions: new Set([...said.matchAll(/resourceVersion\\*"?[=:]\\*"?(\d+)/g)].map(([, found]) => found ?? "")),
    times,
    instants: [...times.keys(), ...written].map((text) => Date.parse(text)),
    created,
    generated: generatedOf(answers),
    addresses: numbered(texts.flatMap((text) => text.match(address) ?? []).filter(isOurs), "IP"),
    ordersTimes,
  };
}

function numbered(found: readonly string[], name: string): ReadonlyMap<string, string> {
  return new Map([...new Set(found)].map((text, index) => [text, `${name}${index + 1}`]));
}

/** Returns all strings in a response, by sorted keys, so that the order is the same on both sides. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (!isObject(value)) return [];
  return Object.keys(value)
    .sort()
    .flatMap((key) => textsIn(value[key]));
}

/** Returns the metadata of all objects in a response, and everything else with a uid or `generateName`. */
function metasIn(value: unknown): Json[] {
  if (Array.isArray(value)) return value.flatMap(metasIn);
  if (!isObject(value)) return [];
  const inside = Object.keys(value)
    .sort()
    .flatMap((key) => metasIn(value[key]));
  return typeof value["uid"] === "string" || "generateName" in value ? [value, ...inside] : inside;
}

function generatedOf(answers: readonly Answered[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const add = (name: string, stem: string): void => {
    if (names.has(name)) return;
    const isProper = suffixAlphabet.test(name.slice(stem.length));
    names.set(name, `${stem}RAND${names.size + 1}${isProper ? "" : " of a strange alphabet"}`);
  };
  for (const { body } of answers) {
    for (const { name, generateName } of metasIn(body)) {
      if (typeof name !== "string" || typeof generateName !== "string") continue;
      const stem = generateName.slice(0, longestStem);
      if (name.startsWith(stem) && name.length === stem.length + 5) add(name, stem);
    }
    for (const [name, stem = ""] of textsIn(body).flatMap((text) => [...text.matchAll(madeUp)])) add(name, stem);
  }
  return names;
}

/** In the background, the server writes an APIService while it establishes the definition: either write can be first. */
const writtenBeside = "APIService";

function versionsOf(answers: readonly Answered[]): ReadonlyMap<string, string> {
  const found = new Set<string>();
  const beside = new Set<string>();
  const walk = (value: unknown, isList: boolean): void => {
    if (Array.isArray(value)) for (const item of value) walk(item, false);
    if (!isObject(value)) return;
    const { metadata } = value;
    const own = isObject(metadata) ? metadata["resourceVersion"] : undefined;
    const list = isList || isListObject(value) || value["type"] === "BOOKMARK";
    if (typeof own === "string" && !list) (value["kind"] === writtenBeside ? beside : found).add(own);
    for (const item of Object.values(value)) walk(item, value["type"] === "BOOKMARK");
  };
  for (const { body } of answers) walk(body, false);
  const numberedIn = (versions: ReadonlySet<string>, name: string): [string, string][] =>
    [...versions].sort((a, b) => Number(a) - Number(b)).map((version, index) => [version, `${name}${index + 1}`]);
  return new Map([...numberedIn(beside, `${writtenBeside} v`), ...numberedIn(found, "v")]);
}

/** Returns the time at which a deletion was requested: `deletionTimestamp` minus the grace period. */
export function askedForDeletion({ deletionTimestamp, deletionGracePeriodSeconds = 0 }: Json): string | undefined {
  if (typeof deletionTimestamp !== "string") return undefined;
  const asked = Date.parse(deletionTimestamp) - Number(deletionGracePeriodSeconds) * 1000;
  return Number.isNaN(asked) ? undefined : new Date(asked).toISOString().replace(".000Z", "Z");
}

interface Naming extends Pick<Circumstances, "startedAt" | "ordersTimes"> {
  readonly isOurs: (text: string) => boolean;
}

/** Times are truncated to seconds: one from the start of a case can be a second earlier. */
const cutMs = 1000;

function timesOf(
  answers: readonly Answered[],
  { startedAt, isOurs, ordersTimes }: Naming,
): ReadonlyMap<string, string> {
  const start = startedAt - cutMs;
  const names = new Map<string, string>();
  const add = (text: string, until: number): void => {
    if (names.has(text) || !isOurs(text)) return;
    const at = Date.parse(text);
    const kind = kindOf(text);
    if (at > start && at <= until) names.set(text, kind);
    else names.set(text, at <= start ? `EARLIER ${kind}` : `${kind} + ${Math.ceil((at - until) / cutMs)} s`);
  };
  const isTime = (text: string): boolean => time.test(text);
  for (const { body, until } of answers) {
    const asked = metasIn(body).flatMap((meta) => askedForDeletion(meta) ?? []);
    for (const text of [...textsIn(withoutDue(body)).filter(isTime), ...asked]) add(text, until);
  }
  // These come last, because on a slow machine an object can be created in the second in which an earlier deletion is due.
  for (const { body, until } of answers) for (const text of textsIn(body).filter(isTime)) add(text, until);
  if (!ordersTimes) return names;
  const within = [...names].filter(([, name]) => name === "TIME" || name === "MICROTIME").map(([text]) => text);
  for (const [index, text] of within.sort().entries()) names.set(text, `TIME${index + 1}`);
  return names;
}

/** Returns a response without deletionTimestamps, which are represented by the time of the deletion's request. */
function withoutDue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDue);
  if (!isObject(value)) return value;
  const { deletionTimestamp: _due, ...rest } = value;
  return Object.fromEntries(Object.entries(rest).map(([key, item]) => [key, withoutDue(item)]));
}

/** Kubernetes writes times with no fraction or with six digits. */
function kindOf(text: string): string {
  const digits = (/\.(\d+)Z$/.exec(text)?.[1] ?? "").length;
  return digits === 0 ? "TIME" : digits === 6 ? "MICROTIME" : `TIME of ${digits} digits`;
}
