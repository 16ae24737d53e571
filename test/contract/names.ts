/**
 * Names for the parts of the responses of a case that differ between runs: UIDs, resourceVersions, times, generated names, addresses.
 * Values that differ within a case keep different names: the first UID is UID1 wherever it appears, the second UID2.
 */

export type Json = Record<string, unknown>;

/** A response body, and when the request was sent and the response received, in ms since 1970 on the server's clock. */
export interface TimedResponse {
  readonly body: unknown;
  readonly from: number;
  readonly until: number;
}

/** Names keyed by the original value. Values that are the same in every run, or that the case itself sent, are not included. */
export interface Names {
  /** UIDs, numbered in the order of appearance. */
  readonly uids: ReadonlyMap<string, string>;
  /** resourceVersions of objects, numbered in ascending order. Those of APIServices are numbered separately. */
  readonly versions: ReadonlyMap<string, string>;
  /** resourceVersions that the case itself sent as numbers. */
  readonly sentVersions: ReadonlySet<string>;
  /** Times: within the case, earlier, or how much later. For a case with `ordersTimes`, numbered in ascending order. */
  readonly times: ReadonlyMap<string, string>;
  /** The same times in ms since 1970, and those that the case sent. */
  readonly instants: readonly number[];
  /** The creationTimestamp of objects, keyed by UID. */
  readonly created: ReadonlyMap<string, string>;
  /** Generated names, numbered in the order of appearance. */
  readonly generated: ReadonlyMap<string, string>;
  /** ClusterIPs allocated by the server, numbered in the order of appearance. */
  readonly addresses: ReadonlyMap<string, string>;
  /** Whether the order of times is compared. */
  readonly ordersTimes: boolean;
}

export const uid: RegExp = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
export const time: RegExp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
/** Generated names in places without a `generateName`: in an error message, and of a volume of a pod. */
export const madeUp: RegExp = /\b(A_|madeup-|kube-api-access-)([a-z0-9]{5})\b/g;
/** A ClusterIP, but not the CIDR of the Service range. */
export const address: RegExp = /\b10\.0\.\d+\.\d+\b(?!\/)/g;
/** Source: apimachinery pkg/util/rand/rand.go `alphanums`: no vowels, no easily confused characters. */
const suffixAlphabet = /^[bcdfghjklmnpqrstvwxz2456789]{5}$/;
/** The length to which `generateName` is truncated before the random suffix is appended. */
const longestStem = 58;

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether the object is a list or a table, whose resourceVersion is that of the server. */
export function isListObject({ kind, items, rows }: Json): boolean {
  return Array.isArray(items) || Array.isArray(rows) || (typeof kind === "string" && /List$|^Table$/.test(kind));
}

export interface Circumstances {
  /** When the case started, on its server's clock. */
  readonly startedAt: number;
  /** All that the case itself sends, without values taken from responses. */
  readonly sent: unknown;
  readonly ordersTimes: boolean;
}

export function namesOf(responses: readonly TimedResponse[], { startedAt, sent, ordersTimes }: Circumstances): Names {
  const sentText = JSON.stringify(sent ?? null);
  const texts = responses.flatMap(({ body }) => textsIn(body));
  const isOurs = (found: string): boolean => !sentText.includes(found);
  const created = new Map<string, string>();
  for (const meta of responses.flatMap(({ body }) => metasIn(body))) {
    const { uid: of, creationTimestamp } = meta;
    if (typeof of === "string" && typeof creationTimestamp === "string" && !created.has(of))
      created.set(of, creationTimestamp);
  }
  const times = timesOf(responses, { startedAt, isOurs, ordersTimes });
  const written = [...sentText.matchAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g)].map(([found]) => found);
  return {
    uids: numbered(texts.flatMap((text) => text.match(uid) ?? []).filter(isOurs), "UID"),
    versions: versionsOf(responses),
    sentVersions: new Set(
      [...sentText.matchAll(/resourceVersion\\*"?[=:]\\*"?(\d+)/g)].map(([, found]) => found ?? ""),
    ),
    times,
    instants: [...times.keys(), ...written].map((text) => Date.parse(text)),
    created,
    generated: generatedOf(responses),
    addresses: numbered(texts.flatMap((text) => text.match(address) ?? []).filter(isOurs), "IP"),
    ordersTimes,
  };
}

function numbered(found: readonly string[], name: string): ReadonlyMap<string, string> {
  return new Map([...new Set(found)].map((text, index) => [text, `${name}${index + 1}`]));
}

/** All strings of a response, ordered by key, so that both servers' values are found in the same order. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (!isObject(value)) return [];
  return Object.keys(value)
    .sort()
    .flatMap((key) => textsIn(value[key]));
}

/** All `metadata` in a response, and other objects that have a UID. */
function metasIn(value: unknown): Json[] {
  if (Array.isArray(value)) return value.flatMap(metasIn);
  if (!isObject(value)) return [];
  const inside = Object.keys(value)
    .sort()
    .flatMap((key) => metasIn(value[key]));
  return typeof value["uid"] === "string" || "generateName" in value ? [value, ...inside] : inside;
}

function generatedOf(responses: readonly TimedResponse[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const add = (name: string, stem: string): void => {
    if (names.has(name)) return;
    const isProper = suffixAlphabet.test(name.slice(stem.length));
    names.set(name, `${stem}RAND${names.size + 1}${isProper ? "" : " of a strange alphabet"}`);
  };
  for (const { body } of responses) {
    for (const { name, generateName } of metasIn(body)) {
      if (typeof name !== "string" || typeof generateName !== "string") continue;
      const stem = generateName.slice(0, longestStem);
      if (name.startsWith(stem) && name.length === stem.length + 5) add(name, stem);
    }
    for (const [name, stem = ""] of textsIn(body).flatMap((text) => [...text.matchAll(madeUp)])) add(name, stem);
  }
  return names;
}

/** While the server establishes a CustomResourceDefinition, it writes an APIService in the background: either can be written first. */
const writtenBeside = "APIService";

function versionsOf(responses: readonly TimedResponse[]): ReadonlyMap<string, string> {
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
  for (const { body } of responses) walk(body, false);
  const numberedIn = (versions: ReadonlySet<string>, name: string): [string, string][] =>
    [...versions].sort((a, b) => Number(a) - Number(b)).map((version, index) => [version, `${name}${index + 1}`]);
  return new Map([...numberedIn(beside, `${writtenBeside} v`), ...numberedIn(found, "v")]);
}

/** When the deletion was requested: the deletionTimestamp minus the grace period. */
export function deletionRequestedAt({ deletionTimestamp, deletionGracePeriodSeconds = 0 }: Json): string | undefined {
  if (typeof deletionTimestamp !== "string") return undefined;
  const requestedAt = Date.parse(deletionTimestamp) - Number(deletionGracePeriodSeconds) * 1000;
  return Number.isNaN(requestedAt) ? undefined : new Date(requestedAt).toISOString().replace(".000Z", "Z");
}

interface Naming extends Pick<Circumstances, "startedAt" | "ordersTimes"> {
  readonly isOurs: (text: string) => boolean;
}

/** Times are truncated to seconds, so a time at the start of a case can be up to a second before it. */
const cutMs = 1000;

function timesOf(
  responses: readonly TimedResponse[],
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
  for (const { body, until } of responses) {
    const requestTimes = metasIn(body).flatMap((meta) => deletionRequestedAt(meta) ?? []);
    for (const text of [...textsIn(withoutDue(body)).filter(isTime), ...requestTimes]) add(text, until);
  }
  // Added last, because on a slow machine an object can be created in the same second in which an earlier deletion is due.
  for (const { body, until } of responses) for (const text of textsIn(body).filter(isTime)) add(text, until);
  if (!ordersTimes) return names;
  const within = [...names].filter(([, name]) => name === "TIME" || name === "MICROTIME").map(([text]) => text);
  for (const [index, text] of within.sort().entries()) names.set(text, `TIME${index + 1}`);
  return names;
}

/** The response without the times at which deletions are due, which are replaced by the times of their requests. */
function withoutDue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDue);
  if (!isObject(value)) return value;
  const { deletionTimestamp: _due, ...rest } = value;
  return Object.fromEntries(Object.entries(rest).map(([key, item]) => [key, withoutDue(item)]));
}

/** Kubernetes writes times in whole seconds or with six decimal places. */
function kindOf(text: string): string {
  const digits = (/\.(\d+)Z$/.exec(text)?.[1] ?? "").length;
  return digits === 0 ? "TIME" : digits === 6 ? "MICROTIME" : `TIME of ${digits} digits`;
}
