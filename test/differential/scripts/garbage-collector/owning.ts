/** Building blocks for the garbage collector's scripts: ConfigMaps and other objects that own each other. */
import { apiVersionOf, type Kind } from "../../../../src/api/kind.ts";
import { known, type ResourceName } from "../../kinds.ts";
import type { Json } from "../../objects.ts";
import type { Stage } from "../../stage.ts";
import type { Step } from "../../suite.ts";

/** An owner reference as written by a script. */
export interface Reference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly blockOwnerDeletion?: boolean;
  readonly controller?: boolean;
}

export type Policy = "Background" | "Foreground" | "Orphan";

/** Creates the owner references of an object on a stage. */
export type Owners = (stage: Stage) => Promise<readonly Reference[]>;

function kindOf(resource: ResourceName | Kind): Kind {
  return typeof resource === "string" ? known[resource] : resource;
}

/** Returns the name of an object on a stage. The name of a cluster-scoped object contains the stage's name. */
export function nameOn(stage: Stage, resource: ResourceName | Kind, name: string): string {
  return kindOf(resource).namespaced ? name : `${stage.namespace}-${name}`;
}

/** Returns a reference to an existing object, which blocks unless `rest` says otherwise. */
export async function to(
  stage: Stage,
  name: string,
  resource: ResourceName | Kind = "configmaps",
  rest: Partial<Reference> = {},
): Promise<Reference> {
  const kind = kindOf(resource);
  const object = await stage.get(resource, nameOn(stage, resource, name));
  const { uid } = object["metadata"] as { readonly uid: string };
  return {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    name: nameOn(stage, resource, name),
    uid,
    blockOwnerDeletion: true,
    ...rest,
  };
}

/** References to existing ConfigMaps. */
export function owned(...names: readonly string[]): Owners {
  return (stage) => Promise.all(names.map((name) => to(stage, name)));
}

/** A reference to an object that never existed. Its uid is unique to the stage, because absent owners are cached. */
export function toNobody(stage: Stage, rest: Partial<Reference> = {}): Reference {
  return { apiVersion: "v1", kind: "ConfigMap", name: "nobody", uid: `nobody-on-${stage.namespace}`, ...rest };
}

export interface Making {
  readonly resource?: ResourceName | Kind;
  readonly owners?: Owners;
  readonly finalizers?: readonly string[];
}

/** The required content of an object of the kind, in addition to its metadata. */
const contents: Partial<Record<ResourceName, object>> = {
  priorityclasses: { value: 7 },
  clusterroles: { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] },
  pods: { spec: { containers: [{ name: "main", image: "main:1" }] } },
  replicasets: {
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: "a" } },
      template: { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "main", image: "main:1" }] } },
    },
  },
};

export async function make(
  stage: Stage,
  name: string,
  { resource = "configmaps", owners, finalizers }: Making = {},
): Promise<Json> {
  const kind = kindOf(resource);
  const ownerReferences = await owners?.(stage);
  return stage.create(resource, {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: {
      name: nameOn(stage, resource, name),
      ...(ownerReferences !== undefined && { ownerReferences }),
      ...(finalizers !== undefined && { finalizers }),
    },
    ...(typeof resource === "string" && contents[resource]),
  });
}

/** A step that creates objects one after the other: ConfigMaps by default, with their owners. */
export function making(name: string, objects: Readonly<Record<string, Owners | Making | undefined>>): Step {
  return {
    name,
    async act(stage) {
      for (const [each, how] of Object.entries(objects)) {
        await make(stage, each, typeof how === "function" ? { owners: how } : how);
      }
    },
  };
}

export function deleting(name: string, policy: Policy, resource: ResourceName | Kind = "configmaps"): Step {
  return {
    name: `delete ${name} with ${policy}`,
    act: (stage) => stage.remove(resource, nameOn(stage, resource, name), { propagationPolicy: policy }),
  };
}

/** A step that patches the metadata of an object. */
export function changing(
  name: string,
  what: string,
  metadata: object | ((stage: Stage) => Promise<object>),
  resource: ResourceName = "configmaps",
): Step {
  return {
    name: `${name}: ${what}`,
    act: async (stage) => {
      const change = typeof metadata === "function" ? await metadata(stage) : metadata;
      return stage.patch(resource, nameOn(stage, resource, name), { metadata: change });
    },
  };
}

export const hold: readonly string[] = ["example.com/hold"];

/** A step that removes the finalizers of a ConfigMap. */
export function releasing(name: string): Step {
  return changing(name, "remove its finalizers", { finalizers: null });
}
