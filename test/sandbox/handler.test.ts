import { describe, expect, test } from "bun:test";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { handle } from "../../src/sandbox/serving/handler.ts";
import type { HttpRequest, HttpResponse } from "../../src/sandbox/serving/responses.ts";
import { clusterAdmin } from "../../src/sandbox/transport.ts";

const { server } = await createSandbox({ timeline: realTimeline(), random: seededRandom(1) });

function send(method: string, path: string, more: Partial<HttpRequest> = {}): HttpResponse {
  const body = new Uint8Array(0);
  return atOnce(
    handle(server, { method, path, query: [], headers: {}, body, user: clusterAdmin, actor: "test", ...more }),
  );
}

/** Returns the response; throws if it is not available immediately. */
function atOnce(response: HttpResponse | Promise<HttpResponse>): HttpResponse {
  if (response instanceof Promise) throw new Error("the response was waited for");
  return response;
}

const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const json = (value: unknown): Partial<HttpRequest> => ({
  headers: { "content-type": "application/json" },
  body: bytes(value),
});
const textOf = ({ body }: HttpResponse): string => (body instanceof Uint8Array ? new TextDecoder().decode(body) : "");

describe("the request handler", () => {
  test("keeps the warnings of a request that is refused later", () => {
    const response = send("POST", "/api/v1/namespaces/default/endpoints", json({ metadata: { name: "No" } }));
    expect(response.status).toBe(422);
    expect(response.headers["warning"]).toContain("v1 Endpoints is deprecated");
  });

  test("warns about an invalid simulated metric when it is written", () => {
    const path = "/api/v1/namespaces/default/services";
    const annotations = (values: object): object =>
      Object.fromEntries(
        Object.entries(values).map(([name, value]) => [`sandbox.kubectl-reconcile.io/${name}`, value]),
      );
    const good = { cpu: "250m", "memory.web": "64Mi", "metric.qps": "7", "logs.web": "ready" };
    const metadata = { name: "load", annotations: annotations({ ...good, "metric.depth": "lots" }) };
    const created = send("POST", path, json({ metadata, spec: { ports: [{ port: 80 }] } }));
    expect(created.headers["warning"]).toBe(
      '299 - "metadata.annotations[sandbox.kubectl-reconcile.io/metric.depth]: \\"lots\\" is not a quantity, such as 250m or 300Mi, and is ignored"',
    );
    const patch = (values: object): HttpResponse =>
      send("PATCH", `${path}/load`, {
        headers: { "content-type": "application/merge-patch+json" },
        body: bytes({ metadata: { annotations: annotations(values) } }),
      });
    expect(patch({ cpu: "1" }).headers["warning"]).toBeUndefined();
    expect(patch({ cpu: "much" }).headers["warning"]).toContain("kubectl-reconcile.io/cpu]: ");
  });

  test("gives every response an audit id, that of the request if it has one", () => {
    const paths = ["/", "/api", "/nowhere", "/api/v1/namespaces/default", "/api/v1/namespaces/none", "/api/v1/%zz"];
    for (const path of paths) expect(send("GET", path).headers["audit-id"]).toMatch(/^0{8}-/);
    expect(send("GET", "/api", { headers: { "audit-id": "mine" } }).headers["audit-id"]).toBe("mine");
  });

  test("forbids content sniffing only for responses of authorization", () => {
    const user = { name: "eve", groups: ["system:authenticated"] };
    const forbidden = send("GET", "/api/v1/namespaces", { user });
    expect([forbidden.status, forbidden.headers["x-content-type-options"]]).toEqual([403, "nosniff"]);
    const missing = send("GET", "/api/v1/namespaces/none");
    expect([missing.status, missing.headers["x-content-type-options"]]).toEqual([404, undefined]);
  });

  test("returns 500 for an internal error, and 400 for an invalid escape", () => {
    const broken = { ...server, registry: { ...server.registry, find: () => JSON.parse("{") as undefined } };
    const body = new Uint8Array(0);
    const request = {
      method: "GET",
      path: "/api/v1/pods",
      query: [],
      headers: {},
      body,
      user: clusterAdmin,
      actor: "",
    };
    const response = atOnce(handle(broken, request));
    expect(response.status).toBe(500);
    expect(textOf(response)).toContain("Internal error occurred");
    expect(send("GET", "/api/v1/%zz")).toMatchObject({ status: 400 });
  });
});
