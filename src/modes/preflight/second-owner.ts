/**
 * Whether another process already reconciles these objects: two controllers for the same objects do everything twice.
 */
import { formatAge } from "../../api/duration.ts";
import { type ControllerDefinition, resourceNameOf } from "../../controller/api/definition.ts";
import { judge, type Unseen, type Verdict } from "../../verdict/verdict.ts";
import type { ComponentLease } from "./owner-signs/component-lease.ts";
import { nodeHeartbeats } from "./owner-signs/node-heartbeats.ts";
import { OwnerReads, type SearchedCluster } from "./owner-signs/owner-reads.ts";
import { ownWork } from "./owner-signs/own-work.ts";
import { type Idle, joined, type Look, nothingSeen, type Sign } from "./owner-signs/sign.ts";

/**
 * What is known about another owner. `active`: it has left a recent trace. `none found`: work that an owner would do at
 * once is undone. `unknown`: neither, for example if a kube-controller-manager without leader election has nothing to
 * do, or the evidence cannot be read.
 */
export interface SecondOwner {
  readonly is: "active" | "none found" | "unknown";
  /** `kube-controller-manager`, `another kubectl reconcile`. */
  readonly who: string;
  /** One clause: `Lease kube-system/kube-controller-manager, renewed 3 s ago`. */
  readonly evidence: string;
  /** The same with everything it is based on; each finding is a trace of the owner, as a clause. */
  readonly verdict: Verdict<string>;
  /** Undone work is too recent to prove anything: after this time a second look shows more. */
  readonly againInMs?: number;
}

/** What the search for a controller's owner needs to know about it. */
export type Reconciled = Pick<
  ControllerDefinition,
  "name" | "for" | "upstreamComponent" | "component" | "appliesAs" | "isLeftUndone" | "recordsEvents" | "permissions"
>;

/** A running owner with anything to do leaves a trace within this time. */
const freshMs = 60_000;
/** kube-controller-manager does this work within a second; if it has just started, once its caches are filled. */
const idleMs = 10_000;
/** If kube-controller-manager is running, work of one of its controllers must be undone for longer. */
const idleBesideOthersMs = 60_000;

/**
 * Looks for another process that runs the controller: the Lease of its process, statuses and Events that it has
 * written, heartbeats of nodes, objects that its process creates in every namespace; and for the absence of all that.
 * Ages are relative to the server's clock. Only reads.
 *
 * @throws StatusError, TransportError if the API server refuses what everyone may read, or does not respond.
 */
export function findSecondOwner(cluster: SearchedCluster, controller: Reconciled): Promise<SecondOwner> {
  return search(readsOf(cluster, [controller]), controller);
}

/** A controller, and what is known about another owner of its objects. */
export interface ControllerOwner {
  readonly controller: ControllerDefinition;
  readonly owner: SecondOwner;
}

/** As `findSecondOwner`, for several controllers, in the same order; what they have in common is read once. */
export function findSecondOwners(
  cluster: SearchedCluster,
  controllers: readonly ControllerDefinition[],
): Promise<readonly ControllerOwner[]> {
  const reads = readsOf(cluster, controllers);
  return Promise.all(controllers.map(async (controller) => ({ controller, owner: await search(reads, controller) })));
}

function readsOf(cluster: SearchedCluster, controllers: readonly Reconciled[]): OwnerReads {
  const recording = controllers.filter(({ recordsEvents }) => recordsEvents !== false);
  return new OwnerReads(cluster, new Set(recording.map(({ component }) => component)));
}

async function search(reads: OwnerReads, controller: Reconciled): Promise<SecondOwner> {
  const { upstreamComponent: process = "kube-controller-manager" } = controller;
  const lease = await reads.leaseOf(process);
  const { sandbox } = lease;
  if (sandbox?.includes(controller.name) === true) return runsInSandbox(controller.name);
  const look = await lookFor(reads, controller, { lease, process });
  if (sandbox === undefined) return weigh(controller, look);
  // What the sandbox itself creates looks like kube-controller-manager's.
  const own = { ...look, signs: look.signs.filter(({ isOwn }) => isOwn), idles: [] };
  const found = weigh(controller, own);
  return found.is === "active" ? found : noneInSandbox(own, sandbox);
}

async function lookFor(
  reads: OwnerReads,
  controller: Reconciled,
  { lease, process }: { readonly lease: ComponentLease; readonly process: string },
): Promise<Evidence> {
  if (process === "kubelet") {
    const look = await nodeHeartbeats(reads.client, controller.name);
    return { ...look, lease: { ...lease, is: "absent" }, process: "a kubelet" };
  }
  const needsOthers = lease.is !== "renewed" && lease.sandbox === undefined && process === "kube-controller-manager";
  const [own, others] = await Promise.all([
    ownWork(reads, controller, process),
    needsOthers ? reads.componentWorks() : nothingSeen,
  ]);
  const isSettled = own.signs.some(({ isOwn, at }) => isOwn && lease.now - at < freshMs);
  return { ...joined(isSettled ? [own] : [own, others]), lease, process };
}

/** A served sandbox reports what runs in it. */
function runsInSandbox(name: string): SecondOwner {
  const evidence = `it is a sandbox that runs ${name} itself`;
  const verdict = judge({ findings: [evidence], seen: [evidence], unseen: [] });
  return { is: "active", who: "another kubectl reconcile", evidence, verdict };
}

/** Other programs may run against a sandbox; in a new one, any that does leaves traces at once. */
function noneInSandbox({ seen, unseen }: Look, controllers: readonly string[]): SecondOwner {
  const runs = controllers.length === 0 ? "no controllers" : `only ${controllers.join(", ")}`;
  const evidence = `it is a sandbox that runs ${runs}, and nothing else has left a trace`;
  const verdict = judge<string>({ findings: [], seen: [evidence, ...seen], unseen });
  return { is: verdict.is === "well" ? "none found" : "unknown", who: "another kubectl reconcile", evidence, verdict };
}

interface Evidence extends Look {
  readonly lease: ComponentLease;
  readonly process: string;
}

function weigh(controller: Reconciled, look: Evidence): SecondOwner {
  const { lease, process } = look;
  const { now } = lease;
  const signs = [...look.signs, ...leaseSigns(look)].sort((a, b) => b.at - a.at);
  const idles = look.idles.filter(({ since }) => now - since >= idleMs).sort((a, b) => a.since - b.since);
  const fresh = signs.filter(({ at }) => now - at < freshMs);
  const findings = relevantSigns(controller, { fresh, idles, now });
  const gone = findings.length > 0 ? [] : absence(controller, look, { fresh, idles });
  const verdict = judge({
    findings: findings.map((sign) => signText(sign, now)),
    seen: [...look.seen, ...gone],
    unseen: [...look.unseen, ...(gone.length > 0 ? [] : [missing(look, signs[0])])].filter(
      ({ isDecisive }) => gone.length === 0 || !isDecisive,
    ),
  });
  if (verdict.is === "found") {
    return { is: "active", who: findings[0]?.by ?? process, evidence: verdict.findings[0], verdict };
  }
  if (verdict.is === "well") return { is: "none found", who: process, evidence: gone.join(", "), verdict };
  const evidence = whyUnknown(controller, look, signs[0]);
  const againInMs = untilRipe(controller, look);
  const again = againInMs === undefined ? {} : { againInMs };
  return { is: "unknown", who: signs[0]?.by ?? process, evidence, verdict, ...again };
}

/** When the undone work will be old enough to prove something; undefined if it never proves enough. */
function untilRipe({ name }: Reconciled, { lease, idles }: Evidence): number | undefined {
  // A server in this process sends no time.
  if (lease.now === 0) return undefined;
  const sorted = idles.toSorted((a, b) => a.since - b.since);
  const own = sorted.find(({ controller }) => controller === name);
  const second = lease.is === "forbidden" ? undefined : perController(sorted)[1];
  const since = Math.min(own?.since ?? Infinity, second?.since ?? Infinity);
  return since === Infinity ? undefined : Math.max(0, since + idleMs - lease.now);
}

/** The first of each controller. */
function perController(idles: readonly Idle[]): readonly Idle[] {
  return idles.filter(({ controller }, index) => idles.findIndex((each) => each.controller === controller) === index);
}

/** A Lease is a trace of the process, though not of each of its controllers. */
function leaseSigns({ lease, process }: Evidence): readonly Sign[] {
  if (lease.renewedAt === 0) return [];
  return [{ clause: `Lease kube-system/${process}, renewed`, at: lease.renewedAt, isOwn: false, by: process }];
}

/** Traces of the controller, and of its process unless an object has waited too long for the controller. */
function relevantSigns(
  { name }: Reconciled,
  { fresh, idles, now }: { readonly fresh: readonly Sign[]; readonly idles: readonly Idle[]; readonly now: number },
): readonly Sign[] {
  const own = fresh.filter(({ isOwn }) => isOwn);
  const waits = idles.some(({ controller, since }) => controller === name && now - since >= idleBesideOthersMs);
  if (own.length === 0 && waits) return [];
  // The Lease first: it is the best-known sign.
  return fresh.toSorted((a, b) => Number(b.clause.startsWith("Lease")) - Number(a.clause.startsWith("Lease")));
}

/** Clauses that prove that there is no owner; empty if nothing does. */
function absence(
  { name }: Reconciled,
  { lease, process, signs }: Evidence,
  { fresh, idles }: { readonly fresh: readonly Sign[]; readonly idles: readonly Idle[] },
): readonly string[] {
  const { now } = lease;
  const own = idles.find(({ controller }) => controller === name);
  if (own !== undefined) return [idleText(own, now)];
  if (fresh.length > 0 || lease.is === "forbidden") return [];
  const isLater = ({ by, at }: Sign): boolean => by === process && at > lease.renewedAt + freshMs;
  if (lease.is === "stale" && now - lease.renewedAt >= freshMs && !signs.some(isLater)) return [lease.clause];
  // One controller may be disabled; if two unrelated ones do nothing, the process is not running.
  const others = perController(idles);
  return others.length < 2 ? [] : others.slice(0, 2).map((idle) => idleText(idle, now));
}

function signText({ clause, at }: Sign, now: number): string {
  return `${clause} ${formatAge(now - at)} ago`;
}

function idleText({ clause, since }: Idle, now: number): string {
  return `${clause} for ${formatAge(now - since)}`;
}

/** The evidence that is missing. */
function missing({ process, lease }: Evidence, last: Sign | undefined): Unseen {
  const what = `evidence of whether ${process} is still running`;
  if (last === undefined) return { what, why: lease.clause, isDecisive: true };
  return { what, why: `the last one is ${formatAge(lease.now - last.at)} old`, isDecisive: true };
}

function whyUnknown(controller: Reconciled, { lease, process, seen }: Evidence, last: Sign | undefined): string {
  if (lease.is === "forbidden") return lease.clause;
  if (last !== undefined) return `${signText(last, lease.now)}, and nothing shows that it has stopped`;
  if (process === "a kubelet") return "no simulated nodes would show it";
  const nothing =
    seen.length === 0 ? `no ${resourceNameOf(controller)} that would show it` : "nothing here waits for it";
  return `${lease.clause}, and ${nothing}`;
}
