/** Root CA ConfigMaps, aggregated ClusterRoles, pods with ephemeral volumes, nodes and policies; whether all are in the desired state. */
import { ClusterRoles, Nodes, ValidatingAdmissionPolicies } from "../../../../src/api/kinds.ts";
import { ownName, type Stage } from "../../stage.ts";
import type { Step } from "../../suite.ts";

export const act = (name: string, does: (stage: Stage) => Promise<unknown>): Step => ({ name, act: does });

export const mapName = "kube-root-ca.crt";
export const accountName = "default";
export const note = "kubernetes.io/description";

interface Named {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
    readonly ownerReferences?: readonly { readonly uid: string; readonly controller?: boolean }[];
  };
}

// ClusterRoles are cluster-scoped: their names contain the stage's name, and so do the labels by which they select each other.

export interface PolicyRule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly verbs: readonly string[];
}

interface RoleObject extends Named {
  readonly rules?: readonly PolicyRule[] | null;
  readonly aggregationRule?: { readonly clusterRoleSelectors: readonly { readonly matchLabels?: object }[] };
}

export const ruleOf = (resource: string, ...verbs: string[]): PolicyRule => ({
  apiGroups: [""],
  resources: [resource],
  verbs: verbs.length === 0 ? ["get"] : verbs,
});

/** The labels for these colors, unique to the stage. */
export function labelsOf({ namespace }: Stage, colours: readonly string[]): Record<string, string> {
  return Object.fromEntries(colours.map((colour) => [`example.com/${colour}`, namespace]));
}

export interface RoleParts {
  readonly rules?: readonly PolicyRule[];
  readonly colours?: readonly string[];
  /** The colors that it selects, with one selector each. If missing, it is not aggregated. */
  readonly selects?: readonly string[];
}

export function roleBody(stage: Stage, { rules, colours, selects }: RoleParts): object {
  return {
    ...(colours !== undefined && { metadata: { labels: labelsOf(stage, colours) } }),
    ...(rules !== undefined && { rules }),
    ...(selects !== undefined && {
      aggregationRule: {
        clusterRoleSelectors: selects.map((colour) => ({ matchLabels: labelsOf(stage, [colour]) })),
      },
    }),
  };
}

export function makeRole(stage: Stage, name: string, parts: RoleParts): Promise<unknown> {
  const { metadata = {}, ...body } = roleBody(stage, parts) as { readonly metadata?: object };
  return stage.create("clusterroles", { metadata: { name: ownName(stage, name), ...metadata }, ...body });
}

export const role = (name: string, parts: RoleParts): Step =>
  act(`create ClusterRole ${name} with ${JSON.stringify(parts)}`, (stage) => makeRole(stage, name, parts));
export const changeRole = (name: string, body: (stage: Stage) => object): Step =>
  act(`patch ClusterRole ${name}`, (stage) => stage.patch("clusterroles", ownName(stage, name), body(stage)));
export const removeRole = (name: string): Step =>
  act(`delete ClusterRole ${name}`, (stage) => stage.remove("clusterroles", ownName(stage, name)));

/** `strict` also requires that a role which selects no rules has none: the controller keeps rules that other clients have written to it. */
async function areAggregated(stage: Stage, { strict }: Strictness): Promise<boolean> {
  const roles = (await stage.all(ClusterRoles)) as unknown as readonly RoleObject[];
  const text = (rules: RoleObject["rules"]): string[] =>
    (rules ?? []).map((rule) => JSON.stringify(rule, ["apiGroups", "resources", "verbs"]));
  return roles
    .filter(({ aggregationRule }) => aggregationRule !== undefined)
    .every(({ metadata: { name }, rules, aggregationRule }) => {
      const selected = roles.filter(
        ({ metadata }) =>
          metadata.name !== name &&
          aggregationRule?.clusterRoleSelectors.some(({ matchLabels }) =>
            Object.entries(matchLabels ?? {}).every(([key, value]) => metadata.labels?.[key] === value),
          ) === true,
      );
      const wanted = new Set(selected.flatMap((each) => text(each.rules)));
      if (wanted.size === 0 && !strict) return true;
      return JSON.stringify(text(rules).toSorted()) === JSON.stringify([...wanted].toSorted());
    });
}

// Pods with ephemeral volumes, and their claims.

const claimSpec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };

export interface VolumeParts {
  readonly labels?: object;
  readonly annotations?: object;
}

/** Creates a pod with ephemeral volumes of these names, and with others. */
export function makePod(
  stage: Stage,
  name: string,
  volumes: Readonly<Record<string, VolumeParts | "emptyDir" | "claim">>,
  metadata: object = {},
): Promise<unknown> {
  const sources = Object.entries(volumes).map(([volume, parts]) => ({
    name: volume,
    ...(parts === "emptyDir"
      ? { emptyDir: {} }
      : parts === "claim"
        ? { persistentVolumeClaim: { claimName: volume } }
        : { ephemeral: { volumeClaimTemplate: { metadata: parts, spec: claimSpec } } }),
  }));
  const spec = { containers: [{ name: "main", image: "main:1" }], volumes: sources };
  return stage.create("pods", { metadata: { name, ...metadata }, spec });
}

export function makeClaim(stage: Stage, name: string, metadata: object = {}): Promise<unknown> {
  return stage.create("persistentvolumeclaims", { metadata: { name, ...metadata }, spec: claimSpec });
}

/** Also removes the finalizers, because no controller here does. */
export async function endClaim(stage: Stage, name: string): Promise<void> {
  await stage.remove("persistentvolumeclaims", name);
  await stage.patch("persistentvolumeclaims", name, { metadata: { finalizers: null } });
}

interface VolumePod extends Named {
  readonly spec: { readonly volumes?: readonly { readonly name: string; readonly ephemeral?: object }[] };
}

async function haveClaims(stage: Stage): Promise<boolean> {
  const [pods, claims] = (await Promise.all([stage.list("pods"), stage.list("persistentvolumeclaims")])) as unknown as [
    readonly VolumePod[],
    readonly Named[],
  ];
  return pods
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .every(({ metadata: { name, uid }, spec }) => {
      for (const volume of spec.volumes ?? []) {
        if (volume.ephemeral === undefined) continue;
        const claim = claims.find(({ metadata }) => metadata.name === `${name}-${volume.name}`);
        if (claim === undefined) return false;
        // A claim with another owner blocks the volumes after it.
        if (claim.metadata.ownerReferences?.some((each) => each.uid === uid && each.controller === true) !== true)
          return true;
      }
      return true;
    });
}

interface MapObject extends Named {
  readonly data?: Readonly<Record<string, string>>;
}

async function isPublished(stage: Stage): Promise<boolean> {
  const [maps, accounts, { metadata }] = (await Promise.all([
    stage.list("configmaps"),
    stage.list("serviceaccounts"),
    stage.get("namespaces", stage.namespace),
  ])) as unknown as [readonly MapObject[], readonly Named[], Named];
  if (metadata.deletionTimestamp !== undefined) return true;
  if (!accounts.some((each) => each.metadata.name === accountName)) return false;
  const map = maps.find((each) => each.metadata.name === mapName);
  return (
    map !== undefined &&
    Object.keys(map.data ?? {}).join() === "ca.crt" &&
    map.data?.["ca.crt"]?.startsWith("-----BEGIN CERTIFICATE-----") === true &&
    (map.metadata.annotations?.[note] ?? "") !== ""
  );
}

// Nodes. No kubelet writes their status.

/** The annotation with the time for which a kubelet can cache Secrets. */
export const timeToLive = "node.alpha.kubernetes.io/ttl";

/** Whether each node has the value 0, in any notation: the clusters are small. */
async function haveTimesToLive(stage: Stage): Promise<boolean> {
  const nodes = (await stage.all(Nodes)) as unknown as readonly Named[];
  return nodes.every(({ metadata }) => /^[+-]?0+$/.test(metadata.annotations?.[timeToLive] ?? ""));
}

// Policies without a binding.

interface PolicyObject {
  readonly metadata: { readonly generation: number };
  readonly status?: { readonly observedGeneration?: number };
}

/** Whether the current generation of each policy was checked. */
async function areChecked(stage: Stage): Promise<boolean> {
  const policies = (await stage.all(ValidatingAdmissionPolicies)) as unknown as readonly PolicyObject[];
  return policies.every(({ metadata, status }) => metadata.generation === status?.observedGeneration);
}

interface Strictness {
  readonly strict: boolean;
}

/** Whether all of it is in the desired state, computed independently of the controllers. */
export async function isSettled(stage: Stage, strictness: Strictness): Promise<boolean> {
  const all = await Promise.all([
    isPublished(stage),
    areAggregated(stage, strictness),
    haveClaims(stage),
    haveTimesToLive(stage),
    areChecked(stage),
  ]);
  return all.every(Boolean);
}
