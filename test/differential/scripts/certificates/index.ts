/** Written scripts. */
import { CertificateSigningRequests } from "../../../../src/api/kinds.ts";
import type { Script, Step } from "../../suite.ts";
import { act, decide, grant, isApproved, kubeletSigner, makeRequest, type Parts } from "./acts.ts";
import { ownName } from "../../stage.ts";

const asked = (name: string, parts: Parts = {}): Step =>
  act(`create request ${name} with ${JSON.stringify(parts)}`, (stage) => makeRequest(stage, name, parts));
const approved = (name: string, parts: Parts = {}): Step => ({ ...asked(name, parts), until: isApproved(name) });
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
      waits(asked("one", { by: "node", usages })),
      { ...granted("node", "selfnodeclient"), until: isApproved("one") },
      approved("two", { by: "node" }),
      waits(asked("other", { by: "node", commonName: "system:node:other" })),
    ],
  },
  {
    name: "a joining user's request is approved once the user has the right",
    steps: [
      granted("joiner"),
      waits(asked("one", { by: "joiner" })),
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
      asked("signer", { signerName: "kubernetes.io/kube-apiserver-client", usages: ["client auth"] }),
      asked("serving", { signerName: "kubernetes.io/kubelet-serving", usages: ["server auth", "digital signature"] }),
      asked("own", { signerName: "example.com/own" }),
      asked("server-auth", { usages: [...usages, "server auth"] }),
      asked("no-signature", { usages: ["client auth"] }),
      asked("name", { commonName: "jane" }),
      asked("organization", { organizations: ["system:nodes", "team"] }),
      asked("no-organization", { organizations: [] }),
      asked("dns", { dns: ["node.example.com"] }),
      asked("email", { emails: ["node@example.com"] }),
      asked("ip", { ips: ["10.0.0.1"] }),
      asked("uri", { uris: ["https://example.com/node"] }),
    ],
  },
  {
    name: "decisions by hand are kept, and failed requests can still be approved",
    steps: [
      granted("node"),
      waits(asked("denied", { by: "node" })),
      act("deny the request", (stage) => decide(stage, "denied", "Denied")),
      waits(asked("approved", { by: "node" })),
      act("approve the other request", (stage) => decide(stage, "approved", "Approved")),
      waits(asked("failed", { by: "node" })),
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
      waits(asked("one", { by: "joiner", signerName: kubeletSigner })),
      act("delete the request", (stage) => stage.remove(CertificateSigningRequests, ownName(stage, "one"))),
      granted("joiner", "nodeclient"),
      approved("one", { by: "joiner" }),
    ],
  },
];
