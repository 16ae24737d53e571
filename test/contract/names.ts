/**
 * What the answers of a case say that is another in every run (identities, versions, times, made-up names, addresses), and what
 * stands for it. Whatever can be told apart within a case stays apart: the first identity is UID1 wherever it is said, the second UID2.
 */

export type Json = Record<string, unknown>;

/** An answer as it came, and when: on the clock of the server that gave it, in ms since 1970. */
export interface Answered {
  readonly body: unknown;
  readonly from: number;
  readonly until: number;
}

/** By what is said, what stands for it; what is the same in every run, and what the case itself sent, is in none of them. */
export interface Names {
  /** Identities, by their first appearance. */
  readonly uids: ReadonlyMap<string, string>;
  /** Versions of objects by their order: equal ones stay equal, later ones later. Those of APIServices have an order of their own. */
  readonly versions: ReadonlyMap<string, string>;
  /** Versions that the case itself sent as numbers. */
  readonly sentVersions: ReadonlySet<string>;
  /** Times: within the case, earlier, or by how much later. In a case that orders times, by their order. */
  readonly times: ReadonlyMap<string, string>;
  /** The same times in ms since 1970, and those that the case sent. */
  readonly instants: readonly number[];
  /** When an object was made, by its identity. */
  readonly created: ReadonlyMap<string, string>;
  /** Made-up names and their endings, by their first appearance. */
  readonly generated: ReadonlyMap<string, string>;
  /** Addresses of Services that the server chose, by their first appearance. */
  readonly addresses: ReadonlyMap<string, string>;
  /** Whether times are compared by their order. */
  readonly ordersTimes: boolean;
}

export const uid: RegExp = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
export const time: RegExp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
/** Names that are made up where no object shows a `generateName`: in a refusal, and of a volume of a pod. */
export const madeUp: RegExp = /\b(A_|madeup-|kube-api-access-)([a-z0-9]{5})\b/g;
/** An address of the range of Services; not the range itself. */
export const address: RegExp = /\b10\.0\.\d+\.\d+\b(?!\/)/g;
/** Source: apimachinery pkg/util/rand/rand.go `alphanums`: no vowels, nothing that is easily confused. */
const suffixAlphabet = /^[bcdfghjklmnpqrstvwxz2456789]{5}$/;
/** The stem of a made-up name is cut at this length. */
const longestStem = 58;

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A list, or a table, whose version is the server's. */
export function isListObject({ kind, items, rows }: Json): boolean {
  return Array.isArray(items) || Array.isArray(rows) || (typeof kind === "string" && /List$|^Table$/.test(kind));
}

export interface Circumstances {
  /** When the case began, on its server's clock. */
  readonly startedAt: number;
  /** All that the case makes up and sends; not what it takes from an answer. */
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

/** All texts of an answer, with keys in order, so that they are found in the same one on both sides. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (!isObject(value)) return [];
  return Object.keys(value)
    .sort()
    .flatMap((key) => textsIn(value[key]));
}

/** All objects' metadata in an answer, and whatever else has an identity of its own. */
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

/** In the background, the server writes an APIService while it establishes the definition: either may be first. */
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

/** When a deletion was asked for: the time at which it is due, less the grace that was given. */
export function askedForDeletion({ deletionTimestamp, deletionGracePeriodSeconds = 0 }: Json): string | undefined {
  if (typeof deletionTimestamp !== "string") return undefined;
  const asked = Date.parse(deletionTimestamp) - Number(deletionGracePeriodSeconds) * 1000;
  return Number.isNaN(asked) ? undefined : new Date(asked).toISOString().replace(".000Z", "Z");
}

interface Naming extends Pick<Circumstances, "startedAt" | "ordersTimes"> {
  readonly isOurs: (text: string) => boolean;
}

/** Times are whole seconds, cut off: one that was taken at the start of a case may lie a second before it. */
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
  // Last: on a slow machine something is made at the very second at which an earlier deletion is due.
  for (const { body, until } of answers) for (const text of textsIn(body).filter(isTime)) add(text, until);
  if (!ordersTimes) return names;
  const within = [...names].filter(([, name]) => name === "TIME" || name === "MICROTIME").map(([text]) => text);
  for (const [index, text] of within.sort().entries()) names.set(text, `TIME${index + 1}`);
  return names;
}

/** The answer without the times at which deletions are due: they are told by when they were asked for. */
function withoutDue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDue);
  if (!isObject(value)) return value;
  const { deletionTimestamp: _due, ...rest } = value;
  return Object.fromEntries(Object.entries(rest).map(([key, item]) => [key, withoutDue(item)]));
}

/** Kubernetes writes whole seconds, or six digits of them. */
function kindOf(text: string): string {
  const digits = (/\.(\d+)Z$/.exec(text)?.[1] ?? "").length;
  return digits === 0 ? "TIME" : digits === 6 ? "MICROTIME" : `TIME of ${digits} digits`;
}
