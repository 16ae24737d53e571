/** Pods with claims, for our scheduler and the real one. Nothing binds claims: the cases define them. */
import type { Kind } from "../../../src/api/kind.ts";
import { PersistentVolumeClaims, PersistentVolumes, StorageClasses } from "../../../src/api/kinds.ts";
import type { CreateInput, StoredObject } from "../../../src/api/object.ts";
import type { NodeParts } from "../../support/pods.ts";
import { type Named, type Placing, specOf } from "./placings.ts";

/** A storage object whose name is unique among all cases. */
export interface Stored {
  readonly kind: Kind;
  readonly object: CreateInput<StoredObject> & {
    readonly metadata: { readonly name: string };
    readonly [field: string]: unknown;
  };
  readonly status?: object;
  /** The object is being deleted, but a finalizer keeps it. */
  readonly isDeleted?: true;
}

export interface StoragePlacing extends Placing {
  readonly storage: readonly Stored[];
}

const two: Named<NodeParts> = [
  ["a", { labels: { zone: "one" } }],
  ["b", { labels: { zone: "two" } }],
];

const bindCompleted = { "pv.kubernetes.io/bind-completed": "yes" };

interface ClaimParts {
  readonly spec?: object;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly phase?: string;
}

function claim(name: string, { spec = {}, annotations = {}, phase = "Pending" }: ClaimParts = {}): Stored {
  return {
    kind: PersistentVolumeClaims,
    object: {
      metadata: { name, namespace: "default", annotations, finalizers: ["example.com/hold"] },
      spec: {
        accessModes: ["ReadWriteOnce"],
        storageClassName: "",
        resources: { requests: { storage: "1Gi" } },
        ...spec,
      },
    },
    status: { phase },
  };
}

const boundTo = (volumeName: string): ClaimParts => ({
  spec: { volumeName },
  annotations: bindCompleted,
  phase: "Bound",
});

function volume(name: string, zone: string): Stored {
  const matchExpressions = [{ key: "zone", operator: "In", values: [zone] }];
  return {
    kind: PersistentVolumes,
    object: {
      metadata: { name },
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        csi: { driver: "example.com", volumeHandle: name },
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } },
      },
    },
  };
}

const storageClass = (name: string, more: object): Stored => ({
  kind: StorageClasses,
  object: { metadata: { name }, provisioner: "kubernetes.io/no-provisioner", ...more },
});

const using = (claimName: string): Placing["pod"] =>
  specOf({ volumes: [{ name: "data", persistentVolumeClaim: { claimName } }] });
const nowhere = (why: string): string => `0/2 nodes are available: ${why}.`;

export const storagePlacings: readonly StoragePlacing[] = [
  {
    name: "a claim that does not exist",
    nodes: two,
    storage: [],
    pod: using("none"),
    message: nowhere('persistentvolumeclaim "none" not found'),
  },
  {
    name: "a claim that is not bound",
    nodes: two,
    storage: [claim("open")],
    pod: using("open"),
    message: nowhere("pod has unbound immediate PersistentVolumeClaims"),
  },
  {
    name: "a claim that is being deleted",
    nodes: two,
    storage: [{ ...claim("leaving", boundTo("leaving")), isDeleted: true }],
    pod: using("leaving"),
    message: nowhere('persistentvolumeclaim "leaving" is being deleted'),
  },
  {
    name: "a claim that is Lost",
    nodes: two,
    storage: [claim("lost", { ...boundTo("gone"), phase: "Lost" })],
    pod: using("lost"),
    message: nowhere('persistentvolumeclaim "lost" bound to non-existent persistentvolume "gone"'),
  },
  {
    name: "an ephemeral volume whose claim is not there yet",
    nodes: two,
    storage: [],
    pod: specOf({
      volumes: [
        {
          name: "tmp",
          ephemeral: {
            volumeClaimTemplate: {
              spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
            },
          },
        },
      ],
    }),
    message: nowhere('waiting for ephemeral volume controller to create the persistentvolumeclaim "pod-tmp"'),
  },
  {
    name: "a volume that one node can reach",
    nodes: two,
    storage: [volume("in-two", "two"), claim("two", boundTo("in-two"))],
    pod: using("two"),
    node: "b",
  },
  {
    name: "a volume that no node can reach",
    nodes: two,
    storage: [volume("in-three", "three"), claim("three", boundTo("in-three"))],
    pod: using("three"),
    message: nowhere("2 node(s) didn't match PersistentVolume's node affinity"),
  },
  {
    name: "a volume that does not exist",
    nodes: two,
    storage: [claim("nothing", boundTo("no-volume"))],
    pod: using("nothing"),
    message: nowhere('persistentvolume "no-volume" not found'),
  },
  {
    name: "a claim that waits for a node, and no volume",
    nodes: two,
    storage: [
      storageClass("late", { volumeBindingMode: "WaitForFirstConsumer" }),
      claim("late", { spec: { storageClassName: "late" } }),
    ],
    pod: using("late"),
    message: nowhere("2 node(s) didn't find available persistent volumes to bind"),
  },
  {
    name: "a claim that waits for a node, of a class that serves other nodes",
    nodes: two,
    storage: [
      storageClass("far", {
        provisioner: "example.com/disks",
        volumeBindingMode: "WaitForFirstConsumer",
        allowedTopologies: [{ matchLabelExpressions: [{ key: "zone", values: ["three"] }] }],
      }),
      claim("far", { spec: { storageClassName: "far" } }),
    ],
    pod: using("far"),
    message: nowhere("2 node(s) didn't find available persistent volumes to bind"),
  },
];
