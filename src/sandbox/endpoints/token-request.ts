/** POST of a TokenRequest to a ServiceAccount. Source: kubernetes v1.36 pkg/registry/core/serviceaccount/storage/token.go. */
import { admitRequest, mutatingHooks, validatingHooks } from "../admission/admit.ts";
import { formatTime } from "../../api/time.ts";
import { invalid, invalidObject, type FieldError } from "../meta/field-errors.ts";
import { at, isFields, textOf, type ApiObject, type Fields } from "../meta/object.ts";
import type { Steps } from "../meta/steps.ts";
import { badRequest, conflict, notFound } from "../meta/refusal.ts";
import { checkWriteOptions } from "../options/write-options.ts";
import type { BoundObject } from "../context/authenticator.ts";
import { manageCreate } from "../managedfields/managed-fields.ts";
import type { Resource } from "../registry/resource.ts";
import type { RequestScope } from "../context/server.ts";
import { subresourceBody } from "./subresource-body.ts";

const group = "authentication.k8s.io";
const asKind = { group, name: "TokenRequest" };
const [minSeconds, maxSeconds, defaultSeconds] = [600, 2 ** 32, 3600];

/** The token, in the status of the request. @throws StatusError */
export function* requestToken(scope: RequestScope): Steps<{ readonly status: number; readonly value: object }> {
  checkWriteOptions(scope.query, "CreateOptions");
  const request = subresourceBody(scope, { kind: "TokenRequest", apiVersion: `${group}/v1` });
  const { name, namespace, server } = scope;
  const own = textOf(request.metadata.name);
  if (own !== "" && own !== name) {
    const why = "must match the service account name if specified";
    throw invalidObject(asKind, name, [invalid("metadata.name", own, why)]);
  }
  admitRequest(scope, name);
  const account = scope.collection.get(namespace, name);
  if (account === undefined) throw notFound(scope.resource.asResource, name);
  const uid = textOf(account.object.metadata.uid);
  checkUid(request, account.object);
  const spec: Fields = { expirationSeconds: defaultSeconds, ...request.spec };
  request.spec = spec;
  const managed = { ...scope, served: tokenRequests(scope) };
  manageCreate({ scope: managed, object: request, sent: request.metadata.managedFields });
  yield* mutatingHooks({ scope, object: request });
  const requested = Array.isArray(spec["audiences"]) ? spec["audiences"].map(textOf) : [];
  const audiences = requested.length === 0 ? server.tokens.audiences : requested;
  // Its type has been checked.
  const seconds = Number(spec["expirationSeconds"]);
  const errors = secondsErrors(seconds);
  if (errors.length > 0) throw invalidObject(asKind, "", errors);
  const known = { ...request.metadata, name, namespace, uid, creationTimestamp: formatTime(server.timeline.now()) };
  yield* validatingHooks({ scope, object: { ...request, metadata: known, spec: { ...spec, audiences } } });
  const boundTo = isFields(spec["boundObjectRef"]) ? boundObject(scope, spec["boundObjectRef"]) : undefined;
  const now = server.timeline.now();
  const grant = { namespace, name, uid, audiences, seconds, ...(boundTo === undefined ? {} : { boundTo }) };
  // In a dry run too, as in the real server.
  const token = server.tokens.sign(grant);
  scope.audit?.annotate("authentication.kubernetes.io/issued-credential-id", `JTI=${tokenId(token)}`);
  const { metadata } = request;
  return {
    status: 201,
    value: {
      kind: "TokenRequest",
      apiVersion: `${group}/v1`,
      metadata: { ...metadata, name, namespace, uid, creationTimestamp: formatTime(now) },
      spec: { audiences, expirationSeconds: seconds, boundObjectRef: spec["boundObjectRef"] ?? null },
      status: { token, expirationTimestamp: formatTime(now + seconds * 1000) },
    },
  };
}

/** The `jti` of a token signed here. */
function tokenId(token: string): string {
  const claims: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
  return textOf(at(claims, "jti"));
}

/** TokenRequests as a resource: they have neither a path of their own nor a store. */
function tokenRequests({ served, server }: RequestScope): Resource {
  const [kind, apiVersion] = ["TokenRequest", `${group}/v1`];
  const struct = server.registry.schema.kind(apiVersion, kind);
  return { ...served, group, version: "v1", apiVersion, kind, struct, subresources: new Map() };
}

/** @throws StatusError 409 if the request names another account's uid. */
function checkUid(request: ApiObject, account: ApiObject): void {
  const [requestUid, uid] = [textOf(request.metadata.uid), textOf(account.metadata.uid)];
  if (requestUid === "" || requestUid === uid) return;
  const why = `the UID in the token request (${requestUid}) does not match the UID of the service account (${uid})`;
  throw conflict(asKind, textOf(account.metadata.name), why);
}

function secondsErrors(seconds: number): FieldError[] {
  const field = "spec.expirationSeconds";
  if (seconds < minSeconds) return [invalid(field, seconds, "may not specify a duration less than 10 minutes")];
  if (seconds > maxSeconds) return [invalid(field, seconds, "may not specify a duration larger than 2^32 seconds")];
  return [];
}

const storages = { Pod: "pods", Secret: "secrets", Node: "nodes" } as const;

/** @throws StatusError 400 for a kind that tokens cannot be bound to, 404, 409 if the uid differs. */
function boundObject({ server, namespace, name: account }: RequestScope, ref: Fields): BoundObject {
  const [kind, name, apiVersion] = [textOf(ref["kind"]), textOf(ref["name"]), textOf(ref["apiVersion"])];
  const [groupName, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  if (groupName !== "" || !isBindable(kind))
    throw badRequest(`cannot bind token to object of type ${groupName}/${version}, Kind=${kind}`);
  const find = (storage: string, of: string): ApiObject | undefined =>
    server.store.collection(storage, storage !== "nodes").get(storage === "nodes" ? "" : namespace, of)?.object;
  const object = find(storages[kind], name);
  if (object === undefined) throw notFound({ group: "", name: storages[kind] }, name);
  if (kind === "Pod" && at(object, "spec", "serviceAccountName") !== account) {
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(account)} to pod running with different serviceaccount name.`,
    );
  }
  const uid = textOf(object.metadata.uid);
  const refUid = textOf(ref["uid"]);
  if (refUid !== "" && refUid !== uid) {
    const why = `the UID in the bound object reference (${refUid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({ group: groupName, name: kind }, name, why);
  }
  const nodeName = kind === "Pod" ? textOf(at(object, "spec", "nodeName")) : "";
  const node = { name: nodeName, uid: textOf(find("nodes", nodeName)?.metadata.uid) };
  return { kind, name, uid, ...(nodeName === "" ? {} : { node }) };
}

function isBindable(kind: string): kind is keyof typeof storages {
  return kind in storages;
}
