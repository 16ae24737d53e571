/**
 * The defaults of the API server by type: they apply wherever the type occurs, in pods and in templates alike.
 * Source: kubernetes v1.36 pkg/apis/…/v1/defaults.go; differs: a table instead of generated calls.
 */
import { at, child, fieldsIn, textOf, isFields, type Fields } from "../meta/object.ts";
import { fill, fillNumbers, fillUnset, type Filler } from "./strategy/fill.ts";
import type { Schema, Shape, Struct } from "../../api/wire/schema.ts";
import { autoscalerDefaults } from "./autoscaling/autoscaler-defaults.ts";
import { podDefaults } from "./core/pod/pod-defaults.ts";
import { policyDefaults } from "./policy/policy-defaults.ts";
import { workloadDefaults } from "./apps/workload-defaults.ts";

const filling =
  (values: Readonly<Record<string, unknown>>): Filler =>
  (fields) =>
    fill(fields, values);

const rbacGroup = "rbac.authorization.k8s.io";

const otherDefaults: Readonly<Record<string, Filler>> = {
  "core.v1.Secret": (secret) => {
    fill(secret, { type: "Opaque" });
    // Written as text, stored as bytes; it can never be read back.
    const { stringData } = secret as { stringData?: unknown };
    if (isFields(stringData)) {
      const data: Fields = isFields(secret["data"]) ? secret["data"] : {};
      for (const key of Object.keys(stringData)) data[key] = base64Of(String(stringData[key]));
      secret["data"] = data;
    }
    delete secret["stringData"];
  },
  "core.v1.PersistentVolumeClaim": (claim) => {
    const status = isFields(claim["status"]) ? claim["status"] : (claim["status"] = {});
    fill(status, { phase: "Pending" });
  },
  "core.v1.PersistentVolumeClaimSpec": (spec) => fillUnset(spec, { volumeMode: "Filesystem" }),
  "core.v1.PersistentVolume": (volume) => {
    const status = isFields(volume["status"]) ? volume["status"] : (volume["status"] = {});
    fill(status, { phase: "Pending" });
  },
  "core.v1.PersistentVolumeSpec": (spec) => {
    fill(spec, { persistentVolumeReclaimPolicy: "Retain" });
    fillUnset(spec, { volumeMode: "Filesystem" });
  },
  "core.v1.LimitRangeItem": limitRangeItem,
  "core.v1.EndpointPort": filling({ protocol: "TCP" }),
  "core.v1.ReplicationController": (controller) => {
    const spec = isFields(controller["spec"]) ? controller["spec"] : {};
    const template = isFields(spec["template"]) ? spec["template"] : {};
    const labels = isFields(template["metadata"]) ? template["metadata"]["labels"] : undefined;
    if (!isFields(labels) || Object.keys(labels).length === 0) return;
    if (isEmptyMap(spec["selector"])) spec["selector"] = { ...labels };
    const metadata = isFields(controller["metadata"]) ? controller["metadata"] : (controller["metadata"] = {});
    const own = metadata;
    if (isEmptyMap(own["labels"])) own["labels"] = { ...labels };
  },
  "core.v1.ReplicationControllerSpec": filling({ replicas: 1 }),
  "core.v1.Service": (service) => {
    if (!isFields(service["spec"])) return;
    serviceSpec(service["spec"]);
    if (service["spec"]["type"] === "LoadBalancer") balancerStatus(service["status"]);
  },
  "core.v1.ServicePort": (port) => {
    fill(port, { protocol: "TCP" });
    const target = port["targetPort"];
    if (target === undefined || target === "" || target === 0) port["targetPort"] = port["port"];
  },
  "core.v1.NodeStatus": (status) => {
    if (status["allocatable"] === undefined && isFields(status["capacity"]))
      status["allocatable"] = { ...status["capacity"] };
  },
  "apiextensions.v1.ServiceReference": filling({ port: 443 }),
  "apiregistration.v1.ServiceReference": filling({ port: 443 }),
  "resource.v1.ExactDeviceRequest": devices,
  "resource.v1.DeviceSubRequest": devices,
  "resource.v1.DeviceToleration": filling({ operator: "Equal" }),
  "scheduling.v1.PriorityClass": (priority) => void (priority["preemptionPolicy"] ??= "PreemptLowerPriority"),
  "storage.v1.StorageClass": (storageClass) => {
    storageClass["reclaimPolicy"] ??= "Delete";
    storageClass["volumeBindingMode"] ??= "Immediate";
  },
  "storage.v1.CSIDriverSpec": (spec) => {
    fill(spec, {
      attachRequired: true,
      podInfoOnMount: false,
      storageCapacity: false,
      requiresRepublish: false,
      seLinuxMount: false,
    });
    fillUnset(spec, { fsGroupPolicy: "ReadWriteOnceWithFSType" });
    if (fieldsOrTexts(spec["volumeLifecycleModes"]) === 0) spec["volumeLifecycleModes"] = ["Persistent"];
  },
  "networking.v1.NetworkPolicyPort": (port) => fillUnset(port, { protocol: "TCP" }),
  "networking.v1.NetworkPolicySpec": (spec) => {
    if (fieldsOrTexts(spec["policyTypes"]) > 0) return;
    spec["policyTypes"] = ["Ingress", ...(fieldsOrTexts(spec["egress"]) > 0 ? ["Egress"] : [])];
  },
  "networking.v1.IngressClassParametersReference": (reference) => fillUnset(reference, { scope: "Cluster" }),
  "rbac.v1.RoleBinding": (binding) => fill(child(binding, "roleRef"), { apiGroup: rbacGroup }),
  "rbac.v1.ClusterRoleBinding": (binding) => fill(child(binding, "roleRef"), { apiGroup: rbacGroup }),
  "rbac.v1.Subject": (subject) => {
    if (subject["kind"] === "User" || subject["kind"] === "Group") fill(subject, { apiGroup: rbacGroup });
  },
  "discovery.v1.EndpointPort": (port) => fillUnset(port, { name: "", protocol: "TCP" }),
};

/** One device, unless more are requested. */
function devices(request: Fields): void {
  fill(request, { allocationMode: "ExactCount" });
  if (request["allocationMode"] === "ExactCount") fillNumbers(request, { count: 1 });
}

function base64Of(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(""));
}

function isEmptyMap(value: unknown): boolean {
  return !isFields(value) || Object.keys(value).length === 0;
}

function fieldsOrTexts(list: unknown): number {
  return Array.isArray(list) ? list.length : 0;
}

/** If a load balancer has an IP, it passes traffic on to that IP. */
function balancerStatus(status: unknown): void {
  for (const ingress of fieldsIn(at(status, "loadBalancer", "ingress"))) {
    if (textOf(ingress["ip"]) !== "") fillUnset(ingress, { ipMode: "VIP" });
  }
}

function serviceSpec(spec: Fields): void {
  fill(spec, { sessionAffinity: "None", type: "ClusterIP" });
  if (spec["sessionAffinity"] === "None") delete spec["sessionAffinityConfig"];
  if (spec["sessionAffinity"] === "ClientIP")
    fill(spec, { sessionAffinityConfig: { clientIP: { timeoutSeconds: 10800 } } });
  const { type } = spec as { type?: unknown };
  const outside =
    type === "LoadBalancer" || type === "NodePort" || (type === "ClusterIP" && fieldsOrTexts(spec["externalIPs"]) > 0);
  if (outside) fill(spec, { externalTrafficPolicy: "Cluster" });
  if (type !== "ExternalName") fillUnset(spec, { internalTrafficPolicy: "Cluster" });
  if (type === "LoadBalancer") fill(spec, { allocateLoadBalancerNodePorts: true });
}

function limitRangeItem(item: Fields): void {
  if (item["type"] !== "Container") return;
  const map = (key: string): Fields => (isFields(item[key]) ? item[key] : {});
  const limits = { ...map("max"), ...map("default") };
  item["default"] = limits;
  item["defaultRequest"] = { ...map("min"), ...limits, ...map("defaultRequest") };
}

const fillers: Readonly<Record<string, Filler>> = {
  ...otherDefaults,
  ...autoscalerDefaults,
  ...podDefaults,
  ...policyDefaults,
  ...workloadDefaults,
};

/** True if a type, or something inside it, has defaults. */
const concerned = new WeakMap<Struct, boolean>();

function concerns(struct: Struct, schema: Schema): boolean {
  const known = concerned.get(struct);
  if (known !== undefined) return known;
  // For types that contain themselves: a recursive occurrence adds no defaults.
  concerned.set(struct, false);
  const inside =
    fillers[struct.name] !== undefined || [...struct.fields.values()].some(({ shape }) => inShape(shape, schema));
  concerned.set(struct, inside);
  return inside;
}

function inShape(shape: Shape, schema: Schema): boolean {
  switch (shape.is) {
    case "struct":
      return concerns(schema.struct(shape.name), schema);
    case "list":
    case "map":
      return inShape(shape.of, schema);
    case "open":
    case "scalar":
      return false;
  }
}

/** Sets the defaults of an object and of everything in it, in place. */
export function fillDefaults(fields: Fields, struct: Struct, schema: Schema): void {
  if (!concerns(struct, schema)) return;
  // Structs that are not pointers get their defaults even if the client left them out.
  for (const [key, { empty, shape }] of struct.always) {
    if (empty !== "struct" || shape.is !== "struct" || fields[key] !== undefined) continue;
    if (concerns(schema.struct(shape.name), schema)) fields[key] = {};
  }
  fillers[struct.name]?.(fields);
  for (const key of Object.keys(fields)) {
    const shape = struct.fields.get(key)?.shape;
    if (shape !== undefined) fillShape(fields[key], shape, schema);
  }
}

function fillShape(value: unknown, shape: Shape, schema: Schema): void {
  switch (shape.is) {
    case "struct":
      if (isFields(value)) fillDefaults(value, schema.struct(shape.name), schema);
      break;
    case "list":
      if (shape.of.is === "struct") {
        const struct = schema.struct(shape.of.name);
        if (concerns(struct, schema)) for (const item of fieldsIn(value)) fillDefaults(item, struct, schema);
      }
      break;
    case "map":
      if (shape.of.is === "struct" && isFields(value))
        for (const item of Object.values(value)) fillShape(item, shape.of, schema);
      break;
    case "open":
    case "scalar":
      break;
  }
}
