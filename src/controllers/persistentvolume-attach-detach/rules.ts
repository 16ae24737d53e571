/** The rules of attaching and detaching, in the order in which a node's sync evaluates them. */
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";

interface VolumeFacts extends Facts {
  readonly volume: string;
}

interface AttachmentFacts extends VolumeFacts {
  readonly attachment: string;
}

interface FailureFacts extends VolumeFacts {
  readonly why: string;
  readonly retryMs: number;
}

const attachments = "VolumeAttachments: status.attached, attachError, detachError, metadata.deletionTimestamp";
const disk = "disk-1";
const attachment = "csi-0f3a";
const unique = "kubernetes.io/csi/disks.example.com^vol-1";

/** A driver has attached the volume. */
export const attached: Rule<VolumeFacts> = rule<VolumeFacts>({
  id: "attached",
  looksAt: [attachments],
  chooses:
    "A volume is attached once its VolumeAttachment says so; iSCSI and Fibre Channel volumes count as attached at once.",
  sentence: ({ volume }) => `${volume} is attached → record Events on its pods`,
  example: { volume: disk },
  source: "operation_generator.go GenerateAttachVolumeFunc; csi_attacher.go verifyAttachmentStatus",
});

/** The volume could not be attached. */
export const attachFailed: Rule<FailureFacts> = rule<FailureFacts>({
  id: "attach-failed",
  looksAt: [attachments],
  chooses:
    "An attempt to attach ends when the driver reports an error, the VolumeAttachment is being deleted, or two minutes have passed; the next attempt follows after 0.5 s, doubled each time, up to 122 s.",
  sentence: ({ volume, why, retryMs }) =>
    `${volume} was not attached: ${why} → record Events on its pods, retry in ${retryMs / 1000} s`,
  example: { volume: disk, why: "no such disk", retryMs: 500 },
  source: "csi_attacher.go waitForVolumeAttachmentWithLister; exponential_backoff.go",
});

/** The volume is detached from the node. */
export const detached: Rule<VolumeFacts> = rule<VolumeFacts>({
  id: "detached",
  looksAt: [attachments],
  chooses: "A volume is detached once its VolumeAttachment is gone.",
  sentence: ({ volume }) => `${volume} is detached: its VolumeAttachment is gone`,
  example: { volume: disk },
  source: "csi_attacher.go waitForVolumeDetachmentWithLister",
});

/** The volume could not be detached. */
export const detachFailed: Rule<FailureFacts> = rule<FailureFacts>({
  id: "detach-failed",
  looksAt: [attachments, "status.volumesInUse of the node, as the API server has it"],
  chooses:
    "An attempt to detach ends when the driver reports an error, the node still uses the volume, or two minutes have passed: whether it is still attached is then unknown. The next attempt follows with back-off, as for attaching.",
  sentence: ({ volume, why, retryMs }) => `${volume} was not detached: ${why} → retry in ${retryMs / 1000} s`,
  example: { volume: disk, why: "the disk is busy", retryMs: 500 },
  source: "operation_generator.go GenerateDetachVolumeFunc, verifyVolumeIsSafeToDetach",
});

/** The VolumeAttachment reports that it is no longer attached. */
export const lost: Rule<VolumeFacts> = rule<VolumeFacts>({
  id: "lost",
  looksAt: [attachments],
  chooses: "A volume whose VolumeAttachment is gone, or no longer says that it is attached, is no longer attached.",
  sentence: ({ volume }) => `${volume} is no longer attached, without anybody here having detached it`,
  example: { volume: disk },
  source: "operation_generator.go GenerateVolumesAreAttachedFunc; csi_attacher.go VolumesAreAttached",
});

/** The kubelet still uses the volume. */
export const inUse: Rule<VolumeFacts> = rule<VolumeFacts>({
  id: "in-use",
  looksAt: ["status.volumesInUse, the condition Ready and the taints of the node"],
  chooses:
    "No volume is detached while its node reports it in use, unless the node is out of service, or is still not ready after 6 minutes.",
  sentence: ({ volume }) => `no pod needs ${volume}, and the node still has it in use → wait`,
  example: { volume: disk },
  source: "reconciler.go reconcile",
});

/** A volume of a plugin that is gone. */
export const unknownPlugin: Rule<VolumeFacts> = rule<VolumeFacts>({
  id: "unknown-plugin",
  looksAt: ["status.volumesAttached of the node"],
  chooses: "A volume of a plugin that no longer exists cannot be detached.",
  sentence: ({ volume }) => `no plugin can detach ${volume} → leave it`,
  example: { volume: "kubernetes.io/gone/disk" },
  source: "operation_generator.go GenerateDetachVolumeFunc",
});

interface DetachFacts extends VolumeFacts {
  readonly why: "unused" | "timeout" | "out-of-service";
}

const detachReasons: Readonly<Record<DetachFacts["why"], string>> = {
  unused: "no pod on the node needs it",
  timeout: "no pod on the node needs it, for 6 minutes",
  "out-of-service": "no pod on the node needs it, and the node is out of service",
};

/** A volume that no pod needs is detached from its node. */
export const detach: Rule<DetachFacts> = rule<DetachFacts>({
  id: "detach",
  looksAt: [
    "pods of the node, their claims and volumes",
    "status.volumesInUse and status.volumesAttached of the node, its taints and its condition Ready",
  ],
  chooses:
    "A volume that no pod on its node needs any more is first removed from the node's status and then detached: its VolumeAttachment is deleted.",
  sentence: ({ volume, why }) => `${volume}: ${detachReasons[why]} → remove it from the node's status, and detach it`,
  example: { volume: disk, why: "unused" },
  source: "reconciler.go reconcile; csi_attacher.go Detach",
});

interface MultiAttachFacts extends VolumeFacts {
  readonly nodes: readonly string[];
}

/** Another node has an exclusive volume. */
export const multiAttach: Rule<MultiAttachFacts> = rule<MultiAttachFacts>({
  id: "multi-attach",
  looksAt: ["spec.accessModes of the volume", "the nodes to which it is attached"],
  chooses:
    "A volume with only ReadWriteOnce or ReadWriteOncePod is attached to one node at a time; its pods on other nodes get an Event, once.",
  sentence: ({ volume, nodes }) =>
    `${volume} is attached to ${nodes.join(", ")}, and can be attached to only one node at a time → wait`,
  example: { volume: disk, nodes: ["node-2"] },
  source: "reconciler.go attachDesiredVolumes, reportMultiAttachError",
});

interface WaitFacts extends VolumeFacts {
  readonly why: "another" | "back-off" | "leaving";
}

const waits: Readonly<Record<WaitFacts["why"], string>> = {
  another: "it is being attached or detached",
  "back-off": "the last attempt failed",
  leaving: "the node that has it does not need it",
};

/** Another operation on the volume comes first. */
export const waitTurn: Rule<WaitFacts> = rule<WaitFacts>({
  id: "wait-turn",
  looksAt: ["what is being attached and detached, and what failed before"],
  chooses:
    "An exclusive volume has at most one operation at a time in the cluster, any other volume one per node; failed operations wait for their back-off.",
  sentence: ({ volume, why }) => `${volume}: ${waits[why]} → wait`,
  example: { volume: disk, why: "another" },
  source: "nestedpendingoperations.go IsOperationPending, IsOperationSafeToRetry",
});

/** A volume that a pod needs is attached. */
export const attach: Rule<AttachmentFacts> = rule<AttachmentFacts>({
  id: "attach",
  looksAt: [
    "pods of the node, their claims and volumes",
    "CSIDrivers: spec.attachRequired",
    "VolumeAttachments, by the name derived from volume handle, driver and node",
  ],
  chooses:
    "Each CSI volume that a pod on a node needs, and whose driver attaches volumes, has a VolumeAttachment; the driver does the rest.",
  sentence: ({ volume, attachment: name }) => `a pod needs ${volume}, and it is not attached → create ${name}`,
  example: { volume: disk, attachment },
  source: "reconciler.go attachDesiredVolumes; csi_attacher.go Attach",
});

/** Its VolumeAttachment exists. */
export const awaitAttach: Rule<AttachmentFacts> = rule<AttachmentFacts>({
  id: "await-attach",
  looksAt: [attachments],
  chooses: "Until the VolumeAttachment reports success or an error, the controller waits for the driver.",
  sentence: ({ volume, attachment: name }) =>
    `a pod needs ${volume} → wait for its driver to attach it, as ${name} asks`,
  example: { volume: disk, attachment },
  source: "csi_attacher.go waitForVolumeAttachmentWithLister",
});

interface ReportFacts extends Facts {
  readonly volumes: readonly string[];
}

/** The node's status reports what is attached. */
export const report: Rule<ReportFacts> = rule<ReportFacts>({
  id: "report",
  looksAt: ["status.volumesAttached of the node"],
  chooses: "The status of a node lists the volumes that are certainly attached and not being detached.",
  sentence: ({ volumes }) =>
    `report as attached in the node's status: ${volumes.length === 0 ? "nothing" : volumes.join(", ")}`,
  example: { volumes: [unique] },
  source: "statusupdater/node_status_updater.go",
});

/** All of them. */
export const rules: readonly Rule[] = [
  attached,
  attachFailed,
  detached,
  detachFailed,
  lost,
  inUse,
  unknownPlugin,
  detach,
  waitTurn,
  multiAttach,
  attach,
  awaitAttach,
  report,
];
