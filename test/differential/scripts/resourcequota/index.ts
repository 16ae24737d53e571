/** Written scripts: what credits and charges a quota without a new object. */
import { ResourceClaims } from "../../../../src/api/kinds.ts";
import type { Stage } from "../../stage.ts";
import type { Script, Step } from "../../suite.ts";
import { grow, makeClaim, makeClass } from "../persistentvolume-expander/acts.ts";

function step(name: string, act: (stage: Stage) => Promise<unknown>): Step {
  return { name, act };
}

const quota = (hard: Readonly<Record<string, string>>): Step =>
  step(`create a quota of ${Object.keys(hard).join(", ")}`, (stage) =>
    stage.create("resourcequotas", { metadata: { name: "quota" }, spec: { hard } }),
  );

const held = ["example.com/hold"];

const pod = (name: string, spec: object = {}): Step =>
  step(`create pod ${name} with a finalizer`, (stage) => {
    const containers = [{ name: "main", image: "main:1", resources: { requests: { cpu: "100m" } } }];
    return stage.create("pods", { metadata: { name, finalizers: held }, spec: { containers, ...spec } });
  });

const patchPod = (name: string, what: string, body: object): Step =>
  step(`pod ${name.replace("/status", "")}: ${what}`, (stage) => stage.patch("pods", name, body));

const deletePod = (name: string, options: object = {}): Step =>
  step(`delete pod ${name} ${JSON.stringify(options)}`, (stage) => stage.remove("pods", name, options));

const released = (name: string): Step => patchPod(name, "remove its finalizer", { metadata: { finalizers: null } });

const devices = (name: string, ...requests: readonly object[]): Step =>
  step(`create ResourceClaim ${name}`, (stage) =>
    stage.create(ResourceClaims, {
      metadata: { name },
      spec: { devices: { requests: requests.map((each, at) => ({ name: `request-${at}`, ...each })) } },
    }),
  );

const ofClass = (deviceClassName: string, more: object = {}): object => ({ deviceClassName, ...more });

export const scripts: readonly Script[] = [
  {
    name: "the request of a claim grows, and is reduced again",
    steps: [
      quota({ "requests.storage": "100Gi", persistentvolumeclaims: "5" }),
      step("create a bound claim", async (stage) => {
        await makeClass(stage);
        await makeClaim(stage, "data");
      }),
      step("request 10Gi", (stage) => grow(stage, "data", "10Gi")),
      step("request 5Gi", (stage) => grow(stage, "data", "5Gi")),
      step("a resizer allocates 7Gi", (stage) =>
        stage.patch("persistentvolumeclaims", "data/status", { status: { allocatedResources: { storage: "7Gi" } } }),
      ),
    ],
  },
  {
    name: "an unscheduled pod is deleted, and kept by a finalizer",
    steps: [quota({ pods: "5", "count/pods": "5", "requests.cpu": "1" }), pod("a"), deletePod("a"), released("a")],
  },
  {
    name: "a bound pod is deleted by force, and kept by a finalizer",
    steps: [
      quota({ pods: "5", "count/pods": "5", "requests.cpu": "1" }),
      pod("a", { nodeName: "node-1" }),
      pod("b", { nodeName: "node-1", terminationGracePeriodSeconds: 60 }),
      deletePod("a", { gracePeriodSeconds: 0 }),
      deletePod("b"),
      released("a"),
      deletePod("b", { gracePeriodSeconds: 0 }),
      released("b"),
    ],
  },
  {
    name: "the actual resources of a pod change",
    steps: [
      quota({ "requests.cpu": "1" }),
      pod("a", { nodeName: "node-1" }),
      ...["100m", "300m"].map((cpu) =>
        patchPod("a/status", `its container has ${cpu}`, {
          status: {
            containerStatuses: [
              {
                name: "main",
                ready: true,
                restartCount: 0,
                image: "main:1",
                imageID: "",
                resources: { requests: { cpu } },
              },
            ],
          },
        }),
      ),
    ],
  },
  {
    name: "pods get a deadline, which is the scope Terminating",
    steps: [
      step("create quotas of both scopes", async (stage) => {
        for (const scope of ["Terminating", "NotTerminating"]) {
          const spec = { hard: { pods: "5" }, scopes: [scope] };
          await stage.create("resourcequotas", { metadata: { name: scope.toLowerCase() }, spec });
        }
      }),
      pod("a"),
      patchPod("a", "set activeDeadlineSeconds", { spec: { activeDeadlineSeconds: 500 } }),
      deletePod("a"),
      released("a"),
    ],
  },
  {
    name: "the type of a Service changes",
    steps: [
      quota({ services: "5", "services.nodeports": "5", "services.loadbalancers": "5" }),
      step("create a Service", (stage) =>
        stage.create("services", {
          metadata: { name: "web" },
          spec: {
            ports: [
              { port: 80, name: "a" },
              { port: 81, name: "b" },
            ],
          },
        }),
      ),
      ...["NodePort", "LoadBalancer", "ClusterIP"].map((type) =>
        step(`make it a ${type}`, (stage) => stage.patch("services", "web", { spec: { type } })),
      ),
    ],
  },
  {
    name: "devices of ResourceClaims, by class",
    steps: [
      quota({
        "count/resourceclaims.resource.k8s.io": "9",
        "gpu.example.com.deviceclass.resource.k8s.io/devices": "99",
        "nic.example.com.deviceclass.resource.k8s.io/devices": "99",
      }),
      devices("one", { exactly: ofClass("gpu.example.com") }),
      devices("many", { exactly: ofClass("gpu.example.com", { count: 3 }) }, { exactly: ofClass("nic.example.com") }),
      devices("all", { exactly: ofClass("nic.example.com", { allocationMode: "All" }) }),
      devices("either", {
        firstAvailable: [
          { name: "a", ...ofClass("gpu.example.com", { count: 2 }) },
          { name: "b", ...ofClass("gpu.example.com", { count: 4 }) },
          { name: "c", ...ofClass("nic.example.com", { count: 1 }) },
        ],
      }),
      step("delete a claim", (stage) => stage.remove(ResourceClaims, "many")),
    ],
  },
  {
    name: "Events are not counted, under either name",
    steps: [quota({ "count/events": "5", "count/events.events.k8s.io": "5", "count/leases.coordination.k8s.io": "5" })],
  },
];
