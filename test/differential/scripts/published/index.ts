/** Written scripts. */
import type { Script } from "../../suite.ts";
import { scripts as nodeScripts } from "./nodes.ts";
import { scripts as policyScripts } from "./policies.ts";
import {
  accountName,
  act,
  changeRole,
  endClaim,
  makeClaim,
  makePod,
  mapName,
  note,
  removeRole,
  role,
  roleBody,
  ruleOf,
} from "./acts.ts";

const [pods, nodes, secrets] = [ruleOf("pods"), ruleOf("nodes", "get", "list"), ruleOf("secrets")];

/** The namespace was created for the script; its ConfigMap and ServiceAccount appear a moment later. */
const published = act("the namespace gets its ConfigMap", () => Promise.resolve());

const certificates: readonly Script[] = [
  {
    name: "the ConfigMap of a namespace is changed, described otherwise, and deleted",
    steps: [
      published,
      act("another key", (stage) => stage.patch("configmaps", mapName, { data: { more: "x" } })),
      act("another certificate", (stage) => stage.patch("configmaps", mapName, { data: { "ca.crt": "x" } })),
      act("no data", (stage) => stage.patch("configmaps", mapName, { data: null })),
      act("another description, and a label", (stage) =>
        stage.patch("configmaps", mapName, { metadata: { annotations: { [note]: "mine" }, labels: { team: "red" } } }),
      ),
      act("no description", (stage) => stage.patch("configmaps", mapName, { metadata: { annotations: null } })),
      act("binary data", (stage) => stage.patch("configmaps", mapName, { binaryData: { more: "AA==" } })),
      act("it is deleted", (stage) => stage.remove("configmaps", mapName)),
      act("another ConfigMap", (stage) => stage.create("configmaps", { metadata: { name: "mine" } })),
      act("that is deleted", (stage) => stage.remove("configmaps", "mine")),
    ],
  },
  {
    name: "the ServiceAccount of a namespace is changed and deleted, and others come and go",
    steps: [
      published,
      act("a label", (stage) => stage.patch("serviceaccounts", accountName, { metadata: { labels: { team: "red" } } })),
      act("it is deleted", (stage) => stage.remove("serviceaccounts", accountName)),
      act("another one", (stage) => stage.create("serviceaccounts", { metadata: { name: "mine" } })),
      act("that is deleted", (stage) => stage.remove("serviceaccounts", "mine")),
      act("it is deleted once more", (stage) => stage.remove("serviceaccounts", accountName)),
    ],
  },
  {
    name: "a namespace comes, and goes while its ConfigMap is deleted",
    steps: [
      act("another namespace", (stage) => stage.beside("other")),
      act("it has another label", (stage) =>
        stage.patch("namespaces", `${stage.namespace}-other`, { metadata: { labels: { team: "red" } } }),
      ),
      act("it is deleted", (stage) => stage.remove("namespaces", `${stage.namespace}-other`)),
      act("its ConfigMap is deleted, and comes no more", async (stage) => {
        const other = await stage.beside("other");
        await other.remove("configmaps", mapName);
      }),
    ],
  },
];

const roles: readonly Script[] = [
  {
    name: "ClusterRoles come, change and go under one that selects them",
    steps: [
      role("all", { selects: ["red"] }),
      role("b", { rules: [pods, nodes], colours: ["red"] }),
      role("a", { rules: [nodes, secrets], colours: ["red"] }),
      role("other", { rules: [ruleOf("services")], colours: ["blue"] }),
      changeRole("b", () => ({ rules: [pods] })),
      changeRole("a", () => ({ rules: [] })),
      changeRole("b", () => ({ metadata: { labels: null } })),
      changeRole("b", (stage) => roleBody(stage, { colours: ["red"] })),
      removeRole("b"),
      removeRole("a"),
    ],
  },
  {
    name: "several selectors, and a rule that several have",
    steps: [
      role("c", { rules: [pods, secrets], colours: ["red", "blue"] }),
      role("b", { rules: [secrets, nodes], colours: ["red"] }),
      role("a", { rules: [nodes], colours: ["blue"] }),
      role("all", { selects: ["blue", "red"] }),
      changeRole("all", (stage) => roleBody(stage, { selects: ["red", "blue"] })),
      changeRole("all", (stage) => roleBody(stage, { selects: ["red"] })),
      changeRole("all", () => ({ aggregationRule: null })),
      changeRole("b", () => ({ rules: [] })),
    ],
  },
  {
    name: "a chain of ClusterRoles, one of which selects itself",
    steps: [
      role("top", { selects: ["blue"], colours: ["blue"] }),
      role("middle", { selects: ["red"], colours: ["blue"] }),
      role("leaf", { rules: [pods, nodes], colours: ["red"] }),
      changeRole("leaf", () => ({ rules: [nodes] })),
      removeRole("leaf"),
    ],
  },
  {
    name: "rules that users write into an aggregated ClusterRole are taken away",
    steps: [
      role("all", { selects: ["red"], rules: [secrets] }),
      role("a", { rules: [pods], colours: ["red"] }),
      changeRole("all", () => ({ rules: [pods, secrets] })),
      changeRole("all", () => ({ rules: null })),
      changeRole("all", () => ({ metadata: { labels: { team: "red" } } })),
    ],
  },
  {
    name: "rules with everything that a rule can have, and paths",
    steps: [
      role("all", { selects: ["red"] }),
      act("a ClusterRole", (stage) =>
        stage.create("clusterroles", {
          metadata: { name: `${stage.namespace}-a`, labels: { "example.com/red": stage.namespace } },
          rules: [
            { apiGroups: ["apps", ""], resources: ["deployments"], resourceNames: ["web"], verbs: ["get", "list"] },
            { nonResourceURLs: ["/healthz", "/livez/*"], verbs: ["get"] },
          ],
        }),
      ),
    ],
  },
];

const volumes: readonly Script[] = [
  {
    name: "pods with ephemeral volumes and others",
    steps: [
      act("a pod without", (stage) => makePod(stage, "none", { a: "emptyDir", b: "claim" })),
      act("a pod with one", (stage) => makePod(stage, "one", { scratch: {} })),
      act("a pod with several", (stage) =>
        makePod(stage, "more", {
          b: { labels: { team: "red" }, annotations: { note: "x" } },
          c: "emptyDir",
          a: {},
        }),
      ),
      act("a label of the pod", (stage) => stage.patch("pods", "one", { metadata: { labels: { team: "red" } } })),
    ],
  },
  {
    name: "a claim that is deleted comes again, while its pod is there",
    steps: [
      act("a pod", (stage) => makePod(stage, "web", { scratch: {}, other: {} })),
      act("a claim is deleted", (stage) => endClaim(stage, "web-scratch")),
      act("the pod is deleted, and held", async (stage) => {
        await stage.patch("pods", "web", { metadata: { finalizers: ["example.com/hold"] } });
        await stage.remove("pods", "web", { gracePeriodSeconds: 0 });
      }),
      act("the other claim is deleted, and comes no more", (stage) => endClaim(stage, "web-other")),
    ],
  },
  {
    name: "a claim of somebody else's is in the way",
    steps: [
      act("a claim", (stage) => makeClaim(stage, "web-b")),
      act("a pod", (stage) => makePod(stage, "web", { a: {}, b: {}, c: {} })),
      act("the claim is deleted", (stage) => endClaim(stage, "web-b")),
    ],
  },
  {
    name: "a pod of the name comes again, with the claim of the first",
    steps: [
      act("a pod", (stage) => makePod(stage, "web", { a: {} })),
      act("it is deleted", (stage) => stage.remove("pods", "web", { gracePeriodSeconds: 0 })),
      act("another one", (stage) => makePod(stage, "web", { a: {} })),
      act("the claim is deleted", (stage) => endClaim(stage, "web-a")),
    ],
  },
];

export const scripts: readonly Script[] = [...certificates, ...roles, ...volumes, ...nodeScripts, ...policyScripts];
