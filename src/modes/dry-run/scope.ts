/**
 * What a dry run knows about a cluster, and what it therefore leaves alone: only namespaces whose contents are completely known are
 * finalized.
 */
import type { ObjectKey } from "../../api/key.ts";
import type { StoredObject } from "../../api/object.ts";
import type { KindName } from "../../trace/names.ts";
import type { ControllerDefinition } from "../../controller/api/definition.ts";
import type { KnownCluster } from "../../controller/api/dry-run-part.ts";

/** Looks up one object; undefined if it does not exist. */
export type Lookup = (of: KindName, key: ObjectKey) => StoredObject | undefined;

/**
 * What a dry run knows about a cluster. A snapshot contains the objects of some namespaces and almost nothing of others, and no objects of
 * kinds that the sandbox does not serve.
 */
export interface Scope {
  /** The namespaces that were read; undefined if there are no others. */
  readonly namespaces: readonly string[] | undefined;
  /** Namespaces whose deletion cannot be simulated, with the reason: they contain, or may contain, unknown objects. */
  readonly held: ReadonlyMap<string, string>;
  /** Kinds that may have unknown objects, as `group/Kind`, with the reason: they cannot be read, or were not requested. */
  readonly unread: ReadonlyMap<string, string>;
  /** The same kinds as quotas name them: `secrets`, `deployments.apps`. */
  readonly uncounted: ReadonlySet<string>;
  /** Namespaces that exist only because objects name them, with the reason why that may be a mistake. Default: none. */
  readonly doubtful?: ReadonlyMap<string, string>;
  /**
   * The custom resource of the namespace whose spec has this name as a value, as `Certificate web`: its controller, which does not run
   * here, may create the object of that name. Undefined if there is none. Default: there is none.
   */
  readonly namedBy?: (namespace: string, name: string) => string | undefined;
}

/** The object that a reference names. */
export interface Target {
  readonly to: KindName;
  readonly namespace: string;
  readonly name: string;
}

/** Cluster-scoped kinds that belong to the cluster, not to the workload: manifests usually do not contain them. */
const clusterKinds = [
  "scheduling.k8s.io/PriorityClass",
  "node.k8s.io/RuntimeClass",
  "storage.k8s.io/StorageClass",
  "networking.k8s.io/IngressClass",
  "resource.k8s.io/DeviceClass",
  "/PersistentVolume",
];

/** For manifests alone: exactly the given objects, on a cluster about which nothing else is known. */
export const wholeCluster: Scope = {
  namespaces: undefined,
  held: new Map(),
  unread: new Map(clusterKinds.map((kind) => [kind, "no cluster was consulted"])),
  uncounted: new Set(),
};

/** Why it is unknown whether such an object exists; undefined if a missing object does not exist. */
export function whyUnknown(scope: Scope, { group, kind }: KindName, namespace: string): string | undefined {
  const unread = scope.unread.get(`${group}/${kind}`);
  if (unread !== undefined) return unread;
  return namespace === "" || isInScope(scope, namespace) ? undefined : "its namespace was not read";
}

/** The same for one object, which a controller that does not run here may create. */
export function whyTargetUnknown(scope: Scope, { to, namespace, name }: Target): string | undefined {
  const unknown = whyUnknown(scope, to, namespace);
  if (unknown !== undefined) return unknown;
  const by = scope.namedBy?.(namespace, name);
  return by === undefined ? undefined : `${by} names it, and the controller that may create it does not run here`;
}

/** Whether the namespace was read. */
export function isInScope({ namespaces }: Scope, name: string): boolean {
  return namespaces === undefined || namespaces.includes(name);
}

/** Why the controller never runs in a dry run, whatever is known; undefined if it runs when enough is known. */
export function whyLeftOut({ dryRun }: ControllerDefinition): string | undefined {
  return dryRun?.is === "left out" ? dryRun.why : undefined;
}

/** What is known, and whether nodes report, so that silent ones are detected. */
export interface Surroundings {
  readonly scope: Scope;
  readonly nodesReport: boolean;
}

/** The controllers as they run in a dry run (see `DryRunPart`), without those that do not. */
export function withinScope(
  controllers: readonly ControllerDefinition[],
  { scope, nodesReport }: Surroundings,
): ControllerDefinition[] {
  const known = knownIn(scope);
  return controllers.flatMap((controller) => {
    const { dryRun } = controller;
    switch (dryRun?.is) {
      case undefined:
        return controller;
      case "left out":
        return [];
      case "about nodes":
        // Without reports, each node would seem silent, and nodes may be unknown: that is not the effect of a change.
        return nodesReport ? controller : [];
      case "limited":
        return {
          ...controller,
          async sync(key, context) {
            return dryRun.knowsEnough(known, key, context) ? controller.sync(key, context) : undefined;
          },
        };
      case "adapted":
        return { ...controller, sync: (key, context) => dryRun.sync(key, context) };
    }
  });
}

function knownIn(scope: Scope): KnownCluster {
  return {
    knowsAll(kind, namespace) {
      const isEverywhere = kind.namespaced && namespace === undefined;
      return (
        whyUnknown(scope, kind, namespace ?? "") === undefined && (!isEverywhere || scope.namespaces === undefined)
      );
    },
    knowsResource: (name) => !scope.uncounted.has(name),
    knowsNamespace: (name) => isInScope(scope, name) && !scope.held.has(name),
  };
}
