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
  act(`the Service has ${selector === null ? "no selector" : "a selector"}`, (stage) =>
    stage.patch("services", "web", { spec: { selector } }),
  );

/** The contents of Endpoints, and the resulting slices. */
const contents: readonly Script[] = [
  {
    name: "addresses come, change and go",
    steps: [
      service,
      endpoints("one address", [one]),
      subsets("another one", [two]),
      subsets("one is not ready", [subset(["192.0.2.1"], [httpPort], ["192.0.2.2"])]),
      subsets("more than are mirrored", [
        subset(["192.0.2.1", "192.0.2.2", "192.0.2.3"], [httpPort], ["192.0.2.5", "192.0.2.4"]),
      ]),
      subsets("none", null),
      subsets("one again", [one]),
      act("the Endpoints are deleted", (stage) => stage.remove("endpoints", "web")),
    ],
  },
  {
    name: "names, nodes and targets of addresses",
    steps: [
      service,
      endpoints("whole addresses", [
        {
          addresses: [
            { ip: "192.0.2.1", hostname: "one", nodeName: "node-1", targetRef: { kind: "Pod", name: "a", uid: "u" } },
            { ip: "192.0.2.2", hostname: "two" },
          ],
          ports: [httpPort],
        },
      ]),
      change("the second moves to a node", {
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
      subsets("one of them", [one]),
      subsets("two subsets of other ports", [one, subset(["192.0.2.2"], [dnsPort, h2cPort])]),
      subsets("the same address at both", [one, subset(["192.0.2.1"], [dnsPort])]),
      subsets("no port", [subset(["192.0.2.1"], [])]),
      subsets("subsets of the same port", [one, subset(["192.0.2.2"])]),
    ],
  },
  {
    name: "ports with an application protocol, which upstream never takes for the same port",
    steps: [
      service,
      endpoints("in two subsets", [
        subset(["192.0.2.1"], [h2cPort, dnsPort]),
        subset(["192.0.2.2"], [h2cPort, dnsPort], ["192.0.2.1"]),
      ]),
      subsets("in one", [subset(["192.0.2.1", "192.0.2.2"], [h2cPort, dnsPort])]),
      subsets("in two of other ports", [subset(["192.0.2.1"], [h2cPort]), subset(["192.0.2.1"], [dnsPort])]),
    ],
  },
  {
    name: "both families, in unusual forms",
    steps: [
      service,
      endpoints("both", [subset(["192.0.2.1", "2001:DB8:0:0:0:0:0:1", "2001:db8::2"])]),
      subsets("one less", [subset(["192.0.2.1", "2001:DB8:0:0:0:0:0:1"])]),
      subsets("IPv6 alone", [subset(["2001:DB8:0:0:0:0:0:1"])]),
      subsets("IPv4 alone", [one]),
    ],
  },
  {
    name: "labels and annotations",
    steps: [
      service,
      endpoints("with both", [one], {
        labels: { team: "red" },
        annotations: { note: "yes", "kubectl.kubernetes.io/last-applied-configuration": "{}" },
      }),
      change("another label", { metadata: { labels: { team: "blue" } } }),
      change("another annotation", { metadata: { annotations: { note: "no" } } }),
      change("only the time of the change", {
        metadata: { annotations: { "endpoints.kubernetes.io/last-change-trigger-time": "2026-01-01T00:00:00Z" } },
      }),
      change("without label and annotation", { metadata: { labels: null, annotations: null } }),
      change("a label that is the controller's", { metadata: { labels: { "kubernetes.io/service-name": "other" } } }),
    ],
  },
];

/** Which Endpoints are mirrored. */
const which: readonly Script[] = [
  {
    name: "the Service comes late, gets a selector, loses it, and goes",
    steps: [
      endpoints("without a Service", [one]),
      service,
      serviceHas({ app: "web" }),
      subsets("they change meanwhile", [two]),
      serviceHas(null),
      act("the Service is deleted, and the server deletes the Endpoints", (stage) => stage.remove("services", "web")),
    ],
  },
  {
    name: "the label skip-mirror",
    steps: [
      service,
      endpoints("with the label", [one], { labels: skip }),
      change("they say otherwise", { metadata: { labels: { [skipLabel]: "false" } } }),
      change("the label again", { metadata: { labels: skip } }),
      subsets("they change meanwhile", [two]),
      change("the label goes", { metadata: { labels: null } }),
    ],
  },
  {
    name: "a lock of leader election",
    steps: [
      service,
      endpoints("of a lock", [one], { annotations: leader }),
      change("no longer", { metadata: { annotations: null } }),
      change("again", { metadata: { annotations: leader } }),
    ],
  },
  {
    name: "Services of other types",
    steps: [
      act("a headless one", (stage) => makeService(stage, { clusterIP: "None" })),
      endpoints("with an address", [one]),
      act("it is replaced by one of type ExternalName", async (stage) => {
        await stage.remove("services", "web");
        await makeService(stage, { type: "ExternalName", externalName: "example.com", ports: undefined });
      }),
      endpoints("again", [two]),
    ],
  },
  {
    name: "a slice of earlier Endpoints of the name",
    steps: [
      service,
      endpoints("the first", [one]),
      toSlice("its slice is said to be of earlier ones", {
        metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Endpoints", name: "web", uid: "earlier" }] },
      }),
      change("they are looked at again", {
        metadata: { annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}" } },
      }),
    ],
  },
  {
    name: "Endpoints that are held while they are deleted",
    steps: [
      service,
      endpoints("held, at one port", [one], { finalizers: ["example.com/hold"] }),
      act("they are deleted", (stage) => stage.remove("endpoints", "web")),
      subsets("another port", [subset(["192.0.2.1"], [dnsPort])]),
      subsets("two ports apart", [subset(["192.0.2.1"], [dnsPort]), subset(["192.0.2.2"], [h2cPort])]),
      change("they are let go", { metadata: { finalizers: null } }),
    ],
  },
];

/** Slices changed by users. */
const meddling: readonly Script[] = [
  {
    name: "a slice that was changed is mended",
    steps: [
      service,
      endpoints("two addresses", [two]),
      toSlice("it loses its endpoints", { endpoints: [] }),
      toSlice("its port is another", { ports: [{ name: "http", port: 99, protocol: "TCP" }] }),
    ],
  },
  {
    name: "labels and annotations of a slice are mended when its Endpoints are next looked at",
    steps: [
      service,
      endpoints("one address", [one]),
      toSlice("another label", { metadata: { labels: { team: "red" } } }),
      toSlice("another annotation", { metadata: { annotations: { team: "red" } } }),
      change("a change of nothing that counts", {
        metadata: { annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}" } },
      }),
    ],
  },
  {
    name: "a slice that was deleted comes again",
    steps: [
      service,
      endpoints("one address", [one]),
      {
        ...act("it is deleted", async (stage) => {
          for (const { metadata } of await mirrorSlices(stage)) await stage.remove(EndpointSlices, metadata.name);
        }),
        ...later,
      },
    ],
  },
  {
    name: "slices of the user's own are left alone, and go when they say to be mirrored",
    steps: [
      service,
      act("a slice of nobody's", (stage) =>
        stage.create(EndpointSlices, {
          metadata: { name: "mine", labels: { "kubernetes.io/service-name": "web" } },
          addressType: "IPv4",
          ports: [dnsPort],
          endpoints: [{ addresses: ["192.0.2.9"] }],
        }),
      ),
      endpoints("one address", [one]),
      {
        ...act("it says to be mirrored", (stage) =>
          stage.patch(EndpointSlices, "mine", { metadata: { labels: { [managedBy]: mirroring } } }),
        ),
        ...later,
      },
    ],
  },
];

export const scripts: readonly Script[] = [...contents, ...which, ...meddling];
