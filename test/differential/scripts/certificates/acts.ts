/** CertificateSigningRequests of the administrator and of users to whom a script grants rights. All names are unique to the stage. */
import { pathOf } from "../../../../src/api/kind.ts";
import { CertificateSigningRequests } from "../../../../src/api/kinds.ts";
import { certificateRequest, type RequestParts } from "../../../support/certificate-request.ts";
import { ownName, type Stage } from "../../stage.ts";
import type { Step } from "../../suite.ts";

export const act = (name: string, does: (stage: Stage) => Promise<unknown>): Step => ({ name, act: does });

export const kubeletSigner = "kubernetes.io/kube-apiserver-client-kubelet";

export interface Parts extends RequestParts {
  readonly signerName?: string;
  readonly usages?: readonly string[];
  /** Who creates it: the administrator, the node itself, or another user. */
  readonly by?: "admin" | "node" | "joiner";
}

const userOf = (stage: Stage, by: "node" | "joiner"): string =>
  by === "node" ? `system:node:${stage.namespace}` : `joiner-${stage.namespace}`;

/** Creates a request for the client certificate of the stage's node; `parts` override its properties. */
export async function makeRequest(stage: Stage, name: string, parts: Parts = {}): Promise<void> {
  const { signerName = kubeletSigner, usages = ["client auth", "digital signature"], by = "admin" } = parts;
  const { commonName = `system:node:${stage.namespace}`, organizations = ["system:nodes"] } = parts;
  const request = btoa(certificateRequest({ ...parts, commonName, organizations }));
  const body = { metadata: { name: ownName(stage, name) }, spec: { request, signerName, usages } };
  const headers = by === "admin" ? {} : { "impersonate-user": userOf(stage, by) };
  const response = await stage.cluster.request("POST", pathOf(CertificateSigningRequests, {}), body, headers);
  if (response.status !== 201) throw new Error(`request ${name} was refused: ${JSON.stringify(response.body)}`);
}

/** Grants a user of the stage the right to create certificatesigningrequests, or a subresource of them. */
export async function grant(stage: Stage, by: "node" | "joiner", right = ""): Promise<void> {
  const name = ownName(stage, `${by}-${right === "" ? "requests" : right}`);
  const resources = [`certificatesigningrequests${right === "" ? "" : `/${right}`}`];
  const rules = [{ apiGroups: ["certificates.k8s.io"], resources, verbs: ["create"] }];
  await stage.create("clusterroles", { metadata: { name }, rules });
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name };
  const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: userOf(stage, by) }];
  await stage.create("clusterrolebindings", { metadata: { name }, roleRef, subjects });
}

export interface RequestObject {
  readonly metadata: { readonly name: string };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly message?: string }[] };
}

export async function requestsOf(stage: Stage): Promise<readonly RequestObject[]> {
  return await stage.all(CertificateSigningRequests);
}

async function conditionsOf(stage: Stage, name: string): Promise<readonly string[]> {
  const request = (await requestsOf(stage)).find(({ metadata }) => metadata.name === ownName(stage, name));
  return (request?.status?.conditions ?? []).map(({ type }) => type);
}

export const isApproved =
  (name: string) =>
  async (stage: Stage): Promise<boolean> =>
    (await conditionsOf(stage, name)).includes("Approved");

/** Writes a condition: a user's decision, or the failure of a signer. */
export async function decide(stage: Stage, name: string, type: "Approved" | "Denied" | "Failed"): Promise<void> {
  const subresource = type === "Failed" ? "status" : "approval";
  const path = pathOf(CertificateSigningRequests, { name: ownName(stage, name), subresource });
  const condition = { type, status: "True", reason: "ByHand", message: "x" };
  const body = { status: { conditions: [condition] } };
  const headers = { "content-type": "application/merge-patch+json" };
  const response = await stage.cluster.request("PATCH", path, body, headers);
  if (response.status !== 200) throw new Error(`${type} was refused: ${JSON.stringify(response.body)}`);
}
