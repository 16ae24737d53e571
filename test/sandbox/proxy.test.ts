/** The connection that a proxy would make. The contract table `proxies` compares the responses before it with the real server. */
import { expect, test } from "bun:test";
import { seededRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { sendRequest } from "./support/requests.ts";

const namespace = "/api/v1/namespaces/default";
const sandbox = await createSandbox({ timeline: realTimeline(), random: seededRandom(1) });
const transport = sandbox.transport({ actor: "test" });

async function made(path: string, body: object): Promise<void> {
  expect((await sendRequest(transport, "POST", path, { body })).status).toBe(201);
}

await made("/api/v1/nodes", {
  metadata: { name: "n" },
  status: { addresses: [{ type: "InternalIP", address: "10.0.0.1" }] },
});
await made(`${namespace}/pods`, {
  metadata: { name: "a" },
  spec: { containers: [{ name: "c", image: "i", ports: [{ containerPort: 8080 }] }] },
});
await made(`${namespace}/services`, { metadata: { name: "web" }, spec: { ports: [{ port: 80 }] } });
await made(`${namespace}/endpoints`, {
  metadata: { name: "web" },
  subsets: [
    { addresses: [{ ip: "10.88.0.2", targetRef: { namespace: "default", name: "a" } }], ports: [{ port: 8080 }] },
  ],
});
await sendRequest(transport, "PATCH", `${namespace}/pods/a/status`, {
  type: "application/merge-patch+json",
  body: { status: { podIP: "10.88.0.2", podIPs: [{ ip: "10.88.0.2" }] } },
});

const connections = [
  { path: `${namespace}/services/web/proxy/`, host: "10.88.0.2:8080" },
  { path: `${namespace}/services/https:web:80/proxy/a/b`, host: "10.88.0.2:8080" },
  { path: `${namespace}/pods/a/proxy/a`, host: "10.88.0.2:8080" },
  { path: `${namespace}/pods/http:a:metrics/proxy/a`, host: "10.88.0.2:metrics" },
  { path: "/api/v1/nodes/n/proxy/metrics", host: "10.0.0.1:10250" },
  { path: "/api/v1/nodes/n:9100/proxy/metrics", host: "10.0.0.1:9100" },
];
test.each(connections)("$path leads to $host, where nothing listens", async ({ path, host }) => {
  for (const method of ["GET", "POST", "DELETE"]) {
    const { status, body } = await sendRequest(transport, method, path);
    expect(status).toBe(503);
    expect(body).toMatchObject({
      kind: "Status",
      status: "Failure",
      reason: "ServiceUnavailable",
      message: `error trying to reach service: dial tcp ${host}: no process runs in this sandbox`,
    });
  }
});

test("a path behind `proxy` is used for the connection unchanged, unless it is a read", async () => {
  const path = `${namespace}/services/web/proxy`;
  expect(await sendRequest(transport, "GET", path)).toMatchObject({ status: 301 });
  expect(await sendRequest(transport, "POST", path)).toMatchObject({ status: 503 });
});
