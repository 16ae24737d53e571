/** A block of `trace`, built from the events of one sync and from what is known of their effects by then. */
import type {
  AgreementEvent,
  DecisionEvent,
  DoneEvent,
  EventHead,
  GetEvent,
  IntentionEvent,
  RecordedEvent,
  WriteEvent,
} from "../trace/events.ts";
import type { Trigger } from "../trace/triggers.ts";
import type { DeltaMemory } from "./delta-memory.ts";
import { summarizeChanges } from "./field-interest.ts";
import type { BlockCause, BlockWrite, SyncBlock, Woken } from "./sync-block.ts";

/** Changed fields shown per write. */
const shownChangesOfWrite = 4;

/** The events of one sync so far. */
export interface OpenSync {
  readonly get: GetEvent & EventHead;
  readonly causes: readonly BlockCause[];
  readonly inBackoffUntil: number | undefined;
  readonly decisions: (DecisionEvent & EventHead)[];
  readonly recorded: (RecordedEvent & EventHead)[];
  readonly writes: (WriteEvent & EventHead)[];
  /** The intentions of this sync, by `verb target`; `since`: the sync that first had it. */
  readonly intentions: Map<string, IntentionEvent & { readonly since: number }>;
  /** The `seq` of each delta that its writes caused. */
  readonly caused: number[];
}

/** A sync that has ended. */
export interface EndedSync extends OpenSync {
  readonly done: DoneEvent & EventHead;
}

/** What later events tell about a sync. */
export interface KnownEffects {
  readonly deltas: DeltaMemory;
  /** The outcome of an intention, by its number. */
  readonly agreementOf: (intention: number) => AgreementEvent | undefined;
}

/** A trigger, with the delta that it refers to. */
export function causeOf(trigger: Trigger, deltas: DeltaMemory): BlockCause {
  if (trigger.cause !== "delta") return { is: "other", trigger };
  const { kind, type, key, resourceVersion, delta } = trigger;
  const event = deltas.get(delta);
  return {
    is: "delta",
    kind,
    type,
    key,
    resourceVersion,
    delta,
    detail: event?.detail,
    ...(event?.tombstone === true && { tombstone: true }),
    ...(event?.relist === true && { relist: true }),
  };
}

/** Adds the sync that caused a delta. This must be late, because the response to a write may arrive after its delta. */
export function withOrigin(cause: BlockCause, deltas: DeltaMemory): BlockCause {
  if (cause.is !== "delta") return cause;
  const by = deltas.byOf(cause.delta);
  return by === undefined ? cause : { ...cause, by };
}

/** The block of a sync. */
export function blockOf(ended: EndedSync, known: KnownEffects): SyncBlock {
  const { get, decisions, recorded, done, causes, inBackoffUntil, intentions } = ended;
  const writes = ended.writes.map((write) => blockWrite(write, { intentions, agreementOf: known.agreementOf }));
  const seqs = new Set(decisions.map(({ seq }) => seq));
  const { controller, key, sync, at, waitedMs, depth, inFlight, delayed, failures, unseen, triggers } = get;
  return {
    controller,
    key,
    sync,
    at,
    waitedMs,
    depth,
    inFlight,
    delayed,
    failures,
    ms: done.ms,
    causes: causes.map((cause) => withOrigin(cause, known.deltas)),
    moreCauses: triggers.total - causes.length,
    ...(unseen !== undefined && { unseen }),
    ...(inBackoffUntil !== undefined && { inBackoffUntil }),
    decisions: decisions.map(({ seq, rule, sentence, facts }) => ({
      rule,
      sentence,
      facts,
      writes: writes.filter(({ decision }) => decision === seq),
    })),
    otherWrites: writes.filter(({ decision }) => decision === undefined || !seqs.has(decision)),
    recorded,
    done,
    woke: wokenBy(ended.caused, known.deltas),
  };
}

function blockWrite(
  write: WriteEvent & EventHead,
  { intentions, agreementOf }: Pick<EndedSync, "intentions"> & Pick<KnownEffects, "agreementOf">,
): BlockWrite {
  const summary = summarizeChanges(write.changes, shownChangesOfWrite);
  const intention = intentions.get(`${write.verb} ${write.key}`);
  if (intention === undefined) return { ...write, summary };
  const agreement = agreementOf(intention.intention);
  return {
    ...write,
    summary,
    intention: intention.intention,
    ...(intention.again && { standsSince: intention.since }),
    ...(agreement !== undefined && { agreement }),
  };
}

/** The keys that deltas with these numbers have enqueued, each with one delta and the count of the others. */
function wokenBy(caused: readonly number[], deltas: DeltaMemory): readonly Woken[] {
  const woken = new Map<string, Woken>();
  for (const seq of caused) {
    const delta = deltas.get(seq);
    if (delta === undefined) continue;
    for (const { controller, key, sync } of deltas.wokenBy(seq)) {
      const name = `${controller} ${key} ${sync ?? ""}`;
      const known = woken.get(name);
      woken.set(
        name,
        known === undefined
          ? {
              controller,
              key,
              kind: delta.of.kind,
              type: delta.type,
              object: delta.key,
              more: 0,
              ...(sync !== undefined && { sync }),
            }
          : { ...known, more: known.more + 1 },
      );
    }
  }
  return [...woken.values()];
}
