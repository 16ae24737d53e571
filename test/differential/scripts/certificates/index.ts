/** Written scripts. */
import { CertificateSigningRequests } from "../../../../src/api/kinds.ts";
import type { Script, Step } from "../../suite.ts";
import { act, decide, grant, isApproved, kubeletSigner, makeRequest, type Parts } from "./acts.ts";
import { ownName } from "../../stage.ts";

const asked = (name: string, parts: Parts = {}): Step =>
  act(`request ${name}: ${JSON.stringify(parts)}`, (stage) => makeRequest(stage, name, parts));
const approved = (name: string, parts: Parts = {}): Step => ({ ...asked(name, parts), until: isApproved(name) });
const granted = (by: "node" | "joiner", right?: string): Step =>
  act(`${by} may create ${right ?? "requests"}`, (stage) => grant(stage, by, right));
const waits = (step: Step): Step => ({ ...step, waitMs: 1500 });

const usages = ["client auth", "digital signature", "key encipherment"];

export const scripts: readonly Script[] = [
  {
    name: "an administrator may ask for any kubelet",
    steps: [approved("one"), approved("two", { usages }), approved("other", { commonName: "system:node:other" })],
  },
  {
    name: "a node renews its own certificate, once it has the right",
    steps: [
      granted("node"),
      waits(asked("one", { by: "node", usages })),
      { ...granted("node", "selfnodeclient"), until: isApproved("one") },
      approved("two", { by: "node" }),
      waits(asked("other", { by: "node", commonName: "system:node:other" })),
    ],
  },
  {
    name: "somebody joins a node, once they have the right",
    steps: [
      granted("joiner"),
      waits(asked("one", { by: "joiner" })),
      granted("joiner", "selfnodeclient"),
      { ...granted("joiner", "nodeclient"), until: isApproved("one") },
      approved("two", { by: "joiner", commonName: "system:node:other" }),
    ],
  },
  {
    name: "a node that may join nodes, too, asks for its own certificate",
    steps: [granted("node"), granted("node", "nodeclient"), approved("one", { by: "node" })],
  },
  {
    name: "what is no kubelet's is left to others",
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
    name: "what somebody has decided stays, and what failed may still be approved",
    steps: [
      granted("node"),
      waits(asked("denied", { by: "node" })),
      act("it is denied", (stage) => decide(stage, "denied", "Denied")),
      waits(asked("approved", { by: "node" })),
      act("the other is approved", (stage) => decide(stage, "approved", "Approved")),
      waits(asked("failed", { by: "node" })),
      act("a third fails", (stage) => decide(stage, "failed", "Failed")),
      { ...granted("node", "selfnodeclient"), until: isApproved("failed") },
      act("a label for the denied one", (stage) =>
        stage.patch(CertificateSigningRequests, ownName(stage, "denied"), { metadata: { labels: { team: "red" } } }),
      ),
    ],
  },
  {
    name: "a request goes while its author lacks the right, and comes again",
    steps: [
      granted("joiner"),
      waits(asked("one", { by: "joiner", signerName: kubeletSigner })),
      act("it is deleted", (stage) => stage.remove(CertificateSigningRequests, ownName(stage, "one"))),
      granted("joiner", "nodeclient"),
      approved("one", { by: "joiner" }),
    ],
  },
];
