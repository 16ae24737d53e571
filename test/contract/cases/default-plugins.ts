/** Admission plugins that are enabled by default and concern a single kind. */
import { del, patch, post, settle, type Case, type Step, type Table } from "../case.ts";

type Json = Record<string, unknown>;

const classes = "/apis/networking.k8s.io/v1/ingressclasses";
const ingresses = "/apis/networking.k8s.io/v1/namespaces/{ns}/ingresses";
const requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
const roleBindings = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";

const ingress = (spec: Json = {}, annotations: Json = {}): Step =>
  post(
    ingresses,
    {
      metadata: { name: "i", annotations },
      spec: { defaultBackend: { service: { name: "s", port: { number: 80 } } }, ...spec },
    },
    "dryRun=All",
  );

const ingressClass = (name: string): Step =>
  post(classes, {
    metadata: { name: `{ns}-${name}`, annotations: { "ingressclass.kubernetes.io/is-default-class": "true" } },
    spec: { controller: "example.com/c" },
  });

/** Certificate requests of eve in system:masters, and of bob in two other groups. */
const eve =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIaU1JR0pBZ0VBTUNjeEZ6QVZCZ05WQkFvTURuTjVjM1JsYlRwdFlYTjBaWEp6TVF3d0NnWURWUVFEREFObApkbVV3V1RBVEJnY3Foa2pPUFFJQkJnZ3Foa2pPUFFNQkJ3TkNBQVJWWXVlWU1KNEU1bDRSSUFkbFRxSEY3bGM1Cm9GZFljZHl1OUZyb3g0RkI2OHdud3lOU2F0SGJlaW5FRGd6b25jL3czUUtaRnY5RFpDdlZ1QVhPWldGbW9BQXcKQ2dZSUtvWkl6ajBFQXdJRFNBQXdSUUlnVU9qQm55bnZkakoxNnRiNHM2ZldnRmp6QVVhd0cyREJ4Y3JwU2M3eQpsRUFDSVFDTVg0dm5CSVFWOXBZeEN4UUYrRG1PYUthbVQraVI5Nm9PbnZ5LzdQeUJmZz09Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=";
const bob =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIb01JR1BBZ0VBTUMweERUQUxCZ05WQkFvTUJIUmxZVzB4RGpBTUJnTlZCQW9NQlc5MGFHVnlNUXd3Q2dZRApWUVFEREFOaWIySXdXVEFUQmdjcWhrak9QUUlCQmdncWhrak9QUU1CQndOQ0FBUVNCb2Q0OWdIV0ZIdXExN0ZpCnBwb2FXbHpha1g4SUJBT3AydjAvMHpEajdnZmo3T05YL0dueHlkZVNnemFVaXY4aFdrUUNFUFUzaUpzZjRmeXcKbnVNam9BQXdDZ1lJS29aSXpqMEVBd0lEU0FBd1JRSWhBTmFrZnlHemJ4S2pNNVZnYmVLVTBEcVlBZEkvbW1JTApncmIvcml3ZzN6SXlBaUIyaGw3NGpLRWd4SjZrS1hYaDJKbmNNcWd2Y0ZSWmNYVHBtdEVtc05HRFpnPT0KLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==";

const signing = (request: string, signerName = "kubernetes.io/kube-apiserver-client", n = ""): Step =>
  post(requests, { metadata: { name: `{ns}-r${n}` }, spec: { request, signerName, usages: ["client auth"] } });

const as = (user: string, step: Step): Step => ({ ...step, headers: { "impersonate-user": user } });

/** Grants a user these permissions and no others. */
const allow = (user: string, ...rules: readonly Json[]): Step[] => [
  post(roles, { metadata: { name: `{ns}-${user}` }, rules }),
  post(roleBindings, {
    metadata: { name: `{ns}-${user}` },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: `{ns}-${user}` },
    subjects: [{ kind: "User", name: `{ns}-${user}`, apiGroup: "rbac.authorization.k8s.io" }],
  }),
];

const ofRequests = (subresource: string): Json => ({
  apiGroups: ["certificates.k8s.io"],
  resources: [`certificatesigningrequests/${subresource}`],
  verbs: ["update", "patch"],
});
const mayBe = (verb: string, signer: string): Json => ({
  apiGroups: ["certificates.k8s.io"],
  resources: ["signers"],
  resourceNames: [signer],
  verbs: [verb],
});

const condition = (type: string): Json => ({
  status: {
    conditions: [
      {
        type,
        status: "True",
        reason: "R",
        message: "m",
        lastUpdateTime: "2026-01-01T00:00:00Z",
        lastTransitionTime: "2026-01-01T00:00:00Z",
      },
    ],
  },
});

const cases: readonly Case[] = [
  {
    name: "an Ingress gets the newest default class",
    steps: [
      ingress(),
      ingressClass("a"),
      settle,
      ingress(),
      ingress({ ingressClassName: "own" }),
      ingress({}, { "kubernetes.io/ingress.class": "own" }),
      // Otherwise the Ingresses of other cases would get this class.
      del(`${classes}/{ns}-a`),
      settle,
      ingress(),
    ],
  },
  {
    name: "no client certificates for members of system:masters",
    steps: [signing(eve), signing(bob), signing(eve, "example.com/signer", "2")],
  },
  {
    name: "the permission to sign",
    steps: [
      signing(bob, "example.com/one", "1"),
      signing(bob, "example.org/two", "2"),
      ...allow("signer", ofRequests("status"), mayBe("sign", "example.com/*"), mayBe("sign", "example.org/three")),
      settle,
      as("{ns}-signer", patch("merge", `${requests}/{ns}-r1/status`, condition("Failed"))),
      as("{ns}-signer", patch("merge", `${requests}/{ns}-r2/status`, condition("Failed"))),
      as("{ns}-signer", patch("merge", `${requests}/{ns}-r2/status`, { metadata: { labels: { a: "b" } } })),
    ],
  },
];

/** The certificate requests of the cases. */
export const defaultPluginRequests: { readonly eve: string; readonly bob: string } = { eve, bob };

export const defaultPlugins: Table = { name: "default-plugins", cases };
