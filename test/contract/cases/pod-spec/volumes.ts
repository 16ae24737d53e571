/** Volumes, and their mounts in containers. */
import { type Case } from "../../case.ts";
import { container, pods, volumes } from "./one-pod-each.ts";

export const sources: readonly Case[] = [
  pods(
    "volumes and their names",
    { volumes: [{ name: "" }, { name: "A_b" }, { name: "a" }, { name: "a" }] },
    { volumes: [{ name: "a", hostPath: { path: "" } }, { name: "a" }] },
    {
      volumes: [
        { name: "e", ephemeral: { volumeClaimTemplate: { spec: { accessModes: ["A"], resources: {} } } } },
        { name: "v", persistentVolumeClaim: { claimName: "p0-e" } },
      ],
    },
  ),
  volumes(
    "cluster volumes",
    { persistentVolumeClaim: {} },
    { emptyDir: { sizeLimit: "-1" } },
    { hostPath: { path: "/a/../b", type: "Disk" } },
    { emptyDir: {}, hostPath: { path: "/a" }, downwardAPI: {}, configMap: {} },
    { gitRepo: { directory: "/a/.." } },
    { nfs: { path: "a" } },
    { csi: { driver: "a b", nodePublishSecretRef: {} } },
    { csi: { nodePublishSecretRef: { name: "A_b" } } },
    { image: { pullPolicy: "Sometimes" } },
    { ephemeral: {} },
    {
      ephemeral: {
        volumeClaimTemplate: {
          metadata: { name: "n", labels: { "a b": "c" }, finalizers: ["f/g"] },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "0" } } },
        },
      },
    },
  ),
  volumes(
    "projected and file volumes",
    { secret: { defaultMode: 512, items: [{}, { key: "a", path: "/a" }, { key: "a", path: "..a", mode: -1 }] } },
    { configMap: { items: [{ key: "a", path: "a/../b" }] } },
    { downwardAPI: { defaultMode: -1, items: [{}, { path: "a", fieldRef: { fieldPath: "spec.nodeName" } }] } },
    { downwardAPI: { items: [{ path: "a", resourceFieldRef: { resource: "limits.cpu" } }] } },
    {
      downwardAPI: {
        items: [
          {
            path: "a",
            mode: 512,
            fieldRef: { fieldPath: "metadata.labels" },
            resourceFieldRef: { containerName: "c", resource: "limits.cpu" },
          },
        ],
      },
    },
    {
      projected: {
        defaultMode: 512,
        sources: [{ secret: {}, configMap: { name: "m", items: [{ key: "a", path: "a" }] } }],
      },
    },
    {
      projected: {
        sources: [
          { configMap: { name: "m", items: [{ key: "a", path: "a" }] } },
          { downwardAPI: { items: [{ path: "a", fieldRef: { fieldPath: "metadata.name" } }] } },
          { serviceAccountToken: { expirationSeconds: 599 } },
          { serviceAccountToken: { expirationSeconds: 4294967297, path: "/a" } },
        ],
      },
    },
  ),
  volumes(
    "in-tree volume plugins",
    { gcePersistentDisk: { partition: 256 } },
    { awsElasticBlockStore: { partition: -1 } },
    { iscsi: { iqn: "a", lun: 256, chapAuthSession: true, initiatorName: "b" } },
    { iscsi: { targetPortal: "x".repeat(64), iqn: "iqn.2026", initiatorName: "eui.1" } },
    { glusterfs: {} },
    { flocker: {} },
    { flocker: { datasetName: "a/b", datasetUUID: "u" } },
    { rbd: {} },
    { cinder: { secretRef: {} } },
    { cephfs: {} },
    { quobyte: {} },
    { quobyte: { registry: "a,b:1", volume: "v" } },
    { quobyte: { registry: "a:1", tenant: "t".repeat(65), volume: "v" } },
    { fc: {} },
    { fc: { targetWWNs: ["a"], wwids: ["b"] } },
    { fc: { targetWWNs: ["a"], lun: 256 } },
    { flexVolume: { options: { "x.k8s.io/a": "b" } } },
    { azureFile: {} },
    { vsphereVolume: {} },
    { photonPersistentDisk: {} },
    { portworxVolume: {} },
    { azureDisk: { cachingMode: "A", kind: "B" } },
    { azureDisk: { diskName: "a", diskURI: "b", kind: "Managed" } },
    { storageos: { secretRef: {} } },
    { storageos: { volumeName: "A", volumeNamespace: "B" } },
    { scaleIO: {} },
  ),
  pods(
    "volume mounts and volume devices",
    {
      volumes: [{ name: "v" }, { name: "w", persistentVolumeClaim: { claimName: "c" } }],
      containers: [
        {
          ...container,
          volumeMounts: [
            { name: "", mountPath: "" },
            { name: "x", mountPath: "/a", subPath: "/s", subPathExpr: "../t" },
            { name: "v", mountPath: "/a", mountPropagation: "Bidirectional", recursiveReadOnly: "Enabled" },
            { name: "w", mountPath: "/d", mountPropagation: "Both", recursiveReadOnly: "Sometimes" },
          ],
          volumeDevices: [
            { name: "v", devicePath: "/d" },
            { name: "w", devicePath: "/e" },
            { name: "w", devicePath: "/e" },
            { name: "", devicePath: "" },
            { name: "y", devicePath: "/f/../g" },
          ],
        },
      ],
    },
    {
      volumes: [{ name: "v" }],
      containers: [
        {
          ...container,
          volumeMounts: [
            {
              name: "v",
              mountPath: "/a",
              readOnly: true,
              recursiveReadOnly: "IfPossible",
              mountPropagation: "HostToContainer",
            },
          ],
        },
      ],
    },
  ),
];
