/** Defaults of pods and their parts. Source: kubernetes v1.36 pkg/apis/core/v1/defaults.go. */
import { fieldsIn, isFields, textOf, type Fields } from "../../../meta/object.ts";
import { formatQuantity } from "../../../../api/quantity.ts";
import { containerAmounts } from "./resources/pod-amounts.ts";
import { fill, fillNumbers, fillUnset, type Filler } from "../../strategy/fill.ts";

const volumeModes = { defaultMode: 420 };

/** Always for `latest` or no tag. */
function pullPolicyOf(image: unknown): string {
  if (typeof image !== "string") return "IfNotPresent";
  const name = image.slice(image.lastIndexOf("/") + 1);
  if (name.includes("@")) return "IfNotPresent";
  // An invalid image name has no tag.
  if (!/^[a-z0-9]+([._-]+[a-z0-9]+)*(:[\w][\w.-]{0,127})?$/.test(name)) return "IfNotPresent";
  const tag = name.includes(":") ? name.slice(name.indexOf(":") + 1) : "latest";
  return tag === "latest" ? "Always" : "IfNotPresent";
}

function container(fields: Fields): void {
  withoutEmptyClaims(fields);
  fill(fields, {
    imagePullPolicy: pullPolicyOf(fields["image"]),
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
  });
}

/** Drops empty claims of containers; in the resources of a whole pod they are rejected even if empty. */
function withoutEmptyClaims({ resources }: Fields): void {
  if (isFields(resources) && Array.isArray(resources["claims"]) && resources["claims"].length === 0)
    delete resources["claims"];
}

/** Requests default to limits; only in pods, never in templates. */
function requestsFromLimits(fields: Fields): void {
  const resources = fields["resources"];
  if (!isFields(resources) || !isFields(resources["limits"])) return;
  resources["requests"] = { ...resources["limits"], ...(isFields(resources["requests"]) ? resources["requests"] : {}) };
}

/** The requests of a pod with pod-level limits default to those of its containers, otherwise to its limits. */
function requestsOfPod(spec: Fields): void {
  const resources = spec["resources"];
  if (!isFields(resources) || !isFields(resources["limits"])) return;
  const { limits } = resources as { limits: Fields };
  if (Object.keys(limits).length === 0) return;
  const ofPods = (name: string): boolean => name === "cpu" || name === "memory";
  const own = isFields(resources["requests"]) ? resources["requests"] : {};
  const containerRequests = [...containerAmounts(spec, "requests")].filter(([name]) => ofPods(name));
  const rest = Object.entries(limits).filter(([name]) => ofPods(name) || name.startsWith("hugepages-"));
  const requests = {
    ...Object.fromEntries(rest),
    ...Object.fromEntries(containerRequests.map(([name, quantity]) => [name, formatQuantity(quantity)])),
    ...own,
  };
  if (Object.keys(requests).length > 0) resources["requests"] = requests;
}

function pod(fields: Fields): void {
  const spec = fields["spec"];
  if (!isFields(spec)) return;
  const containers = [...fieldsIn(spec["containers"]), ...fieldsIn(spec["initContainers"])];
  containers.forEach(requestsFromLimits);
  requestsOfPod(spec);
  fill(spec, { enableServiceLinks: true });
  // Templates keep the value and get a warning.
  const grace = spec["terminationGracePeriodSeconds"];
  if (typeof grace === "number" && grace < 0) spec["terminationGracePeriodSeconds"] = 1;
  if (spec["hostNetwork"] !== true) return;
  for (const { ports } of containers) {
    for (const port of fieldsIn(ports))
      if (port["hostPort"] === undefined || port["hostPort"] === 0) port["hostPort"] = port["containerPort"];
  }
}

const volumeSourceless = (volume: Fields): boolean =>
  Object.keys(volume).every((key) => key === "name" || volume[key] === undefined || volume[key] === null);

const iscsi: Filler = (source) => fill(source, { iscsiInterface: "default" });
const rbd: Filler = (source) => fill(source, { pool: "rbd", user: "admin", keyring: "/etc/ceph/keyring" });
const scaleIO: Filler = (source) => fill(source, { storageMode: "ThinProvisioned", fsType: "xfs" });

/** The defaults of pods and their parts, by type. */
export const podDefaults: Readonly<Record<string, Filler>> = {
  "core.v1.Pod": pod,
  "core.v1.PodSpec": (spec) => {
    fill(spec, {
      dnsPolicy: "ClusterFirst",
      restartPolicy: "Always",
      securityContext: {},
      terminationGracePeriodSeconds: 30,
      schedulerName: "default-scheduler",
    });
    // The field's old name is still written.
    const name = textOf(spec["serviceAccountName"]) || textOf(spec["serviceAccount"]);
    if (name === "") return;
    spec["serviceAccountName"] = name;
    spec["serviceAccount"] = name;
  },
  "core.v1.Container": container,
  "core.v1.EphemeralContainer": container,
  "core.v1.ContainerStatus": withoutEmptyClaims,
  "core.v1.ContainerPort": (port) => fill(port, { protocol: "TCP" }),
  "core.v1.Probe": (probe) =>
    fillNumbers(probe, { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 }),
  "core.v1.HTTPGetAction": (action) => fill(action, { path: "/", scheme: "HTTP" }),
  "core.v1.GRPCAction": (action) => fill(action, { service: "" }),
  "core.v1.ObjectFieldSelector": (selector) => fill(selector, { apiVersion: "v1" }),
  "core.v1.Volume": (volume) => {
    if (volumeSourceless(volume)) volume["emptyDir"] = {};
  },
  "core.v1.ImageVolumeSource": (source) => {
    // An image without a reference does not count as latest.
    const reference = source["reference"];
    fill(source, { pullPolicy: reference === undefined ? "IfNotPresent" : pullPolicyOf(reference) });
  },
  "core.v1.SecretVolumeSource": (source) => fill(source, volumeModes),
  "core.v1.ConfigMapVolumeSource": (source) => fill(source, volumeModes),
  "core.v1.DownwardAPIVolumeSource": (source) => fill(source, volumeModes),
  "core.v1.ProjectedVolumeSource": (source) => fill(source, volumeModes),
  "core.v1.ServiceAccountTokenProjection": (token) => fill(token, { expirationSeconds: 3600 }),
  "core.v1.HostPathVolumeSource": (source) => fill(source, { type: "" }),
  "core.v1.ISCSIVolumeSource": iscsi,
  "core.v1.ISCSIPersistentVolumeSource": iscsi,
  "core.v1.RBDVolumeSource": rbd,
  "core.v1.RBDPersistentVolumeSource": rbd,
  "core.v1.AzureDiskVolumeSource": (source) =>
    fillUnset(source, { cachingMode: "ReadWrite", kind: "Shared", fsType: "ext4", readOnly: false }),
  "core.v1.ScaleIOVolumeSource": scaleIO,
  "core.v1.ScaleIOPersistentVolumeSource": scaleIO,
};
