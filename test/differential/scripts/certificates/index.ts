/** Written scripts. */
import { CertificateSigningRequests } from "../../../../src/api/kinds.ts";
import type { Script, Step } from "../../suite.ts";
import { act, decide, grant, isApproved, kubeletSigner, makeRequest, type Parts } from "./acts.ts";
import { ownName } from "../../stage.ts";

const requested = (name: string, parts: Parts = {}): Step =>
  act(`create request ${name} with ${JSON.stringify(parts)}`, (stage) => makeRequest(stage, name, parts));
const approved = (name: string, parts: Parts = {}): Step => ({ ...requested(name, parts), until: isApproved(name) });
const granted = (by: "node" | "joiner", right?: string): Step =>
  act(`allow ${by} to create ${right ?? "requests"}`, (stage) => grant(stage, by, right));
const waits = (step: Step): Step => ({ ...step, waitMs: 1500 });

const usages = ["client auth", "digital signature", "key encipherment"];

export const scripts: readonly Script[] = [
  {
    name: "requests of an administrator for any kubelet are approved",
    steps: [approved("one"), approved("two", { usages }), approved("other", { commonName: "system:node:other" })],
  },
  {
    name: "a node's request for its own certificate is approved once it has the right",
    steps: [
      granted("node"),
      waits(requested("one", { by: "node", usages })),
      { ...granted("node", "selfnodeclient"), until: isApproved("one") },
      approved("two", { by: "node" }),
      waits(requested("other", { by: "node", commonName: "system:node:other" })),
    ],
  },
  {
    name: "a joining user's request is approved once the user has the right",
    steps: [
      granted("joiner"),
      waits(requested("one", { by: "joiner" })),
      granted("joiner", "selfnodeclient"),
      { ...granted("joiner", "nodeclient"), until: isApproved("one") },
      approved("two", { by: "joiner", commonName: "system:node:other" }),
    ],
  },
  {
    name: "a node that may join nodes also requests its own certificate",
    steps: [granted("node"), granted("node", "nodeclient"), approved("one", { by: "node" })],
  },
  {
    name: "requests that are not for a kubelet's client certificate are ignored",
    steps: [
      requested("signer", { signerName: "kubernetes.io/kube-apiserver-client", usages: ["client auth"] }),
      requested("serving", {
        signerName: "kubernetes.io/kubelet-serving",
        usages: ["server auth", "digital signature"],
      }),
      requested("own", { signerName: "example.com/own" }),
      requested("server-auth", { usages: [...usages, "server auth"] }),
      requested("no-signature", { usages: ["client auth"] }),
      requested("name", { commonName: "jane" }),
      requested("organization", { organizations: ["system:nodes", "team"] }),
      requested("no-organization", { organizations: [] }),
      requested("dns", { dns: ["node.example.com"] }),
      requested("email", { emails: ["node@example.com"] }),
      requested("ip", { ips: ["10.0.0.1"] }),
      requested("uri", { uris: ["https://example.com/node"] }),
    ],
  },
  {
    name: "decisions by hand are kept, and failed requests can still be approved",
    steps: [
      granted("node"),
      waits(requested("denied", { by: "node" })),
      act("deny the request", (stage) => decide(stage, "denied", "Denied")),
      waits(requested("approved", { by: "node" })),
      act("approve the other request", (stage) => decide(stage, "approved", "Approved")),
      waits(requested("failed", { by: "node" })),
      act("a third request fails", (stage) => decide(stage, "failed", "Failed")),
      { ...granted("node", "selfnodeclient"), until: isApproved("failed") },
      act("label the denied request", (stage) =>
        stage.patch(CertificateSigningRequests, ownName(stage, "denied"), { metadata: { labels: { team: "red" } } }),
      ),
    ],
  },
  {
    name: "a request is deleted while its author lacks the right, and created again",
    steps: [
      granted("joiner"),
      waits(requested("one", { by: "joiner", signerName: kubeletSigner })),
      act("delete the request", (stage) => stage.remove(CertificateSigningRequests, ownName(stage, "one"))),
      granted("joiner", "nodeclient"),
      approved("one", { by: "joiner" }),
    ],
  },
];
