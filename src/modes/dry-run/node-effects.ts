/** The effects of nodes that fall silent or are drained: on their pods, and on the workloads and Services of these. Pure. */
import type { ObjectKey } from "../../api/key.ts";
import { Pods, Services } from "../../api/kinds.ts";
import { isForOneNode } from "../../api/storage/access-modes.ts";
import type { StoredObject } from "../../api/object.ts";
import type { Job, Pod } from "../../api/types.ts";
import { isPodReady } from "../../controller/workload/pod-status.ts";
import { endpointslice } from "../../controllers/endpointslice/endpointslice.ts";
import type { KindName } from "../../trace/names.ts";
import type { Unseen } from "../../verdict/verdict.ts";
import { entryName, type State } from "../../views/state.ts";
import { type Availability, type AvailabilityOptions, availabilityOf, countsOf, isShort } from "./availability.ts";
import { storageIn } from "./claims.ts";
import { whatPodLacks } from "./lacking.ts";
import { whyUnknown } from "./scope.ts";
import type { ChangedWorkload } from "./workloads.ts";
import { fatesOf, type PodFate } from "./pod-fates.ts";
import type { NodeQuestions } from "./node-questions.ts";
import type { NodeRecord, NodeTimes, Outage } from "./node-record.ts";
import { boundClaims } from "./volume-nodes.ts";

/** A node that falls silent or is drained. */
export interface AffectedNode extends NodeTimes {
  readonly node: string;
  readonly how: "falls silent" | "is drained";
  /** Pods on it when it began. */
  readonly pods: number;
}

/** The effects of nodes that fall silent or are drained. */
export interface NodeEffects {
  readonly nodes: readonly AffectedNode[];
  readonly fates: readonly PodFate[];
  readonly outages: readonly Outage[];
  /** Workloads that had pods on these nodes. */
  readonly workloads: readonly ChangedWorkload[];
  /** The availability of these workloads, and of Services left without ready endpoints. */
  readonly availability: readonly Availability[];
  /** Workloads that are short of pods and were just as short before. */
  readonly shortBefore: readonly Availability[];
  readonly unseen: readonly Unseen[];
}

/** What effects are derived from. */
export interface EffectsInput extends AvailabilityOptions {
  readonly before: State;
  readonly questions: NodeQuestions;
  readonly record: NodeRecord;
}

/** Undefined if no node falls silent or is drained. */
export function nodeEffects(input: EffectsInput): NodeEffects | undefined {
  const { questions, record, before } = input;
  const names = [...new Set([...questions.silent, ...questions.drained])];
  if (names.length === 0) return undefined;
  const storage = storageIn(input.state, input.scope);
  const lacks = (pod: Pod & StoredObject): string | undefined => whatPodLacks(pod, storage);
  const isFollowed = ({ group, kind }: KindName): boolean =>
    input.controllers.some((controller) => controller.for?.kind === kind && controller.for.group === group);
  const fates = fatesOf(names, { ...input, lacks, isFollowed });
  const workloads = affected(fates);
  const { availability, shortBefore } = shortages(workloads, { ...input, fates });
  const outages = record.outages();
  return {
    nodes: names.map((node) => ({
      node,
      how: questions.silent.has(node) ? "falls silent" : "is drained",
      pods: fates.filter((fate) => fate.node === node).length,
      ...record.timesOf(node),
    })),
    fates,
    outages,
    workloads,
    availability: [...availability, ...outages.flatMap((outage) => withoutEndpoints(outage, before))],
    shortBefore,
    unseen: [...unclear(fates), ...volumeDoubts(fates, input), ...servicesUnseen(input)],
  };
}

/** Whether it was on one of the nodes, or is a workload that had pods there. */
export function isJudged({ of, key }: ChangedWorkload, { workloads, fates }: NodeEffects): boolean {
  if (workloads.some((each) => isSame(each, { of, key }))) return true;
  return of.group === "" && of.kind === Pods.kind && fates.some(({ pod }) => pod === key);
}

/** Fates that affect no workload. */
const harmless: ReadonlySet<PodFate["fate"]> = new Set(["ended", "unclear"]);

function affected(fates: readonly PodFate[]): readonly ChangedWorkload[] {
  const each = new Map<string, ChangedWorkload>();
  for (const { workload, fate, why } of fates) {
    if (harmless.has(fate) || why === "a static pod") continue;
    each.set(entryName(workload.of, workload.key), { ...workload, did: "configured" });
  }
  return [...each.values()];
}

/** Adds the fates of the pods. */
interface Fated extends EffectsInput {
  readonly fates: readonly PodFate[];
}

function shortages(
  workloads: readonly ChangedWorkload[],
  input: Fated,
): Pick<NodeEffects, "availability" | "shortBefore"> {
  const there = availabilityOf(workloads, input);
  const gone = workloads.filter(({ of, key }) => !input.state.has(entryName(of, key)));
  const all = [
    ...there,
    ...gone
      .filter(({ of }) => of.kind === Pods.kind)
      .map((each) => ({ ...each, available: 0, desired: 1, why: undefined })),
  ].map((each) => explained(onOtherNodes(each, input), input.fates));
  const isOld = (each: Availability): boolean => (isShort(each) || each.isUnknown === true) && wasAsShort(each, input);
  return { availability: all.filter((each) => !isOld(each)), shortBefore: all.filter(isOld) };
}

/** A DaemonSet cannot have more pods than there are reporting nodes: pods of silent nodes stay but do not count. */
function onOtherNodes(each: Availability, { before, questions, fates }: Fated): Availability {
  if (each.of.kind !== "DaemonSet") return each;
  const wasReady = (key: ObjectKey): boolean => {
    const pod: Pod | undefined = before.get(entryName(podKind, key))?.object;
    return pod !== undefined && isPodReady(pod);
  };
  const out = fates.filter(
    ({ workload, fate, pod, node }) =>
      isSame(workload, each) && fate === "stays" && questions.silent.has(node) && wasReady(pod),
  ).length;
  const desired = Math.max(each.available, each.desired - out);
  return { ...each, desired, ...(desired <= each.available && { why: undefined }) };
}

const podKind: KindName = { group: "", kind: Pods.kind };

/** Adds the reason given by its pods, if the state of the cluster gives none. */
function explained(each: Availability, fates: readonly PodFate[]): Availability {
  if (!isShort(each) || each.why !== undefined) return each;
  const own = fates.filter(({ workload }) => isSame(workload, each));
  const telling = own.find(({ fate }) => fate !== "moves" && fate !== "ended");
  if (telling === undefined) return each;
  const { pod, why } = telling;
  const name = pod.slice(pod.indexOf("/") + 1);
  const text = each.of.kind === Pods.kind ? why : `Pod ${name}: ${why ?? telling.fate}`;
  return { ...each, why: text };
}

function isSame(one: { readonly of: KindName; readonly key: ObjectKey }, other: typeof one): boolean {
  return entryName(one.of, one.key) === entryName(other.of, other.key);
}

/** Whether it had no more available before. A Job that has failed since had not failed. */
function wasAsShort({ of, key, available }: Availability, { before, state }: EffectsInput): boolean {
  const name = entryName(of, key);
  const old = before.get(name)?.object;
  const was = countsOf(of, old);
  if (was === undefined) return false;
  if (of.kind === "Job" && hasFailed(state.get(name)?.object) && !hasFailed(old)) return false;
  return isShort(was) && available >= was.available;
}

function hasFailed(job: Job | undefined): boolean {
  return job?.status?.conditions?.some(({ type, status }) => type === "Failed" && status === "True") === true;
}

/** A Service left without endpoints. */
function withoutEndpoints({ service, endpoints, forMs }: Outage, before: State): readonly Availability[] {
  const of = { group: Services.group, kind: Services.kind };
  if (forMs !== undefined || !before.has(entryName(of, service))) return [];
  return [{ of, key: service, available: 0, desired: endpoints, why: "no ready endpoint is left" }];
}

function unclear(fates: readonly PodFate[]): readonly Unseen[] {
  const each = new Map<string, Unseen>();
  for (const { fate, workload, replacement, why = "" } of fates) {
    if (fate !== "unclear") continue;
    const what = `${workload.of.kind} ${workload.key}`;
    const gone = `its pods are deleted, and the controller that recreates them does not run here (${why})`;
    each.set(what, {
      what,
      why: replacement === undefined ? gone : `its new pods are not placed: ${why}`,
      isDecisive: true,
    });
  }
  return [...each.values()];
}

/** Whether endpoints follow their pods. */
function servicesUnseen({ controllers, before }: EffectsInput): readonly Unseen[] {
  if (controllers.some(({ name }) => name === endpointslice.name)) return [];
  const isThere = [...before.values()].some(({ of }) => of.group === "" && of.kind === Services.kind);
  const why = `${endpointslice.name} is not among the controllers that run`;
  return isThere ? [{ what: "endpoints of Services", why, isDecisive: false }] : [];
}

/** Doubts about volumes that cannot be resolved here: where one may be used, and when a silent node releases it. */
function volumeDoubts(fates: readonly PodFate[], { state, scope, questions }: EffectsInput): readonly Unseen[] {
  const { lookup } = storageIn(state, scope);
  const each = new Map<string, Unseen>();
  for (const { fate, workload, replacement, node, pod } of fates) {
    if (fate !== "moves" || replacement === undefined) continue;
    const what = `${workload.of.kind} ${workload.key}`;
    for (const { key, volumeName, volume, accessModes } of boundClaims(replacement, lookup)) {
      if (volume === undefined) {
        const why = whyUnknown(scope, { group: "", kind: "PersistentVolume" }, "") ?? "it is not there";
        each.set(what, {
          what,
          why: `on which nodes PersistentVolume ${volumeName} of claim ${key} can be used: ${why}`,
          isDecisive: true,
        });
      } else if (questions.silent.has(node) && isForOneNode(accessModes)) {
        const why = `claim ${key} (${accessModes.join(", ")}) stays attached to ${node} while Pod ${pod} is Terminating there; whether another node can attach it depends on its driver`;
        each.set(what, { what, why, isDecisive: true });
      }
    }
  }
  return [...each.values()];
}
