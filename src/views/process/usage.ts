/** How a process uses the API server: a fold over the requests and writes that passed the proxy, for the final report. */
import type { ObjectKey } from "../../api/key.ts";
import type { DeltaEvent, RequestEvent, StageEvent, WriteEvent } from "../../trace/events.ts";
import type { KindName } from "../../trace/names.ts";
import { GenerationalCache } from "../../trace/generational-cache.ts";
import { LeaderElection, type Election } from "./leader-election.ts";
import { type ManyWatches, OpenWatches } from "./open-watches.ts";
import { Polling, type Poll } from "./polling.ts";

/** Requests of one verb for one resource. */
export interface VerbUse {
  readonly verb: string;
  /** `deployments.apps/status`; the path of a non-resource request. */
  readonly resource: string;
  readonly requests: number;
  /** Requests with a response status of 400 or more, or without a response. */
  readonly failed: number;
  /** The slowest response, in ms; 0 for watches. */
  readonly slowestMs: number;
}

/** Writes of one kind that changed nothing. */
export interface Ineffective {
  readonly of: KindName;
  readonly subresource: string | undefined;
  readonly count: number;
  /** The number of successful updates and patches whose previous version was known. */
  readonly outOf: number;
  /** The object with the most such writes. */
  readonly example: ObjectKey;
}

/** Updates and patches that were refused with 409 because another writer came first. */
export interface Conflicts {
  readonly of: KindName;
  readonly subresource: string | undefined;
  readonly count: number;
  readonly example: ObjectKey;
  /** The field managers of the intervening changes, as far as deltas showed them. */
  readonly winners: readonly string[];
  /** An intervening change has the process's own field manager, but this process did not make it: another copy is running. */
  readonly fromCopy: boolean;
}

/** Requests that were refused with 403. */
export interface Refused {
  readonly verb: string;
  readonly resource: string;
  readonly namespace: string;
  readonly count: number;
}

/** Large lists that the server reads from etcd or sends unpaged. */
export interface LargeList {
  readonly resource: string;
  readonly count: number;
  /** In the largest of them. */
  readonly objects: number;
  readonly fromEtcd: boolean;
  readonly unpaged: boolean;
}

/** A kind whose watches end early or are relisted. */
export interface Restarts {
  readonly of: KindName;
  readonly count: number;
  readonly relists: number;
  readonly why: string;
}

/** How a process used the API server. */
export interface ProcessUsage {
  /** User agents up to their version, in order of appearance. */
  readonly agents: readonly string[];
  readonly requests: number;
  readonly writes: number;
  /** Sorted by number of requests, the most first. */
  readonly verbs: readonly VerbUse[];
  readonly ineffective: readonly Ineffective[];
  readonly conflicts: readonly Conflicts[];
  readonly refused: readonly Refused[];
  readonly polls: readonly Poll[];
  readonly elections: readonly Election[];
  readonly largeLists: readonly LargeList[];
  readonly restarts: readonly Restarts[];
  readonly manyWatches: readonly ManyWatches[];
  /** Bytes that passed without being parsed: the other figures do not include them. */
  readonly unreadBytes: number;
}

/** The latest change of an object, as shown by a delta. */
interface LastChange {
  readonly writer: string;
  readonly resourceVersion: string;
}

/** Lists of fewer objects are cheap, however they are requested. */
const largeListFrom = 500;
/** A watch that ends sooner was not ended by the server's timeout, which is five minutes at least. */
const shortWatchMs = 60_000;
const restartsFrom = 3;

/** `deployments.apps/status`. */
function resourceText({ of, resource, subresource, uri }: RequestEvent): string {
  if (of === undefined) return uri.split("?")[0] ?? "";
  const group = of.group === "" ? "" : `.${of.group}`;
  return `${resource ?? of.kind}${group}${subresource === undefined ? "" : `/${subresource}`}`;
}

/** Collects the figures of `ProcessUsage`. */
export class UsageFold {
  readonly #agents = new Set<string>();
  readonly #verbs = new Map<string, Mutable<VerbUse>>();
  readonly #known = new Map<string, number>();
  readonly #ineffective = new Map<
    string,
    Mutable<Omit<Ineffective, "outOf" | "example">> & { readonly keys: Map<ObjectKey, number> }
  >();
  readonly #conflicts = new Map<string, Mutable<Omit<Conflicts, "winners">> & { readonly winners: Set<string> }>();
  readonly #refused = new Map<string, Mutable<Refused>>();
  readonly #lists = new Map<string, Mutable<LargeList>>();
  readonly #restarts = new Map<string, Mutable<Restarts>>();
  readonly #opened = new Map<string, number>();
  readonly #lastChange = new GenerationalCache<string, LastChange>();
  /** The resourceVersions that the process's own writes produced. */
  readonly #ownVersions = new GenerationalCache<string, true>();
  readonly #polling = new Polling();
  readonly #elections = new LeaderElection();
  readonly #watches = new OpenWatches();
  #requests = 0;
  #writes = 0;
  #unread = 0;

  /** Adds an event to the figures. */
  accept(event: StageEvent): void {
    if (event.stage === "unread") this.#unread += event.bytes;
    if (event.stage === "request") this.#request(event);
    if (!("agent" in event) || event.agent === undefined) return;
    if (event.stage === "write") this.#write(event);
    if (event.stage === "delta") this.#delta(event);
    if (event.stage === "watch") this.#watch(event);
    if (event.stage === "list" && event.why !== "start") this.#restart(event.of).relists++;
  }

  #delta({ of, key, resourceVersion, detail: { writer } }: DeltaEvent): void {
    if (writer !== undefined) this.#lastChange.set(`${of.kind} ${key}`, { writer, resourceVersion });
  }

  #request(event: RequestEvent): void {
    const { agent, verb, status, ms, objects = 0, uri } = event;
    this.#requests++;
    this.#agents.add(agent.split(" ")[0] ?? agent);
    const resource = resourceText(event);
    const use = this.#verbs.getOrInsertComputed(`${verb} ${resource}`, () => ({
      verb,
      resource,
      requests: 0,
      failed: 0,
      slowestMs: 0,
    }));
    use.requests++;
    if (status === 0 || status >= 400) use.failed++;
    if (verb !== "watch") use.slowestMs = Math.max(use.slowestMs, ms);
    if (status === 403) {
      const namespace = namespaceIn(event);
      const name = `${verb} ${resource} ${namespace}`;
      this.#refused.getOrInsertComputed(name, () => ({ verb, resource, namespace, count: 0 })).count++;
    }
    if (verb === "list" && objects >= largeListFrom) this.#list(resource, { uri, objects });
    this.#elections.request(event);
    this.#polling.request(event);
  }

  #list(resource: string, { uri, objects }: { readonly uri: string; readonly objects: number }): void {
    const query = new URLSearchParams(uri.split("?")[1] ?? "");
    const fromEtcd = (query.get("resourceVersion") ?? "") === "" && !query.has("continue");
    const unpaged = !query.has("limit");
    if (!fromEtcd && !unpaged) return;
    const list = this.#lists.getOrInsertComputed(resource, () => ({
      resource,
      count: 0,
      objects: 0,
      fromEtcd,
      unpaged,
    }));
    list.count++;
    list.objects = Math.max(list.objects, objects);
  }

  #write(write: WriteEvent): void {
    const { of, subresource, key, verb, status, before, resourceVersion } = write;
    this.#elections.write(write);
    if (this.#elections.isAbout(of, key)) return;
    this.#writes++;
    this.#ownVersions.set(resourceVersion, true);
    if (verb !== "update" && verb !== "patch") return;
    const name = `${of.group} ${of.kind} ${subresource ?? ""}`;
    if (status === 409) {
      const conflict = this.#conflicts.getOrInsertComputed(name, () => ({
        of,
        subresource,
        count: 0,
        example: key,
        winners: new Set<string>(),
        fromCopy: false,
      }));
      conflict.count++;
      const change = this.#lastChange.get(`${of.kind} ${key}`);
      // The version that the write is based on is not an intervening change.
      if (change !== undefined && change.resourceVersion !== before) {
        if (change.writer !== write.fieldManager) conflict.winners.add(change.writer);
        else if (this.#ownVersions.get(change.resourceVersion) === undefined) conflict.fromCopy = true;
      }
    }
    if (status !== 200 || before === "") return;
    this.#known.set(name, (this.#known.get(name) ?? 0) + 1);
    if (resourceVersion !== before) return;
    const found = this.#ineffective.getOrInsertComputed(name, () => ({
      of,
      subresource,
      count: 0,
      keys: new Map<ObjectKey, number>(),
    }));
    found.count++;
    found.keys.set(key, (found.keys.get(key) ?? 0) + 1);
  }

  #watch(event: Extract<StageEvent, { readonly stage: "watch" }>): void {
    this.#watches.accept(event);
    const { of, state, why, agent } = event;
    const name = `${agent} ${of.group} ${of.kind}`;
    if (state === "opened") {
      this.#opened.set(name, event.at);
      return;
    }
    const opened = this.#opened.get(name);
    if (opened === undefined || event.at - opened >= shortWatchMs || why === "closed by the client") return;
    const restarts = this.#restart(of);
    restarts.count++;
    restarts.why = why;
  }

  #restart(of: KindName): Mutable<Restarts> {
    return this.#restarts.getOrInsertComputed(`${of.group} ${of.kind}`, () => ({ of, count: 0, relists: 0, why: "" }));
  }

  /** The figures so far. */
  get usage(): ProcessUsage {
    return {
      agents: [...this.#agents],
      requests: this.#requests,
      writes: this.#writes,
      verbs: [...this.#verbs.values()].toSorted((a, b) => b.requests - a.requests),
      ineffective: [...this.#ineffective].map(([name, { keys, ...rest }]) => ({
        ...rest,
        outOf: this.#known.get(name) ?? 0,
        example: [...keys].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? "",
      })),
      conflicts: [...this.#conflicts.values()].map(({ winners, ...rest }) => ({ ...rest, winners: [...winners] })),
      refused: [...this.#refused.values()],
      polls: this.#polling.found(this.#elections),
      elections: this.#elections.found,
      largeLists: [...this.#lists.values()],
      restarts: [...this.#restarts.values()].filter(({ count, relists }) => count >= restartsFrom || relists > 0),
      manyWatches: this.#watches.many,
      unreadBytes: this.#unread,
    };
  }
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function namespaceIn({ key }: RequestEvent): string {
  return key.includes("/") ? (key.split("/")[0] ?? "") : "";
}
