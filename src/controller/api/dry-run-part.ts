/** How a controller takes part in a dry run, which copies only some of a cluster's objects. */
import type { ObjectKey } from "../../api/key.ts";
import type { Kind } from "../../api/kind.ts";
import type { SyncContext, SyncResult } from "./sync-context.ts";

/** What a dry run knows of a cluster: the namespaces that it has read, and a few kinds without a namespace. */
export interface KnownCluster {
  /** Whether it knows all objects of a kind: those in the namespace, or all. */
  knowsAll(kind: Kind, namespace?: string): boolean;
  /** The same, of the namespaces that it has read, for a kind as quotas name it: `secrets`, `deployments.apps`. */
  knowsResource(name: string): boolean;
  /** Whether it knows everything in a namespace. */
  knowsNamespace(name: string): boolean;
}

/** A controller's part in a dry run, if it does not do there what it does in a cluster. */
export type DryRunPart =
  /** It does not run, because what it does would have no effect there, or a wrong one: `it only removes tokens that have expired`. */
  | { readonly is: "left out"; readonly why: string }
  /** It acts on nodes that stop reporting: it runs only if nodes do report there, because the dry run is about a node. */
  | { readonly is: "about nodes" }
  /**
   * It syncs a key only if enough is known: a controller that deletes what nothing uses must know everything that could use it. The context
   * has the copied objects.
   */
  | {
      readonly is: "limited";
      /** In a few words, for users: `claims in namespaces whose pods were read`. */
      readonly to: string;
      knowsEnough(known: KnownCluster, key: ObjectKey, context: Pick<SyncContext, "cache">): boolean;
    }
  /** Its syncs differ: `it scales only within its bounds, since what pods would use is unknown`. */
  | {
      readonly is: "adapted";
      readonly why: string;
      sync(key: ObjectKey, context: SyncContext): Promise<SyncResult | void>;
    };
