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
  step("create the class", (stage) => makeClass(stage, "fast", parts));
const claim = step("create a claim", (stage) => makeClaim(stage, "data", { storageClass: "fast" }));
const provisioned = (by: string): ReturnType<typeof step> =>
  step("create its volume, as the provisioner would", (stage) =>
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
  { name: "a class is created after the claim", steps: [claim, storageClass()] },
  { name: "a driver provisions the volume", steps: [storageClass(), claim, provisioned("example.com/disks")] },
  {
    name: "a free volume is bound although the class has a driver",
    steps: [
      step("create a volume", (stage) => makeVolume(stage, "disk", { storageClass: "fast" })),
      storageClass(),
      claim,
    ],
  },
  cannot("without a provisioner", { provisioner: "kubernetes.io/no-provisioner" }),
  cannot("of a removed plugin", { provisioner: "kubernetes.io/glusterfs" }),
  cannot("of a plugin without provisioning", { provisioner: "kubernetes.io/nfs" }),
  cannot("of the test plugin", { provisioner: "kubernetes.io/host-path" }),
  cannot("of the test plugin, with mount options", {
    provisioner: "kubernetes.io/host-path",
    mountOptions: ["ro", "noatime"],
  }),
  ...["aws-ebs", "gce-pd", "azure-file", "azure-disk", "cinder", "vsphere-volume", "portworx-volume"].map((plugin) => ({
    name: `a class of ${plugin}: the claim is annotated with the plugin's name`,
    steps: [storageClass({ provisioner: `kubernetes.io/${plugin}` }), claim, provisioned(`kubernetes.io/${plugin}`)],
  })),
  {
    name: "finalizers are added to and removed from volumes of plugins",
    steps: [
      step("create volumes", async (stage) => {
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
    name: "annotations name a driver of a migrated plugin",
    steps: [
      step("create a claim and a volume", async (stage) => {
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
    name: "WaitForFirstConsumer waits for a pod, then for its node",
    steps: [
      storageClass({ waits: true }),
      claim,
      step("create a pod", (stage) => makePod(stage, "one", "data")),
      step("create a second pod", (stage) => makePod(stage, "two", "data")),
      step("select a node", (stage) =>
        annotateClaim(stage, "data", { "volume.kubernetes.io/selected-node": "somewhere" }),
      ),
      provisioned("example.com/disks"),
    ],
  },
  {
    name: "WaitForFirstConsumer: a free volume is not bound, a reserved one is",
    steps: [
      storageClass({ waits: true }),
      step("create a free volume", (stage) => makeVolume(stage, "free", { storageClass: "fast" })),
      claim,
      step("create a reserved volume", (stage) =>
        makeVolume(stage, "disk", { storageClass: "fast", reservedFor: "data" }),
      ),
    ],
  },
  {
    name: "a claim without a class gets the default one",
    steps: [
      step("create a claim", (stage) => makeClaim(stage, "data", { storageClass: null })),
      step("create the default class", makeSharedClass),
      step("delete the claim", (stage) => removeClaim(stage, "data")),
      step("remove the annotation of the default class", (stage) =>
        stage.patch("storageclasses", sharedClass, {
          metadata: { annotations: { "storageclass.kubernetes.io/is-default-class": null } },
        }),
      ),
    ],
  },
];
