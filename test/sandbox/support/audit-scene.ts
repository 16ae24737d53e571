/** Requests whose audit events are compared with those of kube-apiserver, and a policy that treats them differently. */

/** An audit policy as JSON, which is also valid YAML. */
export const auditPolicy: object = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  rules: [
    { level: "None", users: ["system:apiserver"] },
    { level: "None", verbs: ["get"], resources: [{ group: "", resources: ["configmaps"], resourceNames: ["silent"] }] },
    { level: "Metadata", resources: [{ group: "", resources: ["secrets", "serviceaccounts/*"] }] },
    {
      level: "Request",
      resources: [{ group: "", resources: ["pods"] }, { group: "apps" }],
      omitStages: ["RequestReceived"],
    },
    { level: "Metadata", nonResourceURLs: ["/version", "/api*"] },
    { level: "RequestResponse", namespaces: ["default"], omitManagedFields: true },
  ],
};

interface AuditedStep {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

const core = "/api/v1/namespaces/default";
const maps = `${core}/configmaps`;
const containers = [{ name: "c", image: "i" }];
const template = { metadata: { labels: { app: "web" } }, spec: { containers } };
const merge = { "content-type": "application/merge-patch+json" };
const apply = { "content-type": "application/apply-patch+yaml" };

/** Each request is sent with an audit ID that contains its index. */
export const auditSteps: readonly AuditedStep[] = [
  { method: "POST", path: maps, body: { metadata: { name: "a" }, data: { k: "v" } } },
  { method: "GET", path: `${maps}/a` },
  { method: "PUT", path: `${maps}/a?fieldManager=me`, body: { metadata: { name: "a" }, data: { k: "w" } } },
  { method: "PATCH", path: `${maps}/a`, body: { data: { more: "x" } }, headers: merge },
  { method: "GET", path: `${maps}/nope` },
  { method: "GET", path: `${maps}/silent` },
  { method: "POST", path: maps, body: { metadata: { name: "NOT/VALID" } } },
  { method: "POST", path: `${maps}?dryRun=All`, body: { metadata: { generateName: "made-" } } },
  { method: "GET", path: `${maps}?labelSelector=app%3Dweb&limit=500` },
  { method: "GET", path: `${maps}?watch=true&timeoutSeconds=1&labelSelector=app%3Dweb` },
  { method: "POST", path: `${core}/secrets`, body: { metadata: { name: "s" }, stringData: { password: "hidden" } } },
  { method: "POST", path: `${core}/pods`, body: { metadata: { name: "p" }, spec: { containers } } },
  {
    method: "POST",
    path: "/apis/apps/v1/namespaces/default/deployments",
    body: { metadata: { name: "web" }, spec: { selector: { matchLabels: { app: "web" } }, template } },
  },
  { method: "GET", path: "/version" },
  { method: "GET", path: "/api/v1" },
  { method: "GET", path: maps, headers: { "impersonate-user": "jane", "impersonate-group": "dev" } },
  { method: "GET", path: maps, headers: { authorization: "Bearer wrong" } },
  {
    method: "PATCH",
    path: `${maps}/b?fieldManager=me`,
    body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "b" }, data: { k: "v" } },
    headers: apply,
  },
  { method: "DELETE", path: `${maps}/a`, body: { gracePeriodSeconds: 0 } },
  { method: "DELETE", path: `${maps}/b` },
  { method: "DELETE", path: `${core}/secrets/s` },
  { method: "POST", path: `${core}/serviceaccounts/default/token`, body: { spec: {} } },
];

/** The server that receives the requests. */
export interface AuditedServer {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
}

/** Sends all requests, one after the other. */
export async function playAuditSteps({ url, ca, token }: AuditedServer): Promise<void> {
  for (const [index, { method, path, body, headers }] of auditSteps.entries()) {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "audit-id": auditIdOf(index),
        "user-agent": "audit-scene",
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      tls: { ca },
      keepalive: false,
    });
    await response.text();
  }
}

const auditIdOf = (index: number): string => `step-${String(index + 1).padStart(2, "0")}`;

const time = /"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z"/g;
const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** The events of the steps, without values that always differ: times, UIDs, resourceVersions, generated names. */
export function comparableEvents(log: string): readonly string[] {
  return log
    .split("\n")
    .filter((line) => line.includes('"auditID":"step-'))
    .map((line) =>
      line
        .replaceAll(time, (_, micros) => (micros === undefined ? '"TIME"' : '"MICROTIME"'))
        .replaceAll(uid, "UID")
        .replaceAll(/"resourceVersion":"\d+"/g, '"resourceVersion":"N"')
        .replaceAll(/made-[a-z0-9]{5}/g, "made-RAND1"),
    );
}
