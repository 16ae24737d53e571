/** Compares what a process writes in a fork with what its copy does on the cluster: lines as it happens, and a final report. */
import { type FieldChange, fieldChanges } from "../../src/api/field-changes.ts";
import type { ObjectKey } from "../../src/api/key.ts";
import type { StoredObject } from "../../src/api/object.ts";
import type { Agreement, Divergence, DivergenceListener } from "../../src/modes/fork/divergences.ts";
import type { Missed } from "../../src/modes/fork/owner-gate.ts";
import { judge, type Verdict } from "../../src/verdict/verdict.ts";
import type { Coverage } from "../../src/views/coverage.ts";
import type { TraceBus } from "../../src/trace/bus.ts";
import type { AgreementEvent } from "../../src/trace/events.ts";
import { maskChanges } from "../../src/trace/mask.ts";
import type { KindName } from "../../src/trace/names.ts";
import { summarizeChanges } from "../../src/views/field-interest.ts";
import { pluralize } from "../cli/style.ts";
import { shortValue, summaryText } from "../render/changes.ts";

/** A difference between an object in the fork and in the cluster. */
export interface ForkDifference {
  readonly is: "differs" | "only here" | "only there";
  readonly of: KindName;
  readonly key: ObjectKey;
  readonly text: string;
}

/** The result of the comparison. */
export interface ForkComparisonResult {
  /** How often the cluster's object came to equal the one written in the fork. */
  readonly same: number;
  readonly differences: readonly ForkDifference[];
  /** Writes in the fork so shortly before the end that the cluster had no time to follow. */
  readonly uncompared: number;
  /** The kinds of writes in the fork that were not compared because the cluster's objects were not watched at the end. */
  readonly unwatched: readonly string[];
  /** Changes in the cluster whose writer is unknown: the copy, or another client. */
  readonly unattributed: number;
}

/** When the result is drawn up, in ms since 1970, and what of the cluster is watched. */
interface ResultOptions {
  readonly now: number;
  readonly coverage: Coverage;
}

/** A write in the fork that the cluster does not follow within this time counts as made only in the fork. */
const patienceMs = 2000;
const shownChanges = 3;

/** Collects the fork's reports, and emits each comparison as an `agreement` event on an attached bus. */
export class ForkComparison implements DivergenceListener {
  readonly #onLine: (line: string) => void;
  #bus: TraceBus | undefined;
  readonly #reported = new Set<string>();
  readonly #missed = new Map<string, Missed>();
  #same = 0;
  #unattributed = 0;

  /** `onLine` is called with a line for each new difference. */
  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  /** Reports on this bus from now on. */
  attach(bus: TraceBus): void {
    this.#bus = bus;
  }

  written({ of, key }: Divergence): void {
    // The process has made the write after all.
    this.#missed.delete(nameOf(of, key));
  }

  differs(divergence: Divergence): void {
    const difference = differenceOf(divergence);
    this.#reportOnce(difference);
    const { base, here, since, cluster } = divergence;
    const afterMs = cluster.is === "differs" ? cluster.at - since : 0;
    this.#report({ is: "differs", ...actOf(divergence, { base, here }), afterMs, why: differenceLine(difference) });
  }

  agreed(agreement: Agreement): void {
    const { of, key, base, here, since, at } = agreement;
    this.#same++;
    this.#missed.delete(nameOf(of, key));
    const why = "the cluster has what was written here";
    this.#report({ is: "same", ...actOf(agreement, { base, here }), afterMs: at - since, why });
  }

  /** Called when the copy made a write that the process did not make in time. */
  readonly onMissed = (missed: Missed): void => {
    if (missed.by === "unknown") {
      this.#unattributed++;
      return;
    }
    const difference = missedOf(missed);
    this.#missed.set(nameOf(missed.of, missed.key), missed);
    this.#reportOnce(difference);
    const act = actOf(missed, { base: missed.before, here: missed.live });
    this.#report({ is: "differs", ...act, why: differenceLine(difference) });
  };

  /** The result so far. `now` in ms since 1970. */
  result(divergences: readonly Divergence[], { now, coverage }: ResultOptions): ForkComparisonResult {
    const silent = divergences.filter(({ cluster }) => cluster.is === "silent");
    /** Since when the cluster could have been seen to follow: never, if it is not watched. */
    const seenSince = ({ of, since }: Divergence): number =>
      Math.max(since, coverage.watchOf(of)?.openSince ?? Infinity);
    const late = silent.filter((each) => now - seenSince(each) > patienceMs);
    const unwatched = silent.filter((each) => seenSince(each) === Infinity);
    const differing = divergences.filter(({ cluster }) => cluster.is === "differs");
    return {
      same: this.#same,
      differences: [...differing, ...late].map(differenceOf).concat([...this.#missed.values()].map(missedOf)),
      uncompared: silent.length - late.length - unwatched.length,
      unwatched: [...new Set(unwatched.map(({ of }) => of.kind))],
      unattributed: this.#unattributed,
    };
  }

  #report(event: Omit<AgreementEvent, "stage" | "controller">): void {
    this.#bus?.emit({ stage: "agreement", controller: "process", ...event });
  }

  #reportOnce(difference: ForkDifference): void {
    const line = differenceLine(difference);
    if (this.#reported.has(line)) return;
    this.#reported.add(line);
    this.#onLine(line);
  }
}

interface Written {
  readonly base: StoredObject | undefined;
  readonly here: StoredObject | undefined;
}

/** The verb and object of a write, as fields of an event. */
function actOf(
  { of, key }: { readonly of: KindName; readonly key: ObjectKey },
  { base, here }: Written,
): Pick<AgreementEvent, "verb" | "of" | "key" | "target"> {
  return { verb: here === undefined ? "delete" : base === undefined ? "create" : "update", of, key, target: key };
}

/** `differs ConfigMap shop/web · .data.size 2 here, 1 there` */
export function differenceLine({ is, of, key, text }: ForkDifference): string {
  return `${is} ${of.kind} ${key} · ${text}`;
}

/** `compared with the cluster: 12 same · 1 differs · 1 only here`. */
export function comparisonLine({
  same,
  differences,
  uncompared,
  unwatched,
  unattributed,
}: ForkComparisonResult): string {
  const count = (is: ForkDifference["is"]): number => differences.filter((one) => one.is === is).length;
  const parts = [
    `${same} same`,
    ...(["differs", "only here", "only there"] as const).flatMap((is) =>
      count(is) === 0 ? [] : [`${count(is)} ${is}`],
    ),
    ...(uncompared === 0 ? [] : [`${uncompared} written too late to compare`]),
    ...(unwatched.length === 0 ? [] : [`${unwatched.join(", ")} not compared: not watched on the cluster at the end`]),
    ...(unattributed === 0 ? [] : [`${pluralize(unattributed, "change")} by an unknown writer not compared`]),
  ];
  const nothing = same + differences.length + uncompared + unwatched.length + unattributed === 0;
  return nothing
    ? "compared with the cluster: nothing was written here, and nothing there by a manager of the same name"
    : `compared with the cluster: ${parts.join(" · ")}`;
}

/** "Nothing differs" requires that something was compared, and that all that was written here was watched on the cluster. */
export function forkVerdict({ same, differences, unwatched }: ForkComparisonResult): Verdict<ForkDifference> {
  return judge({
    findings: differences,
    seen: [`${same} same`],
    unseen: unwatched.map((what) => ({ what, why: "not watched on the cluster at the end", isDecisive: true })),
    tooLittle: same === 0 ? ["nothing was compared"] : [],
  });
}

/** `~ ConfigMap shop/a  .data.size 1 → 2`, `+ ConfigMap shop/b`. */
export function writtenText({ of, key, base, here }: Divergence): string {
  const sign = here === undefined ? "-" : base === undefined ? "+" : "~";
  return [`${sign} ${of.kind} ${key}`, ...changesText(of, { before: base, after: here })].join("  ");
}

interface Sides {
  readonly before: StoredObject | undefined;
  readonly after: StoredObject | undefined;
}

function changesText(of: KindName, { before, after }: Sides): readonly string[] {
  if (before === undefined || after === undefined) return [];
  const changes = maskChanges(of, fieldChanges(before, after));
  return changes.length === 0 ? [] : [summaryText(summarizeChanges(changes, shownChanges)).join(" · ")];
}

function differenceOf({ of, key, base, here, cluster }: Divergence): ForkDifference {
  if (cluster.is === "silent") {
    const did = here === undefined ? "deleted" : base === undefined ? "created" : "changed";
    return {
      is: "only here",
      of,
      key,
      text: [`${did} here`, ...changesText(of, { before: base, after: here })].join(": "),
    };
  }
  const masked = maskChanges(of, cluster.missing);
  const shown = masked.slice(0, shownChanges).map(sidesText);
  const more = masked.length - shown.length;
  const text = [...shown, ...(more === 0 ? [] : [`and ${pluralize(more, "more field")}`])].join(" · ");
  return { is: "differs", of, key, text };
}

function sidesText({ path, before, after }: FieldChange): string {
  if (path === "") return before === undefined ? "deleted here, not there" : "deleted there, not here";
  const side = (value: unknown): string => (value === undefined ? "absent" : shortValue(value));
  return `${path} ${side(before)} here, ${side(after)} there`;
}

function missedOf({ of, key, before, live }: Missed): ForkDifference {
  const did = live === undefined ? "deleted" : before === undefined ? "created" : "changed";
  return {
    is: "only there",
    of,
    key,
    text: [`${did} on the cluster, not here`, ...changesText(of, { before, after: live })].join(": "),
  };
}

function nameOf({ group, kind }: KindName, key: ObjectKey): string {
  return `${group}/${kind} ${key}`;
}
