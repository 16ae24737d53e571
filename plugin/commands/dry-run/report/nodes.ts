/** The effects of nodes that fall silent or are drained, as lines, the worst first. */
import { formatDuration } from "../../../../src/api/duration.ts";
import type { AffectedNode, NodeEffects } from "../../../../src/modes/dry-run/node-effects.ts";
import type { Fate, PodFate } from "../../../../src/modes/dry-run/pod-fates.ts";
import type { Outage } from "../../../../src/modes/dry-run/node-record.ts";
import type { DryRunReport } from "./report.ts";
import { pluralize } from "../../../cli/style.ts";

/** A line with a label, which is the same for all lines of one kind. */
export interface NodeLine {
  /** `moves`, `waits`; empty for the line about a node. */
  readonly label: string;
  readonly text: string;
}

/** The labels, in the order in which they are shown. */
const labels: Readonly<Record<Fate, string>> = {
  "cannot move": "cannot",
  held: "held",
  waits: "waits",
  lost: "lost",
  unclear: "unclear",
  later: "later",
  "not replaced": "goes",
  moves: "moves",
  stays: "stays",
  ended: "ended",
};

/** The part of a report that is about nodes. */
type NodeReport = Pick<DryRunReport, "run" | "access">;

/** The lines for each node and its pods, by their fate; then the Services that lose their endpoints. */
export function nodeLines({ run: { nodes: effects }, access = "" }: NodeReport): readonly NodeLine[] {
  if (effects === undefined) return [];
  return [
    ...effects.nodes.flatMap((node) => [
      { label: "", text: nodeText(node) },
      ...fateLines(effects.fates.filter((fate) => fate.node === node.node)),
      ...needs(node, { ...effects, access }),
      ...nextStep(node, { ...effects, access }),
    ]),
    ...effects.outages.map((outage) => ({ label: "service", text: outageText(outage) })),
    ...effects.shortBefore.map(({ of, key, available, desired }) => ({
      label: "before",
      text: `${of.kind} ${key} was available ${available} of ${desired}, which is no fewer`,
    })),
  ];
}

/** `node-2 falls silent with 7 pods on it: unreachable after 55 s, its pods are evicted from 55 s on`. */
function nodeText({ node, how, pods, unknownAfterMs, taintedAfterMs }: AffectedNode): string {
  const head = `${node} ${how} with ${pods === 0 ? "no pods" : pluralize(pods, "pod")} on it`;
  if (how === "is drained") return head;
  if (unknownAfterMs === undefined) return `${head}: it was unreachable before`;
  const unknown = `${head}: unreachable after ${formatDuration(unknownAfterMs)}`;
  if (taintedAfterMs !== undefined) return `${unknown}, tainted NoExecute after ${formatDuration(taintedAfterMs)}`;
  return `${unknown}, never tainted NoExecute: too many nodes of its zone are not ready`;
}

function fateLines(fates: readonly PodFate[]): readonly NodeLine[] {
  const alike = Map.groupBy(fates, ({ fate, workload, why = "" }) =>
    JSON.stringify([fate, workload.of, workload.key, fate === "moves" ? "" : why]),
  );
  const order = Object.keys(labels);
  return [...alike.values()]
    .sort((a, b) => order.indexOf(a[0]?.fate ?? "") - order.indexOf(b[0]?.fate ?? ""))
    .flatMap((each) => {
      const [first] = each;
      return first === undefined ? [] : [{ label: labels[first.fate], text: fateText(first, each) }];
    });
}

/** `Deployment shop/web: 2 pods → node-1, node-3, deleted after 5 m 55 s`. */
function fateText(first: PodFate, all: readonly PodFate[]): string {
  const { workload, why = "", deletedAfterMs } = first;
  const name = `${workload.of.kind} ${workload.key}`;
  const isItself = workload.of.kind === "Pod" && all.length === 1;
  const pods = all.length === 1 ? `Pod ${shortName(first.pod)}` : pluralize(all.length, "pod");
  const to = [...new Set(all.flatMap((each) => each.to ?? []))].sort();
  const parts = [
    `${isItself ? name : `${name}: ${pods}`}${first.fate === "moves" && to.length > 0 ? ` → ${to.join(", ")}` : ""}`,
    ...(deletedAfterMs === undefined || deletedAfterMs < atOnceMs ? [] : [`deleted ${afterText(deletedAfterMs)}`]),
  ];
  const text = `${parts.join(", ")}${why === "" ? "" : `: ${why.replace(/\.$/, "")}`}`;
  const data = goes.has(first.fate) ? [...new Set(all.flatMap(({ emptyDirs }) => emptyDirs))] : [];
  return data.length === 0 ? text : `${text}; its data in emptyDir ${data.join(", ")} is lost`;
}

/** Shorter durations are not shown: a simulated pod stops faster. */
const atOnceMs = 1000;

function afterText(ms: number): string {
  return ms < atOnceMs ? "at once" : `after ${formatDuration(ms)}`;
}

const goes: ReadonlySet<Fate> = new Set(["cannot move", "waits", "lost", "unclear", "not replaced", "moves"]);

function shortName(key: string): string {
  return key.slice(key.indexOf("/") + 1);
}

interface Advised extends NodeEffects {
  readonly access: string;
}

/** The options without which kubectl drain would refuse. Source: kubectl v0.36 pkg/drain/filters.go. */
function needs({ node, how }: AffectedNode, { fates, access }: Advised): readonly NodeLine[] {
  if (how !== "is drained") return [];
  const own = fates.filter((fate) => fate.node === node && fate.fate !== "ended" && fate.why !== "a static pod");
  const options = [
    ...(own.some(({ workload, fate }) => fate === "stays" && workload.of.kind === "DaemonSet")
      ? ["--ignore-daemonsets"]
      : []),
    ...(own.some(({ emptyDirs, fate }) => emptyDirs.length > 0 && fate !== "stays") ? ["--delete-emptydir-data"] : []),
    ...(own.some(({ workload }) => workload.of.kind === "Pod") ? ["--force"] : []),
  ];
  return options.length === 0 ? [] : [{ label: "needs", text: `kubectl${access} drain ${node} ${options.join(" ")}` }];
}

/** The next step if pods wait for a silent node: a taint that lets their replacements start. Source: kubernetes v1.36 pkg/controller/podgc/gc_controller.go gcTerminating. */
function nextStep({ node, how }: AffectedNode, { fates, access }: Advised): readonly NodeLine[] {
  if (how !== "falls silent" || !fates.some((fate) => fate.node === node && fate.fate === "waits")) return [];
  const command = `kubectl${access} taint node ${node} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`;
  return [{ label: "next", text: `once ${node} is known to be off: ${command}` }];
}

function outageText({ service, endpoints, fromMs, forMs }: Outage): string {
  const had = `Service ${service} loses ${endpoints === 1 ? "its one ready endpoint" : `all ${endpoints} ready endpoints`}`;
  const since = afterText(fromMs);
  return forMs === undefined ? `${had} ${since}, for good` : `${had} ${since}, for ${formatDuration(forMs)}`;
}
