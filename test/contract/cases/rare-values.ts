/** Rarely used values: random requests showed that the sandbox handled each of them differently from the real server. */
import { get, patch, paths, post, put, type Table } from "../case.ts";

const dry = "dryRun=All";
const labels = { app: "a" };
const containers = [{ name: "c", image: "i" }];
const template = { metadata: { labels }, spec: { containers } };
const workload = { selector: { matchLabels: labels }, template };
const scaled = { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" }, maxReplicas: 2 };
const autoscalers = "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers";
const policies = "/apis/networking.k8s.io/v1/namespaces/{ns}/networkpolicies";
const slices = "/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices";
const named = { metadata: { name: "a" } };
const block = (cidr: string, ...except: string[]): object => ({
  podSelector: {},
  ingress: [{ from: [{ ipBlock: { cidr, except } }] }],
});

export const rareValues: Table = {
  name: "rare-values",
  cases: [
    {
      name: "empty claims of a pod are stored, those of a container are dropped",
      steps: [
        post(paths.pods, { ...named, spec: { containers, resources: { claims: [] } } }, dry),
        post(paths.pods, { ...named, spec: { containers: [{ ...containers[0], resources: { claims: [] } }] } }, dry),
      ],
    },
    {
      name: "an empty string in a pointer field",
      steps: [
        post(
          paths.persistentvolumeclaims,
          {
            ...named,
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, volumeMode: "" },
          },
          dry,
        ),
        post(policies, { ...named, spec: { podSelector: {}, ingress: [{ ports: [{ protocol: "" }] }] } }, dry),
      ],
    },
    {
      name: "a negative tolerance of an autoscaler",
      steps: [post(autoscalers, { ...named, spec: { ...scaled, behavior: { scaleDown: { tolerance: "-1" } } } }, dry)],
    },
    {
      name: "the topology of a new EndpointSlice is dropped before validation",
      steps: [
        post(slices, {
          ...named,
          addressType: "IPv4",
          endpoints: [{ addresses: ["192.0.2.1"], deprecatedTopology: { b: "::1" } }],
          ports: [],
        }),
      ],
    },
    {
      name: "CIDRs of a NetworkPolicy with host bits",
      steps: [
        post(policies, { ...named, spec: block("192.0.2.1/24", "192.0.2.0/25") }),
        post(policies, { ...named, spec: block("192.0.2.0/24", "192.0.2.1/25", "010.0.0.0/30") }),
        post(policies, { ...named, spec: block("192.0.2.0/24", "192.0.2.0/25") }),
        put(`${policies}/a`, { ...named, spec: block("192.0.2.0/24", "192.0.2.9/25") }),
      ],
    },
    {
      name: "addresses of a load balancer",
      steps: [
        post(paths.services, {
          ...named,
          spec: { type: "LoadBalancer", allocateLoadBalancerNodePorts: false, ports: [{ port: 80 }] },
        }),
        ...[
          [{ ipMode: "x.io/y" }],
          [{ ip: "198.51.100.1", ipMode: "Elsewhere" }, { ip: "198.51.100" }],
          [{ hostname: "198.51.100.1" }, { hostname: "A b" }],
          [{ ip: "198.51.100.1" }, { hostname: "lb.example.com" }],
        ].map((ingress) =>
          patch("merge", `${paths.services}/a/status`, { status: { loadBalancer: { ingress } } }, dry),
        ),
      ],
    },
    {
      name: "UIDs of uncounted pods of a Job",
      steps: [
        post(paths.jobs, { ...named, spec: { template: { spec: { containers, restartPolicy: "Never" } } } }),
        patch(
          "merge",
          `${paths.jobs}/a/status`,
          { status: { uncountedTerminatedPods: { succeeded: ["x"], failed: ["", "x"] } } },
          dry,
        ),
      ],
    },
    {
      name: "names of StatefulSets must be labels",
      steps: [
        post(paths.statefulsets, { metadata: { name: "a.example.com" }, spec: { ...workload, serviceName: "s" } }, dry),
      ],
    },
    {
      name: "generateName is ignored if there is a name",
      steps: [
        post(
          paths.replicationcontrollers,
          { metadata: { name: "a", generateName: "Never" }, spec: { selector: labels, template } },
          dry,
        ),
        post(
          paths.replicationcontrollers,
          { metadata: { name: "a", generateName: "/a" }, spec: { selector: labels, template } },
          dry,
        ),
      ],
    },
    {
      name: "a null quantity",
      steps: [
        post(paths.resourcequotas, { ...named, spec: { hard: { pods: null } } }, dry),
        post(paths.resourcequotas, { ...named, spec: { hard: { a: null } } }, dry),
        post(paths.limitranges, { ...named, spec: { limits: [{ type: "Pod", max: { cpu: "1" } }] } }),
        patch("merge", `${paths.limitranges}/a`, { spec: { limits: [{ type: "Pod", max: { "/a": null } }] } }, dry),
        patch("strategic", `${paths.limitranges}/a`, { spec: { limits: [{ type: "Pod", max: { "/a": null } }] } }, dry),
      ],
    },
    {
      name: "a list of bytes",
      steps: [post(paths.secrets, { ...named, data: { a: [104, 105], b: [] } })],
    },
    {
      name: "a PUT that creates, with an invalid version",
      steps: [
        put(`${paths.leases}/a`, { metadata: { name: "a", resourceVersion: "abc" }, spec: {} }),
        put(`${paths.leases}/a`, { metadata: { name: "a", resourceVersion: "-1" }, spec: {} }),
        put(`${paths.leases}/a`, { metadata: { name: "a", resourceVersion: "abc", uid: "u" }, spec: {} }),
      ],
    },
    {
      name: "directives of strategic merge patches for something other than a list",
      steps: [
        post(paths.configmaps, { ...named, data: { a: "1" }, binaryData: { c: "YQ==" } }),
        ...[
          { metadata: { "$setElementOrder/generateName": [] } },
          { data: { "$setElementOrder/b": ["a"] } },
          { binaryData: { "$setElementOrder/b": ["a"] } },
          { metadata: { "$deleteFromPrimitiveList/name": "b" } },
          { data: { "$deleteFromPrimitiveList/a": "2" } },
          { data: { "$deleteFromPrimitiveList/a": ["1"] } },
        ].map((sent) => patch("strategic", `${paths.configmaps}/a`, sent, dry)),
      ],
    },
    {
      name: "the deprecated serviceAccount does not override the new field",
      steps: [
        post(paths.pods, { ...named, spec: { containers } }),
        patch("merge", `${paths.pods}/a`, { spec: { serviceAccount: "other" } }, dry),
      ],
    },
    {
      name: "kinds without selection by namespace",
      steps: [
        get("/api/v1/nodes", "fieldSelector=metadata.namespace%3Da"),
        get("/api/v1/namespaces", "fieldSelector=metadata.namespace%3Da"),
      ],
    },
  ],
};
