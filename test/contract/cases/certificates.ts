/** CertificateSigningRequests: valid requests, who can approve them, and their status. */
import { apply, del, get, patch, post, put, type Case, type Step, type Table } from "../case.ts";
import { certificate, requests, wrongCertificates, wrongRequests } from "./certificates/pem.ts";

type Json = Readonly<Record<string, unknown>>;

const all = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const one = `${all}/{ns}`;
const signerName = "example.com/s";
const spec = (more: Json = {}): Json => ({ request: requests.ed25519, signerName, usages: ["client auth"], ...more });
const request = (more: Json = {}, status: Json = {}): Json => ({
  metadata: { name: "{ns}" },
  spec: spec(more),
  ...status,
});
const dry = (more: Json, status: Json = {}): Step => post(all, request(more, status), "dryRun=All");
const made = post(all, request());

const condition = (type: string, more: Json = {}): Json => ({ type, status: "True", reason: "Because", ...more });
const status = (...conditions: readonly Json[]): Json => ({ status: { conditions } });
const merge = (at: string, body: Json): Step => patch("merge", at, body);
const whole = (more: Json): Json => ({ ...request(), ...more });

const news: readonly Case[] = [
  { name: "requests with every type of key", steps: Object.values(requests).map((pem) => dry({ request: pem })) },
  {
    name: "wrong signatures, and invalid requests",
    steps: Object.values(wrongRequests).map((pem) => dry({ request: pem })),
  },
  {
    name: "usages, lifetimes and signers",
    steps: [
      dry({ usages: [] }),
      dry({ usages: ["any", "any", "none"] }),
      dry({ expirationSeconds: 599 }),
      dry({ expirationSeconds: 600 }),
      dry({ signerName: "" }),
      dry({ signerName: "kubernetes.io/legacy-unknown" }),
      dry({ signerName: "example.com" }),
      dry({ signerName: "a/b" }),
      dry({ signerName: "example.com/A_b.c" }),
      dry({ signerName: "example.com/a/b" }),
    ],
  },
  {
    name: "the server sets the requester, and nothing is decided",
    steps: [
      dry({ username: "u", uid: "1", groups: ["g"], extra: { a: ["b"] } }, status(condition("Approved"))),
      {
        ...dry({}),
        headers: { "impersonate-user": "{ns}-user", "impersonate-group": "system:masters", "impersonate-extra-a": "b" },
      },
    ],
  },
  {
    name: "names can be any path segment",
    steps: ["A_b", "a:b", "a/b", "%"].map((name) =>
      post(all, { metadata: { name: `{ns}-${name}` }, spec: spec() }, "dryRun=All"),
    ),
  },
];

const decisions: readonly Case[] = [
  {
    name: "approved by the approval subresource",
    steps: [
      made,
      put(
        `${one}/approval`,
        whole({ metadata: { name: "{ns}", labels: { a: "b" } }, ...status(condition("Approved", { message: "m" })) }),
      ),
      get(`${one}/approval`),
      get(one),
    ],
  },
  {
    name: "the approval subresource writes no other part",
    steps: [
      made,
      put(`${one}/approval`, {
        ...whole({}),
        spec: spec({ signerName: "other.example.com/s" }),
        status: { certificate, conditions: [condition("Other")] },
      }),
      merge(`${one}/approval`, { status: { certificate } }),
      merge(`${one}/approval`, status(condition("Denied", { status: "False" }))),
      merge(`${one}/approval`, status(condition("Approved"), condition("Denied"))),
      merge(`${one}/approval`, status(condition("Other"), condition("Other"))),
      merge(`${one}/approval`, status({ type: "", status: "" }, { type: "Failed", status: "Maybe" })),
      get(one),
    ],
  },
  {
    name: "a decision cannot be changed",
    steps: [
      made,
      merge(`${one}/approval`, status(condition("Denied"))),
      merge(`${one}/approval`, status()),
      merge(`${one}/approval`, status(condition("Approved"))),
      merge(`${one}/approval`, status(condition("Denied", { reason: "Other" }))),
      merge(`${one}/approval`, status(condition("Denied"), condition("Approved"))),
      get(one),
    ],
  },
  {
    name: "the status subresource decides nothing",
    steps: [
      made,
      merge(`${one}/status`, status(condition("Approved"))),
      merge(`${one}/status`, status(condition("Failed"))),
      merge(`${one}/status`, status()),
      merge(`${one}/approval`, status(condition("Failed"), condition("Approved"))),
      merge(`${one}/status`, status(condition("Failed"))),
      merge(`${one}/status`, status(condition("Failed"), condition("Approved", { message: "changed" }))),
      merge(`${one}/status`, status(condition("Failed"), condition("Approved", { status: "False" }))),
      get(one),
    ],
  },
  {
    name: "transition times are kept if the status stays",
    steps: [
      made,
      merge(`${one}/approval`, status(condition("Approved", { lastTransitionTime: "2020-01-01T00:00:00Z" }))),
      merge(`${one}/approval`, status(condition("Approved", { message: "again" }))),
      merge(`${one}/status`, status(condition("Approved"), condition("Other", { status: "False" }))),
      merge(
        `${one}/status`,
        status(condition("Approved"), condition("Other", { status: "True", lastUpdateTime: "2020-01-01T00:00:00Z" })),
      ),
    ],
  },
];

const issued: readonly Case[] = [
  {
    name: "a certificate is issued once",
    steps: [
      made,
      merge(`${one}/status`, { status: { certificate } }),
      merge(`${one}/status`, { status: { certificate: requests.ec } }),
      merge(`${one}/status`, { status: { certificate: null } }),
      merge(`${one}/approval`, status(condition("Approved"))),
      put(one, whole({ metadata: { name: "{ns}", annotations: { a: "b" } }, status: {} })),
      get(one),
    ],
  },
  {
    name: "invalid certificates",
    steps: [
      made,
      ...Object.values(wrongCertificates).map((wrong) => merge(`${one}/status`, { status: { certificate: wrong } })),
    ],
  },
  {
    name: "the spec cannot be changed",
    steps: [
      made,
      merge(one, { spec: { usages: ["server auth"], expirationSeconds: 5 } }),
      merge(`${one}/status`, { spec: { signerName: "other.example.com/s" } }),
      apply(one, "m", {
        apiVersion: "certificates.k8s.io/v1",
        kind: "CertificateSigningRequest",
        spec: spec({ usages: ["any"] }),
      }),
      apply(`${one}/approval`, "m", {
        apiVersion: "certificates.k8s.io/v1",
        kind: "CertificateSigningRequest",
        ...status(condition("Approved")),
      }),
    ],
  },
  {
    name: "other methods, and a missing request",
    steps: [
      post(`${one}/approval`, whole({})),
      del(`${one}/approval`),
      get(`${one}/approval`),
      put(`${one}/approval`, whole({})),
      merge(`${one}/approval`, {}),
      get(all, "fieldSelector=spec.signerName%3Dnone"),
    ],
  },
];

export const certificates: Table = { name: "kinds-certificates", cases: [...news, ...decisions, ...issued] };
