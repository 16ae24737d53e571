/** What a screen shows of a process behind the proxy: what it watches, its reconciles as far as they can be seen, and its writes. */
import type { ObjectKey } from "../../api/key.ts";
import type { CauseEvent, EventHead, ListEvent, Stage, StageEvent, WatchEvent } from "../../trace/events.ts";
import type { KindName } from "../../trace/names.ts";
import { summarizeChanges, type ChangeSummary } from "../field-interest.ts";
import { Episodes, type Episode } from "./episodes.ts";
import type { NumberedWrite } from "./subject.ts";
import { OpenWatches } from "./open-watches.ts";
import { LeaderElection } from "./leader-election.ts";

/** The stages that a report needs. */
export const processStages: readonly Stage[] = ["list", "watch", "delta", "request", "write", "unread"];

/** The effect of a write. */
export type Effect =
  | "created"
  | "deleted"
  | "changed"
  /** The server responded with the resourceVersion that the object already had. */
  | "nothing changed"
  | "refused";

/** A write as a screen shows it. */
export interface ShownWrite {
  readonly write: NumberedWrite;
  readonly effect: Effect;
  readonly changes: ChangeSummary;
}

/** A line of the screen. */
export type ProcessLine =
  | { readonly is: "connected"; readonly at: number; readonly agent: string }
  /** An informer of the process has received its first list. */
  | {
      readonly is: "watching";
      readonly at: number;
      readonly of: KindName;
      readonly objects: number;
      readonly ms: number;
    }
  | { readonly is: "relisted"; readonly at: number; readonly list: ListEvent }
  | { readonly is: "watch broke"; readonly at: number; readonly watch: WatchEvent }
  /** The watches of a kind open at once have reached 100, 1,000, … */
  | { readonly is: "many watches"; readonly at: number; readonly of: KindName; readonly open: number }
  /** A reconcile, as far as it can be seen: what triggered it, and what it wrote. */
  | { readonly is: "reconcile"; readonly at: number; readonly episode: Episode; readonly writes: readonly ShownWrite[] }
  | { readonly is: "electing"; readonly at: number; readonly key: ObjectKey }
  | {
      readonly is: "refused";
      readonly at: number;
      readonly verb: string;
      readonly resource: string;
      readonly namespace: string;
    };

const effects = {
  create: "created",
  update: "changed",
  patch: "changed",
  delete: "deleted",
  deletecollection: "deleted",
} as const;

/** Changed fields shown per write. */
const shownChanges = 3;

/** Turns events into lines: `accept` returns those that an event completes. */
export class ProcessReport {
  readonly #episodes = new Episodes();
  readonly #elections = new LeaderElection();
  readonly #agents = new Set<string>();
  readonly #watches = new OpenWatches();
  readonly #electing = new Set<ObjectKey>();
  readonly #refused = new Set<string>();

  accept(event: StageEvent): readonly ProcessLine[] {
    if (event.stage === "request") return this.#request(event);
    if (event.stage === "delta") this.#episodes.accept(event);
    if (!("agent" in event) || event.agent === undefined) return [];
    if (event.stage === "list") return [this.#list(event)];
    if (event.stage === "write") return this.#write(event);
    return event.stage === "watch" ? this.#watch(event) : [];
  }

  #watch(event: Extract<StageEvent, { readonly stage: "watch" }>): readonly ProcessLine[] {
    const { at, agent = "", state } = event;
    if (state === "failed") return [{ is: "watch broke", at, watch: event }];
    const many = this.#watches.accept(event);
    return [
      // The request itself is reported when the watch ends.
      ...this.#connected(agent, at),
      ...(many === undefined ? [] : [{ is: "many watches", at, of: many.of, open: many.open } as const]),
    ];
  }

  #connected(agent: string, at: number): readonly ProcessLine[] {
    if (this.#agents.has(agent)) return [];
    this.#agents.add(agent);
    return [{ is: "connected", at, agent }];
  }

  #request(event: Extract<StageEvent, { readonly stage: "request" }>): readonly ProcessLine[] {
    const { at, agent, verb, of, key, resource, subresource, status } = event;
    const lines: ProcessLine[] = [...this.flush(event.sentAt)];
    this.#episodes.accept(event);
    this.#elections.request(event);
    lines.push(...this.#connected(agent, at));
    if (this.#elections.isAbout(of, key) && !this.#electing.has(key)) {
      this.#electing.add(key);
      lines.push({ is: "electing", at, key });
    }
    // A refused write is shown on the line of the write.
    if (status === 403 && resource !== undefined && of !== undefined && /^(get|list|watch)$/.test(verb)) {
      const namespace = key.includes("/") ? (key.split("/")[0] ?? "") : "";
      const full = `${resource}${of.group === "" ? "" : `.${of.group}`}${subresource === undefined ? "" : `/${subresource}`}`;
      const name = `${verb} ${full} ${namespace}`;
      if (!this.#refused.has(name)) lines.push({ is: "refused", at, verb, resource: full, namespace });
      this.#refused.add(name);
    }
    return lines;
  }

  #list(event: EventHead & ListEvent): ProcessLine {
    const { at, of, objects, ms, why } = event;
    return why === "start" ? { is: "watching", at, of, objects, ms } : { is: "relisted", at, list: event };
  }

  #write(write: NumberedWrite): readonly ProcessLine[] {
    this.#elections.write(write);
    if (this.#elections.isAbout(write.of, write.key) || write.of.kind === "Event") return [];
    return this.#episodes.accept(write).map(lineOf);
  }

  /** Returns the reconciles that are over at `now`, in ms since 1970; `Infinity` for all. */
  flush(now: number): readonly ProcessLine[] {
    return this.#episodes.flush(now).map(lineOf);
  }
}

function lineOf(episode: Episode): ProcessLine {
  const at = episode.writes[0]?.sentAt ?? 0;
  return { is: "reconcile", at, episode, writes: episode.writes.map(shown) };
}

function shown(write: NumberedWrite): ShownWrite {
  const { verb, error, before, resourceVersion } = write;
  const isSame = (verb === "update" || verb === "patch") && before !== "" && before === resourceVersion;
  const effect: Effect = error !== undefined ? "refused" : isSame ? "nothing changed" : effectOf(write);
  return { write, effect, changes: summarizeChanges(write.changes, shownChanges) };
}

/** An apply or update of a missing object creates it: the server then responds with 201. */
function effectOf({ verb, subresource, status }: NumberedWrite): Effect {
  if (subresource !== undefined && verb === "create") return "changed";
  return status === 201 && (verb === "patch" || verb === "update") ? "created" : effects[verb];
}

/** The cause of an episode as stage events, one for each write. */
export function causeEvents({ number, agent, cause, writes }: Episode): readonly CauseEvent[] {
  return writes.map(({ seq }) => ({
    stage: "cause",
    agent,
    write: seq,
    episode: number,
    ...(cause !== undefined && { delta: cause.delta.seq, grade: cause.grade, beforeMs: cause.beforeMs }),
    ...(cause?.or !== undefined && { or: { delta: cause.or.delta.seq, grade: cause.or.grade } }),
  }));
}
