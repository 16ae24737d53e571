/** Status subresources: what controllers and kubelets can write, and which fields stay unchanged. */
import { get, patch, post, put, type Case, type Step, type Table } from "../case.ts";

type Json = Readonly<Record<string, unknown>>;

interface Subject {
  readonly path: string;
  readonly body: Json;
  /** Whether the kind is cluster-scoped: the object is named after the namespace of the case. */
  readonly wide?: true;
}

const v1 = "/api/v1/namespaces/{ns}";
const devices = "/apis/resource.k8s.io/v1/namespaces/{ns}";
const flow = "/apis/flowcontrol.apiserver.k8s.io/v1";

const pod: Subject = {
  path: `${v1}/pods`,
  body: {
    spec: {
      restartPolicy: "OnFailure",
      containers: [
        { name: "c", image: "i" },
        { name: "d", image: "i" },
      ],
    },
  },
};
const claim: Subject = {
  path: `${v1}/persistentvolumeclaims`,
  body: { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
};
const budget: Subject = {
  path: "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets",
  body: { spec: { minAvailable: 1 } },
};
const deviceClaim: Subject = {
  path: `${devices}/resourceclaims`,
  body: { spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "c" } }] } } },
};
const node: Subject = { path: "/api/v1/nodes", body: {}, wide: true };
const schema: Subject = {
  path: `${flow}/flowschemas`,
  body: { spec: { priorityLevelConfiguration: { name: "p" }, matchingPrecedence: 5 } },
  wide: true,
};
const level: Subject = {
  path: `${flow}/prioritylevelconfigurations`,
  body: { spec: { type: "Limited", limited: { limitResponse: { type: "Reject" } } } },
  wide: true,
};

/** Creates an object and writes its status several times. */
function statuses(name: string, { path, body, wide }: Subject, ...written: readonly Json[]): Case {
  const own = wide === true ? "{ns}" : "a";
  const object = `${path}/${own}`;
  const writes = written.map((status): Step => patch("merge", `${object}/status`, { status }));
  return { name, steps: [post(path, { metadata: { name: own }, ...body }), ...writes, get(object)] };
}

const time = "2026-01-02T03:04:05Z";
const condition = { type: "A", status: "True", reason: "Because", message: "m", lastTransitionTime: time };
const ended = (exitCode: number): Json => ({ name: "c", state: { terminated: { exitCode } } });
const running = { name: "c", state: { running: {} } };
const device = { driver: "d.example.com", pool: "p", device: "e" };
const result = { request: "r", ...device };

const pods: readonly Case[] = [
  statuses(
    "conditions of pods",
    pod,
    {
      conditions: [
        { type: "Ready", status: "True" },
        { type: "example.com/a", status: "x" },
      ],
    },
    {
      conditions: [
        { type: "*", status: "True" },
        { type: "", status: "True" },
      ],
    },
    { conditions: [{ type: "Ready", status: "True", observedGeneration: -1 }], observedGeneration: -2 },
  ),
  statuses(
    "the observed generation of a pod is kept if it is left out",
    pod,
    { observedGeneration: 1, conditions: [{ type: "Ready", status: "True", observedGeneration: 1 }] },
    {
      observedGeneration: null,
      conditions: [
        { type: "Ready", status: "False" },
        { type: "A", status: "True" },
      ],
    },
    { qosClass: null, phase: "Running" },
    { qosClass: "Guaranteed" },
  ),
  statuses(
    "addresses of pods and of their hosts",
    pod,
    { podIP: "10.0.0.300", podIPs: [{ ip: "10.0.0.300" }] },
    { podIPs: [{ ip: "192.0.2.1" }, { ip: "192.0.2.2" }] },
    { podIPs: [{ ip: "192.0.2.1" }, { ip: "2001:db8::1" }, { ip: "192.0.2.3" }] },
    { podIP: "192.0.2.1", podIPs: [{ ip: "192.0.2.1" }, { ip: "2001:db8::1" }] },
    { hostIP: "192.0.2.9", hostIPs: [{ ip: "192.0.2.8" }] },
    { hostIP: "192.0.2.9", hostIPs: [{ ip: "192.0.2.9" }, { ip: "a" }] },
    { hostIP: "192.0.2.9", hostIPs: [{ ip: "192.0.2.9" }] },
  ),
  statuses(
    "finished containers run again only if they may be restarted",
    pod,
    { containerStatuses: [ended(1)] },
    { containerStatuses: [running] },
    { containerStatuses: [ended(0)] },
    { containerStatuses: [running] },
    { initContainerStatuses: [ended(1)], ephemeralContainerStatuses: [ended(1)] },
    { initContainerStatuses: [running], ephemeralContainerStatuses: [running] },
  ),
  statuses(
    "node and claims in a pod's status",
    pod,
    { nominatedNodeName: "A_b" },
    { nominatedNodeName: "n" },
    { resourceClaimStatuses: [{ name: "x" }, { name: "y", resourceClaimName: "A_b" }] },
    { extendedResourceClaimStatus: { requestMappings: [], resourceClaimName: "" } },
    {
      extendedResourceClaimStatus: {
        requestMappings: [
          { containerName: "c", resourceName: "example.com/a", requestName: "A_b" },
          { containerName: "x", resourceName: "example.com/a", requestName: "r" },
          { containerName: "x", resourceName: "example.com/a", requestName: "r" },
        ],
        resourceClaimName: "A_b",
      },
    },
  ),
  statuses(
    "users of containers",
    pod,
    { containerStatuses: [{ name: "c", user: { linux: { uid: -1, gid: -1, supplementalGroups: [1, -1] } } }] },
    { containerStatuses: [{ name: "c", user: { linux: { uid: 1, gid: 2 } } }] },
  ),
];

const others: readonly Case[] = [
  statuses(
    "allocated resources of a claim",
    claim,
    { phase: "Never", capacity: { storage: "1Gi" } },
    { capacity: { storage: "-1" } },
    { allocatedResourceStatuses: { storage: "Maybe" } },
    { allocatedResourceStatuses: { "example.com/a": "NodeResizePending", cpu: "NodeResizePending" } },
    { allocatedResources: { cpu: "1" } },
    { allocatedResources: { storage: "2Gi" }, allocatedResourceStatuses: { storage: "NodeResizePending" } },
  ),
  statuses(
    "conditions of PodDisruptionBudgets",
    budget,
    { conditions: [{ ...condition, reason: "1" }] },
    { conditions: [condition, condition] },
    { conditions: [{ ...condition, status: "Maybe", lastTransitionTime: null, reason: "" }] },
    { conditions: [{ ...condition, type: "a b", observedGeneration: -1 }], disruptionsAllowed: -1 },
    { conditions: [condition], disruptionsAllowed: 1 },
  ),
  statuses(
    "consumers of a ResourceClaim",
    deviceClaim,
    { reservedFor: [{ resource: "pods", name: "p", uid: "u" }] },
    {
      reservedFor: [
        { resource: "pods", name: "", uid: "u" },
        { name: "p", uid: "u" },
      ],
      allocation: {},
    },
    { allocation: { devices: { results: [result] } }, reservedFor: [{ resource: "pods", name: "p", uid: "u" }] },
    { reservedFor: null },
    { allocation: null },
  ),
  statuses(
    "allocated devices of a ResourceClaim",
    deviceClaim,
    {
      allocation: {
        devices: {
          results: [
            { ...result, request: "x" },
            { ...result, driver: "A_b", pool: "a/", device: "A" },
          ],
        },
      },
    },
    { allocation: { devices: { results: [{ ...result, shareID: "a" }] } } },
    { allocation: { devices: { results: [], config: [{ source: "Nobody" }, { source: "", requests: ["x"] }] } } },
    { allocation: { devices: { results: [result] } } },
  ),
  statuses(
    "device statuses of drivers",
    deviceClaim,
    { devices: [device] },
    { allocation: { devices: { results: [result] } }, devices: [{ ...device, conditions: [condition] }] },
    {
      devices: [
        { ...device, data: [1] },
        { ...device, conditions: [{ ...condition, reason: "" }] },
      ],
    },
    { devices: [{ ...device, networkData: { interfaceName: "x".repeat(257), hardwareAddress: "y".repeat(129) } }] },
    { allocation: null },
  ),
  statuses(
    "the status of a node",
    node,
    { capacity: { cpu: "-1" } },
    { capacity: { pods: "1.5" } },
    { declaredFeatures: ["b", "A"] },
    { capacity: { cpu: "1" }, declaredFeatures: ["A", "B/c"] },
  ),
  statuses(
    "conditions of flow schemas",
    schema,
    { conditions: [{ status: "True" }] },
    {
      conditions: [
        { type: "A", status: "True" },
        { type: "A", status: "False" },
      ],
    },
    { conditions: [{ type: "A", status: "True" }] },
  ),
  statuses(
    "conditions of priority levels",
    level,
    { conditions: [{ status: "True" }] },
    { conditions: [{ type: "A", status: "True" }] },
  ),
  {
    name: "the phase of a namespace",
    steps: [
      put("/api/v1/namespaces/{ns}/status", { metadata: { name: "{ns}" }, status: {} }),
      patch("merge", "/api/v1/namespaces/{ns}/status", { status: { phase: "Terminating" } }),
      patch("merge", "/api/v1/namespaces/{ns}/status", { status: { phase: "Active", conditions: [condition] } }),
    ],
  },
];

export const ownStatuses: Table = { name: "kinds-statuses", cases: [...pods, ...others] };
