/** Claims for which a volume is provisioned: by which provisioner, when, and with what outcome. Scripts act as the provisioner. */
import type { Script } from "../../suite.ts";
import {
  annotateClaim,
  type ClassParts,
  makeClaim,
  makeClass,
  makePod,
  makeSharedClass,
  makeVolume,
  removeClaim,
  sharedClass,
  step,
} from "./acts.ts";

const storageClass = (parts: ClassParts = {}): ReturnType<typeof step> =>
  step("a class", (stage) => makeClass(stage, "fast", parts));
const claim = step("a claim", (stage) => makeClaim(stage, "data", { storageClass: "fast" }));
const provisioned = (by: string): ReturnType<typeof step> =>
  step("a volume is made for it", (stage) =>
    makeVolume(stage, "made", {
      storageClass: "fast",
      reservedFor: "data",
      withUid: true,
      policy: "Delete",
      annotations: { "pv.kubernetes.io/provisioned-by": by },
      finalizers: ["external-provisioner.volume.kubernetes.io/finalizer"],
    }),
  );

const cannot = (what: string, parts: ClassParts): Script => ({
  name: `a class ${what}`,
  steps: [storageClass(parts), claim],
});

export const provisioning: readonly Script[] = [
  { name: "a class that does not exist, then does", steps: [claim, storageClass()] },
  { name: "a driver makes the volume", steps: [storageClass(), claim, provisioned("example.com/disks")] },
  {
    name: "a volume is free although the class has a driver",
    steps: [step("a volume", (stage) => makeVolume(stage, "disk", { storageClass: "fast" })), storageClass(), claim],
  },
  cannot("without a provisioner", { provisioner: "kubernetes.io/no-provisioner" }),
  cannot("of a plugin that is gone", { provisioner: "kubernetes.io/glusterfs" }),
  cannot("of a plugin that makes no volumes", { provisioner: "kubernetes.io/nfs" }),
  cannot("of the plugin for tests", { provisioner: "kubernetes.io/host-path" }),
  cannot("of the plugin for tests, with mount options", {
    provisioner: "kubernetes.io/host-path",
    mountOptions: ["ro", "noatime"],
  }),
  ...["aws-ebs", "gce-pd", "azure-file", "azure-disk", "cinder", "vsphere-volume", "portworx-volume"].map((plugin) => ({
    name: `a class of ${plugin}: its driver is named`,
    steps: [storageClass({ provisioner: `kubernetes.io/${plugin}` }), claim, provisioned(`kubernetes.io/${plugin}`)],
  })),
  {
    name: "volumes of plugins have their finalizers",
    steps: [
      step("volumes", async (stage) => {
        const external = "external-provisioner.volume.kubernetes.io/finalizer";
        const own = "kubernetes.io/pv-controller";
        const by = (plugin: string): object => ({
          annotations: { "pv.kubernetes.io/provisioned-by": plugin },
        });
        await makeVolume(stage, "deleted", {
          ...by("kubernetes.io/host-path"),
          policy: "Delete",
          finalizers: [external],
        });
        await makeVolume(stage, "kept", {
          ...by("kubernetes.io/host-path"),
          finalizers: [own, external, "example.com/hold"],
        });
        await makeVolume(stage, "driver", {
          ...by("example.com/disks"),
          policy: "Delete",
          finalizers: [own, external],
        });
        await makeVolume(stage, "static", { policy: "Delete", finalizers: [own] });
      }),
    ],
  },
  {
    name: "annotations name a driver that does not do the work",
    steps: [
      step("a claim and a volume", async (stage) => {
        const driver = { "pv.kubernetes.io/migrated-to": "ebs.csi.aws.com" };
        await makeClaim(stage, "data", {
          annotations: { ...driver, "volume.kubernetes.io/storage-provisioner": "example.com/disks" },
        });
        await makeVolume(stage, "disk", {
          size: "9Gi",
          storageClass: "other",
          annotations: { ...driver, "pv.kubernetes.io/provisioned-by": "example.com/disks" },
        });
      }),
    ],
  },
  {
    name: "the class waits for a pod, then for its node",
    steps: [
      storageClass({ waits: true }),
      claim,
      step("a pod", (stage) => makePod(stage, "one", "data")),
      step("another", (stage) => makePod(stage, "two", "data")),
      step("a node is chosen", (stage) =>
        annotateClaim(stage, "data", { "volume.kubernetes.io/selected-node": "somewhere" }),
      ),
      provisioned("example.com/disks"),
    ],
  },
  {
    name: "the class waits: a free volume is left alone, a reserved one is not",
    steps: [
      storageClass({ waits: true }),
      step("a free volume", (stage) => makeVolume(stage, "free", { storageClass: "fast" })),
      claim,
      step("a reserved one", (stage) => makeVolume(stage, "disk", { storageClass: "fast", reservedFor: "data" })),
    ],
  },
  {
    name: "a claim without a class gets the default one",
    steps: [
      step("a claim", (stage) => makeClaim(stage, "data", { storageClass: null })),
      step("a default class", makeSharedClass),
      step("it is deleted, with its class", (stage) => removeClaim(stage, "data")),
      step("none is the default any more", (stage) =>
        stage.patch("storageclasses", sharedClass, {
          metadata: { annotations: { "storageclass.kubernetes.io/is-default-class": null } },
        }),
      ),
    ],
  },
];
