/** The rules of the binder, in the order in which syncs of claims and volumes evaluate them. */
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";

const claimAndVolumes = [
  "spec.volumeName, storageClassName, accessModes, volumeMode, selector and resources.requests.storage",
  "PersistentVolumes: spec.claimRef, capacity, accessModes, volumeMode, storageClassName, status.phase and labels",
];

interface MigratedFacts extends Facts {
  readonly provisioner: string;
  /** Empty: not migrated to a driver. */
  readonly driver: string;
}

/** A claim or volume of an in-tree plugin names the CSI driver that replaces the plugin. */
export const migrated: Rule<MigratedFacts> = rule<MigratedFacts>({
  id: "migrated",
  looksAt: ["the annotations of the provisioner", "the annotation pv.kubernetes.io/migrated-to"],
  chooses: "A claim or volume of an in-tree plugin that has been migrated names its CSI driver; any other names none.",
  sentence: ({ provisioner, driver }) =>
    driver === ""
      ? `${provisioner} is not migrated to a CSI driver → remove the annotation that names one`
      : `${provisioner} is migrated to ${driver} → annotate it`,
  example: { provisioner: "kubernetes.io/aws-ebs", driver: "ebs.csi.aws.com" },
  source: "pv_controller_base.go updateMigrationAnnotations",
});

interface FinalizersFacts extends Facts {
  readonly provisioner: string;
  readonly finalizers: readonly string[];
}

/** A provisioned volume gets the finalizer of the component that deletes it. */
export const finalizersFollow: Rule<FinalizersFacts> = rule<FinalizersFacts>({
  id: "finalizers",
  looksAt: [
    "metadata.finalizers",
    "spec.persistentVolumeReclaimPolicy",
    "the annotation pv.kubernetes.io/provisioned-by",
  ],
  chooses:
    "A volume that an in-tree plugin provisioned has the controller's finalizer while its policy is Delete, and no finalizer of another provisioner.",
  sentence: ({ provisioner, finalizers }) =>
    `provisioned by ${provisioner} → its finalizers become ${finalizers.length === 0 ? "none" : finalizers.join(", ")}`,
  example: { provisioner: "kubernetes.io/host-path", finalizers: ["kubernetes.io/pv-controller"] },
  source: "pv_controller_base.go modifyDeletionFinalizers",
});

interface BindFacts extends Facts {
  readonly volume: string;
  readonly why: "smallest" | "reserved" | "named" | "unfinished";
}

const bindReasons: Readonly<Record<BindFacts["why"], string>> = {
  smallest: "it is the smallest volume that is free and suits",
  reserved: "it is reserved for this claim",
  named: "the claim names it, and it is free",
  unfinished: "they were bound before",
};

/** A claim gets a volume. */
export const bindVolume: Rule<BindFacts> = rule<BindFacts>({
  id: "bind",
  looksAt: claimAndVolumes,
  chooses:
    "A claim is bound to the volume that it names, or that is reserved for it, or else to the smallest available one that matches. A claim of a class with WaitForFirstConsumer is bound only to a named or reserved volume.",
  sentence: ({ volume, why }) => `${volume}: ${bindReasons[why]} → bind it`,
  example: { volume: "disk-1", why: "smallest" },
  source: "pv_controller.go syncUnboundClaim, syncBoundClaim; pv_helpers.go FindMatchingVolume",
});

interface ClassFacts extends Facts {
  readonly storageClass: string;
}

/** A claim without a class gets the default one. */
export const defaultClass: Rule<ClassFacts> = rule<ClassFacts>({
  id: "default-class",
  looksAt: ["spec.storageClassName", "StorageClasses: the annotation storageclass.kubernetes.io/is-default-class"],
  chooses: "A claim without a class that finds no volume gets the default class once there is one.",
  sentence: ({ storageClass }) => `no class, no volume that suits → give it the default class ${storageClass}`,
  example: { storageClass: "standard" },
  source: "pv_controller.go assignDefaultStorageClass",
});

interface WaitFacts extends ClassFacts {
  /** The pods that use the claim and have no node. */
  readonly pods: readonly string[];
}

/** A claim waits for the scheduler. */
export const firstConsumer: Rule<WaitFacts> = rule<WaitFacts>({
  id: "first-consumer",
  looksAt: [
    "StorageClasses: volumeBindingMode",
    "the annotation volume.kubernetes.io/selected-node",
    "pods that use the claim",
  ],
  chooses:
    "A claim of a class with WaitForFirstConsumer waits until the scheduler has chosen a node for a pod that uses it.",
  sentence: ({ storageClass, pods }) =>
    pods.length === 0
      ? `class ${storageClass} waits for the first pod that uses it, and there is none → stay Pending`
      : `class ${storageClass} waits until a node is chosen for ${pods.join(", ")} → stay Pending`,
  example: { storageClass: "standard", pods: ["db-0"] },
  source: "pv_controller.go emitEventForUnboundDelayBindingClaim",
});

interface ProvisionFacts extends ClassFacts {
  readonly provisioner: string;
}

/** A claim is provisioned externally. */
export const provisionExternally: Rule<ProvisionFacts> = rule<ProvisionFacts>({
  id: "provision-externally",
  looksAt: ["spec.storageClassName", "StorageClasses: provisioner"],
  chooses: "A claim that finds no volume is annotated with the provisioner of its class, which creates one.",
  sentence: ({ storageClass, provisioner }) =>
    `no volume that suits; class ${storageClass} is provisioned by ${provisioner} → name it in the claim, and wait`,
  example: { storageClass: "standard", provisioner: "rancher.io/local-path" },
  source: "pv_controller.go provisionClaimOperationExternal",
});

interface FailureFacts extends Facts {
  readonly error: string;
}

/** A claim's class cannot provision. */
export const cannotProvision: Rule<FailureFacts> = rule<FailureFacts>({
  id: "cannot-provision",
  looksAt: provisionExternally.looksAt,
  chooses: "A claim whose class does not exist, or whose provisioner creates no volumes, waits; an Event says why.",
  sentence: ({ error }) => `no volume that suits, and none can be provisioned: ${error} → wait`,
  example: { error: 'storageclass.storage.k8s.io "fast" not found' },
  source: "pv_controller.go provisionClaim, findProvisionablePlugin",
});

/** A claim finds nothing. */
export const noVolume: Rule<Facts> = rule<Facts>({
  id: "no-volume",
  looksAt: claimAndVolumes,
  chooses: "A claim without a class that finds no volume waits for one.",
  sentence: () => "no volume suits, and no class is set that could provide one → stay Pending",
  example: {},
  source: "pv_controller.go syncUnboundClaim",
});

interface NamedFacts extends Facts {
  readonly volume: string;
  readonly why: string;
}

/** The volume that a claim names is unavailable. */
export const cannotBind: Rule<NamedFacts> = rule<NamedFacts>({
  id: "cannot-bind",
  looksAt: claimAndVolumes,
  chooses:
    "A claim that names a volume waits while the volume does not exist, does not match, or is bound to another claim.",
  sentence: ({ volume, why }) => `it names volume ${volume}, which ${why} → stay Pending`,
  example: { volume: "disk-1", why: "does not exist" },
  source: "pv_controller.go syncUnboundClaim, checkVolumeSatisfyClaim",
});

interface LostFacts extends Facts {
  /** Empty: the claim no longer names one. */
  readonly volume: string;
  readonly why: string;
}

/** A bound claim has lost its volume. */
export const lost: Rule<LostFacts> = rule<LostFacts>({
  id: "lost",
  looksAt: ["spec.volumeName", "the annotation pv.kubernetes.io/bind-completed", "PersistentVolumes: spec.claimRef"],
  chooses:
    "A claim that was bound is Lost if it no longer names a volume, or names one that does not exist or belongs to another claim.",
  sentence: ({ volume, why }) => `it was bound${volume === "" ? "" : ` to ${volume}`}: ${why} → phase Lost`,
  example: { volume: "disk-1", why: "that volume does not exist" },
  source: "pv_controller.go syncBoundClaim",
});

interface PhaseFacts extends Facts {
  /** `namespace/name`; empty for none. */
  readonly claim: string;
}

/** A volume is free, or reserved. */
export const available: Rule<PhaseFacts> = rule<PhaseFacts>({
  id: "available",
  looksAt: ["spec.claimRef", "status.phase"],
  chooses: "A volume without a claim, or reserved for one that it is not bound to yet, is Available.",
  sentence: ({ claim }) => `${claim === "" ? "no claim" : `reserved for ${claim}, not bound yet`} → phase Available`,
  example: { claim: "" },
  source: "pv_controller.go syncVolume",
});

/** A volume waits for its claim to be bound. */
export const claimFirst: Rule<PhaseFacts> = rule<PhaseFacts>({
  id: "claim-first",
  looksAt: ["spec.claimRef", "the claim's spec.volumeName"],
  chooses: "If the volume names the claim, but the claim names no volume yet, the claim is synced.",
  sentence: ({ claim }) => `it is for ${claim}, which names no volume yet → sync the claim`,
  example: { claim: "shop/data" },
  source: "pv_controller.go syncVolume",
});

/** A volume and its claim differ in volume mode. */
export const modeMismatch: Rule<PhaseFacts> = rule<PhaseFacts>({
  id: "mode-mismatch",
  looksAt: ["spec.volumeMode", "the claim's spec.volumeMode"],
  chooses: "A volume whose mode differs from that of the claim it names is not bound; Events on both say so.",
  sentence: ({ claim }) => `${claim} requests another volumeMode → leave them unbound`,
  example: { claim: "shop/data" },
  source: "pv_controller.go syncVolume",
});

/** A volume is bound. */
export const boundVolume: Rule<PhaseFacts> = rule<PhaseFacts>({
  id: "bound",
  looksAt: ["spec.claimRef", "the claim's spec.volumeName", "status.phase"],
  chooses: "A volume and a claim that name each other are bound.",
  sentence: ({ claim }) => `it and ${claim} name each other → phase Bound`,
  example: { claim: "shop/data" },
  source: "pv_controller.go syncVolume",
});

interface ReleaseFacts extends PhaseFacts {
  readonly policy: string;
  readonly why: "gone" | "elsewhere";
}

/** A volume has lost its claim. */
export const released: Rule<ReleaseFacts> = rule<ReleaseFacts>({
  id: "released",
  looksAt: ["spec.claimRef.uid", "the claim, in the cache and on the API server", "spec.persistentVolumeReclaimPolicy"],
  chooses:
    "A volume is Released if its claim is gone, or if it was provisioned for a claim that is bound to another volume.",
  sentence: ({ claim, policy, why }) =>
    `claim ${claim} ${why === "gone" ? "is gone" : "is bound to another volume"} → phase Released, then policy ${policy}`,
  example: { claim: "shop/data", policy: "Delete", why: "gone" },
  source: "pv_controller.go syncVolume",
});

/** A volume is unbound from a claim that has another one. */
export const unbindVolume: Rule<PhaseFacts> = rule<PhaseFacts>({
  id: "unbind",
  looksAt: ["spec.claimRef", "the claim's spec.volumeName", "the annotation pv.kubernetes.io/bound-by-controller"],
  chooses:
    "A volume that names a claim that is bound to another volume becomes Available again; a reservation made by the user stays.",
  sentence: ({ claim }) => `${claim} is bound to another volume → unbind this one`,
  example: { claim: "shop/data" },
  source: "pv_controller.go unbindVolume",
});

interface ReclaimFacts extends Facts {
  readonly policy: string;
  readonly error: string;
}

/** A volume cannot be deleted or scrubbed. */
export const cannotReclaim: Rule<ReclaimFacts> = rule<ReclaimFacts>({
  id: "cannot-reclaim",
  looksAt: [
    "spec.persistentVolumeReclaimPolicy",
    "the volume's source",
    "the annotation pv.kubernetes.io/provisioned-by",
  ],
  chooses:
    "A released volume that no plugin can delete or recycle is Failed. Volumes of CSI drivers are left to the drivers.",
  sentence: ({ policy, error }) => `policy ${policy}: ${error} → phase Failed`,
  example: { policy: "Delete", error: "no volume plugin matched" },
  source: "pv_controller.go deleteVolumeOperation, recycleVolumeOperation, findDeletablePlugin",
});

/** All of them. */
export const rules: readonly Rule[] = [
  migrated,
  bindVolume,
  defaultClass,
  firstConsumer,
  provisionExternally,
  cannotProvision,
  noVolume,
  cannotBind,
  lost,
  finalizersFollow,
  available,
  claimFirst,
  modeMismatch,
  boundVolume,
  released,
  unbindVolume,
  cannotReclaim,
];
