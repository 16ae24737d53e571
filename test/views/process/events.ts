/** Events of a process behind a proxy, as its views receive them. */
import type { RequestEvent, WriteEvent } from "../../../src/trace/events.ts";

export const of = { group: "apps", kind: "Deployment" };
export const agent = "operator/v1 (linux)";

/** A GET of a Deployment. */
export function request(over: Partial<RequestEvent>): RequestEvent {
  return {
    stage: "request",
    agent,
    verb: "get",
    of,
    resource: "deployments",
    key: "shop/web",
    uri: "/apis/apps/v1/namespaces/shop/deployments/web",
    status: 200,
    auditId: "",
    sentAt: 0,
    ms: 1,
    sent: 0,
    received: 10,
    ...over,
  };
}

/** An update of the Deployment that changed it. */
export function write(over: Partial<WriteEvent>): WriteEvent {
  return {
    stage: "write",
    agent,
    verb: "update",
    fieldManager: "operator",
    of,
    key: "shop/web",
    uid: "u",
    before: "7",
    conditional: true,
    resourceVersion: "8",
    deletes: false,
    status: 200,
    sentAt: 0,
    ms: 1,
    changes: [],
    ...over,
  };
}
