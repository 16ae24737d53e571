/** Normalizes what a controller did in one step: removes what differs between any two runs (uids, times, name suffixes). */
import type { Effect } from "../support/audit-log.ts";
import { type Kind, resourceOf } from "../../src/api/kind.ts";
import { type AnyObject, type Json, type Meta, type PodObject, podClass } from "./objects.ts";
import type { Stage } from "./stage.ts";
import type { Suite } from "./suite.ts";
import type { Names, StepRecord, Entry } from "./step-record.ts";

export function namesOf(namespace: string, base: number): Names {
  return { namespace, base, uids: new Map(), incarnations: new Map(), generated: new Map() };
}

function learn(names: Names, kind: string, { uid, name, generateName }: Meta): void {
  if (names.uids.has(uid)) return;
  // Pods of a StatefulSet have a generateName too, but names that are not generated.
  if (generateName !== undefined && madeUp.test(name)) names.generated.set(name, `${generateName.slice(0, 58)}SUFFIX`);
  const known = kind === "Pod" ? "uid of a Pod" : `uid of ${kind} ${text(name, names)}`;
  const count = (names.incarnations.get(known) ?? 0) + 1;
  names.incarnations.set(known, count);
  names.uids.set(uid, kind === "Pod" || count === 1 ? known : `${known}, number ${count}`);
}

const madeUp = /[bcdfghjklmnpqrstvwxz2456789]{5}$/;
const uid = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;
const suffix = /-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g;

function text(value: string, names: Names): string {
  const known = names.uids.get(value) ?? names.generated.get(value);
  if (known !== undefined) return known;
  return value
    .replace(uid, (found) => names.uids.get(found) ?? found)
    .replace(/[a-z0-9][a-z0-9.-]*/g, (word) => names.generated.get(word) ?? word)
    .replace(suffix, "-SUFFIX")
    .replaceAll(names.namespace, "NAMESPACE");
}

/**
 * Sorts keys and replaces times and uids by names. Any resourceVersion becomes `as read`, because the server accepts no other than the one
 * that was read; a write without one still differs.
 */
function normal(value: unknown, names: Names): unknown {
  if (typeof value === "string") return text(value, names);
  if (Array.isArray(value)) return value.map((item) => normal(item, names));
  if (value === null || typeof value !== "object") return value;
  const graceSeconds = Number((value as Json)["deletionGracePeriodSeconds"] ?? 0);
  const field = (name: string, inner: unknown): unknown => {
    if (name === "resourceVersion" && typeof inner === "string" && inner !== "") return "as read";
    if (name === "deletionTimestamp" && typeof inner === "string") return moment(inner, names, graceSeconds);
    return typeof inner === "string" && /(?:Timestamp|Time|-trigger-time|^timeAdded)$/.test(name)
      ? moment(inner, names)
      : normal(inner, names);
  };
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== "managedFields")
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, field(name, inner)]),
  );
}

/** Times are whole seconds of one machine's clock: those written during this script lie between its base and now. */
function moment(time: string, { base }: Names, graceSeconds = 0): string {
  const at = Date.parse(time) - graceSeconds * 1000;
  const after = graceSeconds === 0 ? "" : ` + ${graceSeconds} s`;
  const since = Math.round((at - Math.floor(base / 1000) * 1000) / 1000);
  if (since < 0) return `${-since} s before the script${after}`;
  return `${at <= Date.now() ? "TIME" : "a time to come"}${after}`;
}

/** Learns the uids and names of a step, then returns its normalized effects and the state of the objects. */
export async function recordStep(
  suite: Suite,
  stage: Stage,
  effects: readonly Effect[],
  names: Names,
): Promise<StepRecord> {
  const there = await Promise.all(
    suite.kinds.map(async (compared) => ({ ...compared, objects: await stage.all(compared.kind) })),
  );
  suite.learn?.(names, (kind) => [
    ...there.filter((each) => each.kind === kind).flatMap(({ objects }) => objects),
    ...wholeObjects(effects, kind),
  ]);
  const learnOf = (kind: string, object: unknown): void => {
    const meta = (object as Partial<AnyObject> | undefined)?.metadata;
    if (meta?.uid !== undefined) learn(names, kind, meta);
  };
  for (const { kind, objects } of there) for (const object of objects) learnOf(kind.kind, object);
  for (const { response, resource, code, verb } of effects) {
    if (code >= 300 || verb === "deletecollection") continue;
    const made = suite.kinds.find(({ kind }) => resourceOf(kind) === resource.split("/")[0])?.kind.kind;
    const responseKind = (response as { readonly kind?: string } | undefined)?.kind;
    // For a kind that is not compared, the resource name is used.
    const isWhole = made === undefined ? !resource.includes("/") : responseKind === made;
    if (isWhole || responseKind === "PartialObjectMetadata") learnOf(made ?? text(resource, names), response);
    if (responseKind === "Status") learnOf(made ?? text(resource, names), { metadata: deleted(response) });
  }
  // The names of owners that are not compared themselves, such as custom resources, are known from owner references.
  for (const { objects } of there) {
    for (const { metadata } of objects) {
      for (const owner of metadata.ownerReferences ?? []) learn(names, owner.kind, owner);
    }
  }
  const spec = effects.filter((effect) => !recordsEvent(effect) && !effect.resource.endsWith("/status"));
  const refused = spec.some(({ code }) => code >= 400);
  const entries = spec
    .map((effect) => writeEntry(effect, names, suite.arranged))
    .filter(({ what }) => suite.chance?.(what) !== true);
  const isRepeated = ({ what }: Entry): boolean => suite.repeated?.(what) === true;
  const isRefused = ({ what }: Entry): boolean => /[45]\d\d$/.test(what);
  return {
    writes: [
      ...entries.filter((one) => !isRefused(one) && !isRepeated(one)),
      ...once(entries.filter((one) => isRefused(one) || isRepeated(one))),
    ],
    events: eventEntries(effects, names),
    objects: there.flatMap(({ kind, compared: partOf = standing, objects }) =>
      objects.map((object) => ({
        what: `final ${kind.kind}`,
        content: normal(partOf(object), names) as Json,
      })),
    ),
    order: (suite.order ?? podOrders)(effects, names),
    refused,
    counted: [
      ...entries.filter((one) => isRefused(one) || isRepeated(one)).map(({ what }) => what),
      ...effects.filter(writesStatus).map(({ verb, resource, name }) => `${verb} ${resource} ${text(name, names)}`),
    ],
  };
}

/** The complete objects in the responses to writes: they can be deleted by now. */
function wholeObjects(effects: readonly Effect[], kind: Kind): readonly AnyObject[] {
  return effects.flatMap(({ resource, code, response }) => {
    const object = response as AnyObject | undefined;
    return resource === resourceOf(kind) && code < 300 && object?.["kind"] === kind.kind ? [object] : [];
  });
}

function writesStatus({ resource, code }: Effect): boolean {
  return resource.endsWith("/status") && code < 300;
}

/** The response to a DELETE that removes an object immediately is a Status, whose details have the name and uid. */
function deleted(response: unknown): Partial<Meta> | undefined {
  return (response as { readonly details?: Partial<Meta> } | undefined)?.details;
}

/** Returns an object without what is unique to each creation. */
export function standing({ metadata, ...rest }: AnyObject): object {
  const { name, labels, annotations, finalizers, generation, ownerReferences } = metadata;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  const { apiVersion: _apiVersion, kind: _kind, ...content } = rest;
  const deletion = { deletionTimestamp, deletionGracePeriodSeconds };
  return { metadata: { name, labels, annotations, finalizers, generation, ownerReferences, ...deletion }, ...content };
}

function writeEntry(effect: Effect, names: Names, arranged: Suite["arranged"] = (body) => body): Entry {
  const { verb, resource, code, name, request, response } = effect;
  // Identifies a pod by its class at the time of the write, or by its name if the response does not contain the whole pod.
  const isWholePod =
    resource === "pods" && code < 300 && (response as Partial<PodObject> | undefined)?.spec?.containers;
  const about = verb !== "create" && isWholePod ? podClass(response as PodObject) : { name };
  const content = {
    ...(verb !== "create" && { about }),
    ...(code >= 400 && { reason: effect.reason }),
    query: effect.query,
    body: arranged(request ?? {}),
  };
  return { what: `${verb} ${text(resource, names)} ${code}`, content: normal(content, names) as Json };
}

function once(entries: readonly Entry[]): Entry[] {
  const seen = new Map(entries.map((one) => [JSON.stringify(one), one]));
  return [...seen.values()];
}

/** Whether it records an Event, as opposed to deleting one. */
function recordsEvent({ resource, verb }: Effect): boolean {
  return resource.startsWith("events") && (verb === "create" || verb === "patch");
}

const combined = "(combined from similar events): ";

function eventEntries(effects: readonly Effect[], names: Names): Entry[] {
  const entries = effects.filter(recordsEvent).map(({ verb, code, request, response }) => {
    const requestBody = request as Json;
    const stored = (code < 300 ? response : requestBody) as Json;
    const { type, reason, involvedObject, source } = stored;
    const { kind, name, namespace, apiVersion, uid } = involvedObject as Json;
    const facts = { type, reason, source, about: { kind, name, namespace, apiVersion, uid } };
    const message = String(stored["message"]);
    if (type === "Warning")
      return { what: "Event Warning", content: { ...facts, message: message.replace(combined, "") } };
    const { reportingComponent } = stored;
    const body =
      verb === "patch"
        ? { patch: requestBody }
        : { count: requestBody["count"], fields: Object.keys(requestBody).sort() };
    return { what: `${verb} Event ${code}`, content: { ...facts, reportingComponent, message, ...body } };
  });
  const normalized = entries.map(({ what, content }) => ({ what, content: normal(content, names) as Json }));
  const isWarning = ({ what }: Entry): boolean => what === "Event Warning";
  return [...normalized.filter((one) => !isWarning(one)), ...once(normalized.filter(isWarning))];
}

interface Order {
  readonly verbs: string[];
  /** Number of pod writes before the first status write: a sync ends with the status. */
  inFirstSync: number;
  hasStatus: boolean;
}

/** Returns, for each owner, the verbs on its pods, with runs of one verb collapsed, and the number of writes of its first sync. */
export function podOrders(effects: readonly Effect[], names: Names): Entry[] {
  const byOwner = new Map<string, Order>();
  const of = (uid: string | undefined): Order => {
    const owner = names.uids.get(uid ?? "") ?? "no owner";
    const order = byOwner.get(owner) ?? { verbs: [], inFirstSync: 0, hasStatus: false };
    byOwner.set(owner, order);
    return order;
  };
  for (const { verb, resource, code, request, response } of effects) {
    if (code >= 300) continue;
    if (resource.endsWith("/status")) of((response as PodObject).metadata.uid).hasStatus = true;
    if (resource !== "pods") continue;
    const order = of(ownerUid(request) ?? ownerUid(response));
    if (order.verbs.at(-1) !== verb) order.verbs.push(verb);
    if (!order.hasStatus) order.inFirstSync++;
  }
  const sorted = [...byOwner].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([owner, { verbs, inFirstSync }]) => ({ what: "order", content: { owner, verbs, inFirstSync } }));
}

function ownerUid(object: unknown): string | undefined {
  return (object as Partial<PodObject> | undefined)?.metadata?.ownerReferences?.[0]?.uid;
}
