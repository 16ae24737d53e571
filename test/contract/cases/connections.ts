/** Webhooks and policies for CONNECT, which are called before the connection is established. Each connection is denied. */
import { type Case, get, paths, pod, post, type Step, type Table } from "../case.ts";
import { allowing, denying } from "../webhooks.ts";
import { validating } from "./policy-steps.ts";
import { hooked, rule, webhook } from "./webhooks.ts";

const { pods, services } = paths;
const no = denying({ code: 403, message: "not here" });
const connects = webhook("hook", { rules: [rule("pods/*,services/proxy", "CONNECT")] });
const made = post(pods, pod("web", {}, { nodeName: "nowhere" }));

const denied = (name: string, ...steps: readonly Step[]): Case =>
  hooked("validating", name, { hooks: { hook: no }, webhooks: [connects], before: [made], steps });

const policy = {
  matchConstraints: {
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "{ns}" } },
    resourceRules: [{ operations: ["CONNECT"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods/exec"] }],
  },
};

const cases: readonly Case[] = [
  denied(
    "a command in a container",
    post(`${pods}/web/exec`, undefined, "command=sh&command=-c&stdin&stdout=true&stderr=0&tty=False&container=c"),
    get(`${pods}/web/exec`, "command=sh"),
    post(`${pods}/web/exec`, undefined),
    post(`${pods}/none/exec`, undefined, "command=sh"),
    post(`${pods}/web/exec`, undefined, "command=sh&dryRun=All"),
  ),
  denied("an attach to a container", post(`${pods}/web/attach`, undefined, "stdin=1&tty=yes")),
  denied(
    "port forwarding",
    post(`${pods}/web/portforward`, undefined, "ports=80,81&ports=82"),
    post(`${pods}/web/portforward`, undefined),
    post(`${pods}/web/portforward`, undefined, "ports=x"),
    post(`${pods}/web/portforward`, undefined, "ports=65536"),
  ),
  denied(
    "proxy paths of pods and Services",
    get(`${pods}/web:80/proxy/x/y/`, "a=b"),
    get(`${pods}/web/proxy`),
    get(`${pods}/proxy/proxy/proxy`),
    get(`${pods}/web/proxy//x//`),
    get(`${services}/https:web:443/proxy/`),
    get(`${services}/web/proxy/a%20b`),
  ),
  hooked("validating", "a webhook whose selector excludes the object", {
    hooks: { hook: no, other: no },
    webhooks: [
      webhook("hook", {
        rules: [rule("pods/*", "CONNECT")],
        objectSelector: { matchExpressions: [{ key: "a", operator: "DoesNotExist" }] },
      }),
      webhook("other", { rules: [rule("pods/*", "CONNECT")] }),
    ],
    before: [made],
    steps: [post(`${pods}/web/exec`, undefined, "command=sh")],
  }),
  hooked("mutating", "options that a webhook changes", {
    hooks: {
      first: allowing({ patchType: "JSONPatch", patch: btoa('[{"op":"add","path":"/stdin","value":true}]') }),
      second: no,
    },
    webhooks: ["first", "second"].map((name) => webhook(name, { rules: [rule("pods/exec", "CONNECT")] })),
    before: [made],
    steps: [post(`${pods}/web/exec`, undefined, "command=sh")],
  }),
  {
    name: "a policy against shells",
    steps: [
      made,
      ...validating({
        ...policy,
        matchConditions: [{ name: "c", expression: "request.operation == 'CONNECT' && request.subResource == 'exec'" }],
        validations: [{ expression: "object.command[0] != 'sh' || has(object.metadata)", message: "no shells" }],
      }),
      post(`${pods}/web/exec`, undefined, "command=sh"),
    ],
  },
];

export const connectionCases: Table = { name: "connections", sideBySide: true, cases };
