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
    name: "the ConfigMap of a namespace is modified and deleted",
    steps: [
      published,
      act("add a key", (stage) => stage.patch("configmaps", mapName, { data: { more: "x" } })),
      act("set another certificate", (stage) => stage.patch("configmaps", mapName, { data: { "ca.crt": "x" } })),
      act("remove all data", (stage) => stage.patch("configmaps", mapName, { data: null })),
      act("change the description and add a label", (stage) =>
        stage.patch("configmaps", mapName, { metadata: { annotations: { [note]: "mine" }, labels: { team: "red" } } }),
      ),
      act("remove the description", (stage) => stage.patch("configmaps", mapName, { metadata: { annotations: null } })),
      act("add binary data", (stage) => stage.patch("configmaps", mapName, { binaryData: { more: "AA==" } })),
      act("delete the ConfigMap", (stage) => stage.remove("configmaps", mapName)),
      act("create another ConfigMap", (stage) => stage.create("configmaps", { metadata: { name: "mine" } })),
      act("delete that one", (stage) => stage.remove("configmaps", "mine")),
    ],
  },
  {
    name: "the ServiceAccount of a namespace is modified and deleted, and others are created and deleted",
    steps: [
      published,
      act("add a label", (stage) =>
        stage.patch("serviceaccounts", accountName, { metadata: { labels: { team: "red" } } }),
      ),
      act("delete the ServiceAccount", (stage) => stage.remove("serviceaccounts", accountName)),
      act("create another one", (stage) => stage.create("serviceaccounts", { metadata: { name: "mine" } })),
      act("delete that one", (stage) => stage.remove("serviceaccounts", "mine")),
      act("delete the ServiceAccount again", (stage) => stage.remove("serviceaccounts", accountName)),
    ],
  },
  {
    name: "a namespace is created, and deleted together with its ConfigMap",
    withoutOthers: "the namespace controller would delete the ConfigMap",
    steps: [
      act("create another namespace", (stage) => stage.beside("other")),
      act("add a label to it", (stage) =>
        stage.patch("namespaces", `${stage.namespace}-other`, { metadata: { labels: { team: "red" } } }),
      ),
      act("delete it", (stage) => stage.remove("namespaces", `${stage.namespace}-other`)),
      act("delete its ConfigMap, which is not recreated", async (stage) => {
        const other = await stage.beside("other");
        await other.remove("configmaps", mapName);
      }),
    ],
  },
];

const roles: readonly Script[] = [
  {
    name: "ClusterRoles are created, changed and deleted that another one selects",
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
    name: "several selectors, and a rule that occurs in several roles",
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
    name: "rules that users add to an aggregated ClusterRole are removed",
    steps: [
      role("all", { selects: ["red"], rules: [secrets] }),
      role("a", { rules: [pods], colours: ["red"] }),
      changeRole("all", () => ({ rules: [pods, secrets] })),
      changeRole("all", () => ({ rules: null })),
      changeRole("all", () => ({ metadata: { labels: { team: "red" } } })),
    ],
  },
  {
    name: "rules with all fields, and nonResourceURLs",
    steps: [
      role("all", { selects: ["red"] }),
      act("create a ClusterRole", (stage) =>
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
    name: "pods with ephemeral and other volumes",
    steps: [
      act("create a pod without ephemeral volumes", (stage) => makePod(stage, "none", { a: "emptyDir", b: "claim" })),
      act("create a pod with one", (stage) => makePod(stage, "one", { scratch: {} })),
      act("create a pod with several", (stage) =>
        makePod(stage, "more", {
          b: { labels: { team: "red" }, annotations: { note: "x" } },
          c: "emptyDir",
          a: {},
        }),
      ),
      act("add a label to a pod", (stage) => stage.patch("pods", "one", { metadata: { labels: { team: "red" } } })),
    ],
  },
  {
    name: "a deleted claim is recreated while its pod exists",
    steps: [
      act("create a pod", (stage) => makePod(stage, "web", { scratch: {}, other: {} })),
      act("delete a claim", (stage) => endClaim(stage, "web-scratch")),
      act("delete the pod, which has a finalizer", async (stage) => {
        await stage.patch("pods", "web", { metadata: { finalizers: ["example.com/hold"] } });
        await stage.remove("pods", "web", { gracePeriodSeconds: 0 });
      }),
      act("delete the other claim, which is not recreated", (stage) => endClaim(stage, "web-other")),
    ],
  },
  {
    name: "a claim with the name exists, owned by no pod",
    steps: [
      act("create a claim", (stage) => makeClaim(stage, "web-b")),
      act("create a pod", (stage) => makePod(stage, "web", { a: {}, b: {}, c: {} })),
      act("delete the claim", (stage) => endClaim(stage, "web-b")),
    ],
  },
  {
    name: "a recreated pod finds the claim of its predecessor",
    steps: [
      act("create a pod", (stage) => makePod(stage, "web", { a: {} })),
      act("delete the pod", (stage) => stage.remove("pods", "web", { gracePeriodSeconds: 0 })),
      act("recreate the pod", (stage) => makePod(stage, "web", { a: {} })),
      act("delete the claim", (stage) => endClaim(stage, "web-a")),
    ],
  },
];

export const scripts: readonly Script[] = [...certificates, ...roles, ...volumes, ...nodeScripts, ...policyScripts];
