/** ResourceClaims, their templates, and pods that use them. Scripts act as scheduler: they allocate and reserve, and bind pods. */
import { ResourceClaims, ResourceClaimTemplates } from "../../../../src/api/kinds.ts";
import { at, bind } from "../../acts.ts";
import type { AnyObject, Json, PodObject } from "../../objects.ts";
import type { Stage } from "../../stage.ts";
import type { Step } from "../../suite.ts";

export const act = (name: string, does: (stage: Stage) => Promise<unknown>): Step => ({ name, act: does });

/** The finalizer that keeps a claim until its devices are deallocated. */
export const protection = "resource.kubernetes.io/delete-protection";
/** A finalizer that only scripts remove. */
export const foreign = "example.com/hold";
const entryAnnotation = "resource.kubernetes.io/pod-claim-name";

const request = { name: "one", exactly: { deviceClassName: "gpu.example.com" } };
export const claimSpec: object = { devices: { requests: [request] } };
export const adminSpec: object = {
  devices: { requests: [{ ...request, exactly: { ...request.exactly, adminAccess: true } }] },
};

export interface TemplateParts {
  readonly metadata?: object;
  readonly spec?: object;
}

export function makeTemplate(
  stage: Stage,
  name: string,
  { metadata, spec = claimSpec }: TemplateParts = {},
): Promise<unknown> {
  const body = { ...(metadata !== undefined && { metadata }), spec };
  return stage.create(ResourceClaimTemplates, { metadata: { name }, spec: body });
}

export function makeClaim(stage: Stage, name: string, metadata: object = {}): Promise<unknown> {
  return stage.create(ResourceClaims, { metadata: { name, ...metadata }, spec: claimSpec });
}

/** The reference of an entry in `spec.resourceClaims`. */
export type Source = { readonly template: string } | { readonly claim: string };

export interface PodParts {
  /** Keyed by entry name. */
  readonly entries?: Readonly<Record<string, Source>>;
  readonly finalizers?: readonly string[];
  /** Whether it is bound to a node, `one`, immediately. */
  readonly bound?: boolean;
  /** Extended resources that its container requests. */
  readonly resources?: Readonly<Record<string, string>>;
}

export async function makePod(stage: Stage, name: string, parts: PodParts): Promise<void> {
  const { entries = {}, finalizers = [], bound = false, resources } = parts;
  const resourceClaims = Object.entries(entries).map(([entry, source]) => ({
    name: entry,
    ...("template" in source ? { resourceClaimTemplateName: source.template } : { resourceClaimName: source.claim }),
  }));
  await stage.create("pods", {
    metadata: { name, finalizers },
    spec: {
      containers: [
        { name: "main", image: "main:1", ...(resources !== undefined && { resources: { limits: resources } }) },
      ],
      ...(resourceClaims.length > 0 && { resourceClaims }),
    },
  });
  if (bound) await bindPod(stage, name);
}

export async function bindPod(stage: Stage, name: string): Promise<void> {
  await bind(stage, { metadata: { name, uid: "" }, spec: { containers: [] } } satisfies PodObject, "one");
}

/** Writes a pod's phase, as its kubelet would. */
export function setPhase(stage: Stage, name: string, phase: string): Promise<unknown> {
  return stage.patch("pods", `${name}/status`, { status: { phase } });
}

/** Completes a pod's deletion, or deletes it immediately. */
export function endPod(stage: Stage, name: string): Promise<void> {
  return stage.remove("pods", name, { gracePeriodSeconds: 0 });
}

interface Consumer extends Json {
  readonly apiGroup?: string;
  readonly resource: string;
  readonly name: string;
  readonly uid: string;
}

export interface ClaimObject extends AnyObject {
  readonly status?: { readonly allocation?: object; readonly reservedFor?: readonly Consumer[] };
}

export interface ClaimingPod extends PodObject {
  readonly spec: PodObject["spec"] & {
    readonly resourceClaims?: readonly {
      readonly name: string;
      readonly resourceClaimName?: string;
      readonly resourceClaimTemplateName?: string;
    }[];
  };
  readonly status?: NonNullable<PodObject["status"]> & {
    readonly resourceClaimStatuses?: readonly { readonly name: string; readonly resourceClaimName?: string }[];
    readonly extendedResourceClaimStatus?: Json;
  };
}

// Listed objects have the requested kind.
export const claimsOn = async (stage: Stage): Promise<readonly ClaimObject[]> =>
  (await stage.list(ResourceClaims)) as readonly ClaimObject[];
export const podsOn = async (stage: Stage): Promise<readonly ClaimingPod[]> =>
  (await stage.list("pods")) as unknown as readonly ClaimingPod[];

export const podNamed = async (stage: Stage, name: string): Promise<ClaimingPod | undefined> =>
  (await podsOn(stage)).find(({ metadata }) => metadata.name === name);

/** The claims generated for an entry of a pod with this name, which need not exist anymore. */
export async function generated(stage: Stage, pod: string, entry: string): Promise<readonly ClaimObject[]> {
  return (await claimsOn(stage)).filter(
    ({ metadata }) => metadata.annotations?.[entryAnnotation] === entry && ownerOf(metadata)?.name === pod,
  );
}

type Meta = AnyObject["metadata"];

function ownerOf({ ownerReferences }: Meta): { readonly name: string; readonly uid: string } | undefined {
  return ownerReferences?.find(({ kind, controller }) => kind === "Pod" && controller === true);
}

/** The name of the only claim generated for it. */
export async function generatedName(stage: Stage, pod: string, entry: string): Promise<string> {
  return at(await generated(stage, pod, entry), 0).metadata.name;
}

export interface Allocation {
  /** Names of the pods that it is reserved for. */
  readonly pods?: readonly string[];
  readonly others?: readonly Consumer[];
  /** Default true. */
  readonly isProtected?: boolean;
}

/** Allocates a device to a claim and reserves the claim, as a scheduler does. */
export async function allocate(stage: Stage, name: string, parts: Allocation = {}): Promise<void> {
  const { pods = [], others = [], isProtected = true } = parts;
  if (isProtected) await stage.patch(ResourceClaims, name, { metadata: { finalizers: [protection] } });
  const device = { request: "one", driver: "gpu.example.com", pool: "one", device: `gpu-${name.length}` };
  const allocation = { devices: { results: [device] } };
  const reservedFor = [...(await consumersOf(stage, pods)), ...others];
  const status = { allocation, ...(reservedFor.length > 0 && { reservedFor }) };
  await stage.patch(ResourceClaims, `${name}/status`, { status });
}

/** Reserves an allocated claim for pods, in addition to its current consumers. */
export async function reserve(stage: Stage, name: string, pods: readonly string[]): Promise<void> {
  const claim = (await stage.get(ResourceClaims, name)) as ClaimObject;
  const reservedFor = [...(claim.status?.reservedFor ?? []), ...(await consumersOf(stage, pods))];
  await stage.patch(ResourceClaims, `${name}/status`, { status: { reservedFor } });
}

export async function consumersOf(stage: Stage, pods: readonly string[]): Promise<readonly Consumer[]> {
  const there = await podsOn(stage);
  return pods.map((name) => {
    const uid = there.find(({ metadata }) => metadata.name === name)?.metadata.uid;
    if (uid === undefined) throw new RangeError(`Cannot reserve for pod ${name}: it is not there`);
    return { resource: "pods", name, uid };
  });
}

/** An invented consumer. */
export const consumer = (resource: string, name: string, apiGroup?: string): Consumer => ({
  ...(apiGroup !== undefined && { apiGroup }),
  resource,
  name,
  uid: `made-up-${name}`,
});

const hasEnded = ({ status }: ClaimingPod): boolean => status?.phase === "Failed" || status?.phase === "Succeeded";
const isDone = (pod: ClaimingPod): boolean =>
  hasEnded(pod) || (pod.metadata.deletionTimestamp !== undefined && pod.spec.nodeName === undefined);

/** Whether nothing is left to do. Work that is done only when an object is synced for another reason is not waited for. */
export async function isSettled(stage: Stage): Promise<boolean> {
  const [pods, claims, templates] = await Promise.all([
    podsOn(stage),
    claimsOn(stage),
    stage.list(ResourceClaimTemplates),
  ]);
  const names = new Set(templates.map(({ metadata }) => (metadata as Meta).name));
  return (
    pods.every((pod) => isPodSettled(pod, { claims, names })) && claims.every((claim) => isClaimSettled(claim, pods))
  );
}

function isPodSettled(
  pod: ClaimingPod,
  { claims, names }: { readonly claims: readonly ClaimObject[]; readonly names: ReadonlySet<string> },
): boolean {
  if (pod.metadata.deletionTimestamp !== undefined) return true;
  const entries = pod.spec.resourceClaims ?? [];
  const statuses = pod.status?.resourceClaimStatuses ?? [];
  // The pod, and with it every entry, waits for the template.
  if (
    entries.some((each) => each.resourceClaimTemplateName !== undefined && !names.has(each.resourceClaimTemplateName))
  )
    return true;
  if (
    entries.some(
      (each) => each.resourceClaimTemplateName !== undefined && !statuses.some(({ name }) => name === each.name),
    )
  )
    return false;
  if (pod.spec.nodeName === undefined) return true;
  for (const { name, resourceClaimName } of entries) {
    const own = statuses.find((each) => each.name === name);
    if (resourceClaimName === undefined && own?.resourceClaimName === undefined) continue;
    const claim = claims.find(({ metadata }) => metadata.name === (resourceClaimName ?? own?.resourceClaimName));
    // Entries after a claim that is missing, is being deleted or has another owner wait too.
    if (claim === undefined || claim.metadata.deletionTimestamp !== undefined) return true;
    if (resourceClaimName === undefined && ownerOf(claim.metadata)?.uid !== pod.metadata.uid) return true;
    const isReserved = claim.status?.reservedFor?.some(({ uid }) => uid === pod.metadata.uid) === true;
    if (claim.status?.allocation !== undefined && !isReserved) return false;
  }
  return true;
}

function isClaimSettled({ metadata, status }: ClaimObject, pods: readonly ClaimingPod[]): boolean {
  const reservedFor = status?.reservedFor ?? [];
  const isStale = ({ apiGroup = "", resource, uid }: Consumer): boolean => {
    const pod = pods.find((each) => each.metadata.uid === uid);
    return apiGroup === "" && resource === "pods" && (pod === undefined || isDone(pod));
  };
  if (reservedFor.some(isStale)) return false;
  if (reservedFor.length > 0) return true;
  if (metadata.deletionTimestamp !== undefined) return metadata.finalizers?.includes(protection) !== true;
  const owner = ownerOf(metadata);
  const pod = pods.find((each) => each.metadata.uid === owner?.uid);
  if (pod === undefined || !isDone(pod)) return true;
  // A claim that its pod's status does not name is not processed when the pod has finished.
  return pod.status?.resourceClaimStatuses?.some((each) => each.resourceClaimName === metadata.name) !== true;
}
