/** Volumes of CSI drivers on nodes. Scripts write what the driver and the kubelets would. */
import { Nodes, Pods, VolumeAttachments } from "../../../src/api/kinds.ts";
import { attachmentName } from "../../../src/controllers/persistentvolume-attach-detach/attachable.ts";
import { persistentVolumeAttachDetach } from "../../../src/controllers/persistentvolume-attach-detach/persistentvolume-attach-detach.ts";
import { type Allowed, ownFieldManager } from "../differences.ts";
import { type AnyObject, type Json, podState } from "../objects.ts";
import { driverName, handleOf } from "../scripts/persistentvolume-attach-detach/acts.ts";
import { randomScript } from "../scripts/persistentvolume-attach-detach/grammar.ts";
import { scripts } from "../scripts/persistentvolume-attach-detach/index.ts";
import type { Suite } from "../suite.ts";
import { standing } from "../normalize.ts";
import type { Names } from "../step-record.ts";

interface NodeObject extends AnyObject {
  readonly spec: Json;
  readonly status?: { readonly volumesAttached?: readonly { readonly name: string }[] };
}

/** The parts of a node that are compared. Volumes are sorted, because upstream writes them in the order of a Go map. */
function nodeState(object: AnyObject): Json {
  const { metadata, spec, status } = object as NodeObject;
  const attached = (status?.volumesAttached ?? []).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return { name: metadata.name, taints: spec["taints"], attached };
}

interface AttachmentObject extends AnyObject {
  readonly spec: {
    readonly attacher: string;
    readonly nodeName: string;
    readonly source: { readonly persistentVolumeName?: string };
  };
}

/** Replaces the names of VolumeAttachments, which are hashes, by what they are computed from. */
function learnNames(names: Names, attachments: readonly AnyObject[]): void {
  for (const object of attachments) {
    const { metadata, spec } = object as AttachmentObject;
    const volume = spec.source.persistentVolumeName ?? "";
    const claim = volume.slice(volume.lastIndexOf(`${names.namespace}-`) + names.namespace.length + 1);
    const stage = { namespace: names.namespace };
    const made = ["", "other-"].some((prefix) => {
      const handle = handleOf(stage, claim.startsWith(prefix) ? claim.slice(prefix.length) : claim);
      return attachmentName({ driver: driverName(stage), handle }, spec.nodeName) === metadata.name;
    });
    const stable = `csi-of-${volume}-on-${spec.nodeName}${made ? "" : "-by-another-hash"}`;
    names.generated.set(metadata.name, stable.replaceAll(names.namespace, "NAMESPACE"));
  }
}

const again: Allowed = {
  id: "the count of an Event",
  category: "noise",
  upstream: "pkg/volume/util/nestedpendingoperations/nestedpendingoperations.go:Run",
  why: "failed operations are retried with back-off, and record it each time",
  matches: ({ what }) => what === "patch Event 200",
};

const inAnyOrder: Allowed = {
  id: "the pods that have a volume, in different order",
  category: "noise",
  upstream: "pkg/controller/volume/attachdetach/cache/desired_state_of_world.go:GetVolumePodsOnNodes",
  why: "upstream lists them in the order of a Go map, ours by name",
  matches: ({ what, theirs, ours }) =>
    what === "Event Warning" &&
    [theirs, ours].every(
      (one) => one === undefined || JSON.stringify(one).includes("Volume is already used by pod(s) "),
    ),
};

const detachedTwice: Allowed = {
  id: "a VolumeAttachment is deleted twice",
  category: "noise",
  upstream: "pkg/controller/volume/attachdetach/reconciler/reconciler.go:reconcile",
  why: "a failed deletion is retried with back-off: how often is random, and the last attempt may get 404",
  matches: ({ what }) => what.startsWith("delete volumeattachments"),
};

export const attachDetach: Suite = {
  name: "persistentvolume-attach-detach",
  oracle: "persistentvolume-attach-detach-controller",
  // Checks every two seconds instead of every minute whether volumes are still attached.
  oracleFlags: ["--attach-detach-reconcile-sync-period=2s"],
  ours: [persistentVolumeAttachDetach],
  // Scripts bind claims, and create those of ephemeral volumes; nodes have no heartbeats.
  runsWithout: ["ephemeral-volume", "node-lifecycle", "persistentvolume-binder"],
  kinds: [
    { kind: VolumeAttachments, compared: standing },
    { kind: Nodes, compared: nodeState },
    { kind: Pods, compared: podState },
  ],
  learn: (names, objects) => learnNames(names, objects(VolumeAttachments)),
  repeated: (what) => what === "delete volumeattachments.storage.k8s.io 200",
  // Upstream checks every 100 ms what has to be done, and every 500 ms or more what a driver has done.
  quietMs: 3000,
  scripts,
  random: randomScript,
  randomSteps: 12,
  seeds: { short: 5, long: 100 },
  width: 16,
  differences: [ownFieldManager, again, inAnyOrder, detachedTwice],
};
