/** Written scripts. */
import { EndpointSlices } from "../../../../src/api/kinds.ts";
import type { Script, Step } from "../../suite.ts";
import {
  act,
  change,
  dnsPort,
  endpoints,
  h2cPort,
  httpPort,
  leader,
  makeService,
  managedBy,
  mirroring,
  mirrorSlices,
  service,
  skip,
  skipLabel,
  subset,
  subsets,
} from "./acts.ts";

const one = subset(["192.0.2.1"]);
const two = subset(["192.0.2.1", "192.0.2.2"]);
const later = { waitMs: 500 } as const;

const toSlice = (name: string, body: object): Step => ({
  name,
  async act(stage) {
    const [slice] = await mirrorSlices(stage);
    if (slice === undefined) throw new Error("there is no mirrored slice");
    await stage.patch(EndpointSlices, slice.metadata.name, body);
  },
  ...later,
});

const serviceHas = (selector: object | null): Step =>
  act(`set ${selector === null ? "no selector" : "a selector"} for the Service`, (stage) =>
    stage.patch("services", "web", { spec: { selector } }),
  );

/** The contents of Endpoints, and the resulting slices. */
const contents: readonly Script[] = [
  {
    name: "addresses are added, changed and removed",
    steps: [
      service,
      endpoints("one address", [one]),
      subsets("set two addresses", [two]),
      subsets("make one address unready", [subset(["192.0.2.1"], [httpPort], ["192.0.2.2"])]),
      subsets("set more addresses than are mirrored", [
        subset(["192.0.2.1", "192.0.2.2", "192.0.2.3"], [httpPort], ["192.0.2.5", "192.0.2.4"]),
      ]),
      subsets("remove all addresses", null),
      subsets("set one address", [one]),
      act("delete the Endpoints", (stage) => stage.remove("endpoints", "web")),
    ],
  },
  {
    name: "hostnames, nodes and target references of addresses",
    steps: [
      service,
      endpoints("addresses with all fields", [
        {
          addresses: [
            { ip: "192.0.2.1", hostname: "one", nodeName: "node-1", targetRef: { kind: "Pod", name: "a", uid: "u" } },
            { ip: "192.0.2.2", hostname: "two" },
          ],
          ports: [httpPort],
        },
      ]),
      change("set another node for the second address", {
        subsets: [
          {
            addresses: [
              { ip: "192.0.2.1", hostname: "one", nodeName: "node-1", targetRef: { kind: "Pod", name: "a", uid: "u" } },
              { ip: "192.0.2.2", hostname: "two", nodeName: "node-2" },
            ],
            ports: [httpPort],
          },
        ],
      }),
    ],
  },
  {
    name: "ports and subsets",
    steps: [
      service,
      endpoints("two ports", [subset(["192.0.2.1"], [httpPort, dnsPort])]),
      subsets("set one of the ports", [one]),
      subsets("set two subsets with different ports", [one, subset(["192.0.2.2"], [dnsPort, h2cPort])]),
      subsets("set the same address in both subsets", [one, subset(["192.0.2.1"], [dnsPort])]),
      subsets("set no ports", [subset(["192.0.2.1"], [])]),
      subsets("set two subsets with the same port", [one, subset(["192.0.2.2"])]),
    ],
  },
  {
    name: "ports with an appProtocol, which upstream never considers equal",
    steps: [
      service,
      endpoints("two subsets with equal ports", [
        subset(["192.0.2.1"], [h2cPort, dnsPort]),
        subset(["192.0.2.2"], [h2cPort, dnsPort], ["192.0.2.1"]),
      ]),
      subsets("set one subset", [subset(["192.0.2.1", "192.0.2.2"], [h2cPort, dnsPort])]),
      subsets("set two subsets with different ports", [
        subset(["192.0.2.1"], [h2cPort]),
        subset(["192.0.2.1"], [dnsPort]),
      ]),
    ],
  },
  {
    name: "IPv4 and IPv6 addresses, in unusual notation",
    steps: [
      service,
      endpoints("both families", [subset(["192.0.2.1", "2001:DB8:0:0:0:0:0:1", "2001:db8::2"])]),
      subsets("remove one address", [subset(["192.0.2.1", "2001:DB8:0:0:0:0:0:1"])]),
      subsets("set only IPv6 addresses", [subset(["2001:DB8:0:0:0:0:0:1"])]),
      subsets("set only IPv4 addresses", [one]),
    ],
  },
  {
    name: "labels and annotations",
    steps: [
      service,
      endpoints("with a label and annotations", [one], {
        labels: { team: "red" },
        annotations: { note: "yes", "kubectl.kubernetes.io/last-applied-configuration": "{}" },
      }),
      change("change the label", { metadata: { labels: { team: "blue" } } }),
      change("change the annotation", { metadata: { annotations: { note: "no" } } }),
      change("change only the trigger time", {
        metadata: { annotations: { "endpoints.kubernetes.io/last-change-trigger-time": "2026-01-01T00:00:00Z" } },
      }),
      change("remove labels and annotations", { metadata: { labels: null, annotations: null } }),
      change("set a label that the controller sets itself", {
        metadata: { labels: { "kubernetes.io/service-name": "other" } },
      }),
    ],
  },
];

/** Which Endpoints are mirrored. */
const which: readonly Script[] = [
  {
    name: "the Service is created later, gets a selector, loses it, and is deleted",
    steps: [
      endpoints("without a Service", [one]),
      service,
      serviceHas({ app: "web" }),
      subsets("change the addresses meanwhile", [two]),
      serviceHas(null),
      act("delete the Service; the server deletes the Endpoints", (stage) => stage.remove("services", "web")),
    ],
  },
  {
    name: "the label skip-mirror",
    steps: [
      service,
      endpoints("with the label", [one], { labels: skip }),
      change("set the label to false", { metadata: { labels: { [skipLabel]: "false" } } }),
      change("set the label to true", { metadata: { labels: skip } }),
      subsets("change the addresses meanwhile", [two]),
      change("remove the label", { metadata: { labels: null } }),
    ],
  },
  {
    name: "a leader election lock",
    steps: [
      service,
      endpoints("with the annotation of a lock", [one], { annotations: leader }),
      change("remove the annotation", { metadata: { annotations: null } }),
      change("restore the annotation", { metadata: { annotations: leader } }),
    ],
  },
  {
    name: "Services of other types",
    steps: [
      act("create a headless Service", (stage) => makeService(stage, { clusterIP: "None" })),
      endpoints("with an address", [one]),
      act("replace it with one of type ExternalName", async (stage) => {
        await stage.remove("services", "web");
        await makeService(stage, { type: "ExternalName", externalName: "example.com", ports: undefined });
      }),
      endpoints("with two addresses", [two]),
    ],
  },
  {
    name: "a slice of earlier Endpoints with the same name",
    steps: [
      service,
      endpoints("one address", [one]),
      toSlice("set another owner uid on the slice", {
        metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Endpoints", name: "web", uid: "earlier" }] },
      }),
      change("trigger a sync", {
        metadata: { annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}" } },
      }),
    ],
  },
  {
    name: "Endpoints with a finalizer while they are terminating",
    steps: [
      service,
      endpoints("with a finalizer and one port", [one], { finalizers: ["example.com/hold"] }),
      act("delete the Endpoints", (stage) => stage.remove("endpoints", "web")),
      subsets("set another port", [subset(["192.0.2.1"], [dnsPort])]),
      subsets("set two subsets with different ports", [
        subset(["192.0.2.1"], [dnsPort]),
        subset(["192.0.2.2"], [h2cPort]),
      ]),
      change("remove the finalizer", { metadata: { finalizers: null } }),
    ],
  },
];

/** Slices changed by users. */
const meddling: readonly Script[] = [
  {
    name: "a modified slice is corrected",
    steps: [
      service,
      endpoints("two addresses", [two]),
      toSlice("remove its endpoints", { endpoints: [] }),
      toSlice("set another port", { ports: [{ name: "http", port: 99, protocol: "TCP" }] }),
    ],
  },
  {
    name: "modified labels and annotations of a slice are corrected on the next sync of its Endpoints",
    steps: [
      service,
      endpoints("one address", [one]),
      toSlice("set another label", { metadata: { labels: { team: "red" } } }),
      toSlice("set another annotation", { metadata: { annotations: { team: "red" } } }),
      change("trigger a sync", {
        metadata: { annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}" } },
      }),
    ],
  },
  {
    name: "a deleted slice is recreated",
    steps: [
      service,
      endpoints("one address", [one]),
      {
        ...act("delete the slice", async (stage) => {
          for (const { metadata } of await mirrorSlices(stage)) await stage.remove(EndpointSlices, metadata.name);
        }),
        ...later,
      },
    ],
  },
  {
    name: "slices of users are left alone, and deleted once they have the controller's label",
    steps: [
      service,
      act("create a slice without a manager", (stage) =>
        stage.create(EndpointSlices, {
          metadata: { name: "mine", labels: { "kubernetes.io/service-name": "web" } },
          addressType: "IPv4",
          ports: [dnsPort],
          endpoints: [{ addresses: ["192.0.2.9"] }],
        }),
      ),
      endpoints("one address", [one]),
      {
        ...act("set the controller's label", (stage) =>
          stage.patch(EndpointSlices, "mine", { metadata: { labels: { [managedBy]: mirroring } } }),
        ),
        ...later,
      },
    ],
  },
];

export const scripts: readonly Script[] = [...contents, ...which, ...meddling];
