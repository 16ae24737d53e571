/** The volume types that a restricted pod may have. Source: pod-security-admission v0.36 policy/check_restrictedVolumes.go. */
import { fieldsIn, textOf, type Fields } from "../../../meta/object.ts";
import { fieldsAt, plural, quoted, sortedSet, type Check, type CheckPod } from "./check.ts";

const allowed = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
];

const forbidden = [
  "hostPath",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "gitRepo",
  "nfs",
  "iscsi",
  "glusterfs",
  "rbd",
  "flexVolume",
  "cinder",
  "cephfs",
  "flocker",
  "fc",
  "azureFile",
  "vsphereVolume",
  "quobyte",
  "azureDisk",
  "photonPersistentDisk",
  "portworxVolume",
  "scaleIO",
  "storageos",
];

const has =
  (volume: Fields) =>
  (source: string): boolean =>
    fieldsAt(volume, source) !== undefined;

const kinds: CheckPod = ({ spec }) => {
  const bad = fieldsIn(spec["volumes"]).filter((volume) => !allowed.some(has(volume)));
  if (bad.length === 0) return undefined;
  const names = bad.map(({ name }) => textOf(name));
  const types = sortedSet(bad.map((volume) => forbidden.find(has(volume)) ?? "unknown"));
  const verb = names.length === 1 ? "uses" : "use";
  return {
    reason: "restricted volume types",
    detail: `${plural("volume", names.length)} ${quoted(names)} ${verb} ${plural("restricted volume type", types.length)} ${quoted(types)}`,
  };
};

/** The controls for volume types. */
export const volumeChecks: readonly Check[] = [
  {
    id: "restrictedVolumes",
    level: "restricted",
    inPlaceOf: "hostPathVolumes",
    revisions: [{ since: 0, check: kinds }],
  },
];
