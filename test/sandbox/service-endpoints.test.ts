/** Objects deleted together with a Service, see kubernetes v1.36 pkg/registry/core/service/storage/storage.go afterDelete. */
import { expect, test } from "bun:test";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { sendRequest, type Json } from "./support/requests.ts";

const api = "/api/v1/namespaces/default";

test("Endpoints are deleted with the Service of their name, whoever created them, but no others, and not in a dry run", async () => {
  const sandbox = await createSandbox({ timeline: realTimeline(), random: seededRandom(1) });
  const transport = sandbox.transport({ actor: "test" });
  const names = async (): Promise<unknown[]> => {
    const { body } = await sendRequest(transport, "GET", `${api}/endpoints`);
    return (body["items"] as Json[]).map(({ metadata }) => (metadata as Json)["name"]);
  };
  const spec = { ports: [{ port: 80 }] };
  for (const name of ["web", "api"])
    await sendRequest(transport, "POST", `${api}/services`, { body: { metadata: { name }, spec } });
  for (const [name, finalizers] of [
    ["web", []],
    ["api", ["example.com/hold"]],
    ["other", []],
  ] as const)
    await sendRequest(transport, "POST", `${api}/endpoints`, { body: { metadata: { name, finalizers } } });
  expect(await names()).toEqual(["api", "other", "web"]);
  await sendRequest(transport, "PATCH", `${api}/services/web`, { body: { metadata: { labels: { team: "red" } } } });
  await sendRequest(transport, "DELETE", `${api}/services/web`, { query: "dryRun=All" });
  expect(await names()).toEqual(["api", "other", "web"]);
  await sendRequest(transport, "DELETE", `${api}/services/web`);
  await sendRequest(transport, "DELETE", `${api}/services/api`);
  expect(await names()).toEqual(["api", "other"]);
  const { body } = await sendRequest(transport, "GET", `${api}/endpoints/api`);
  expect(body).toHaveProperty("metadata.deletionTimestamp");
  sandbox.stop();
});
