/** `pods/log`: the output of containers defined by annotations; and connections that a sandbox cannot make. */
import { describe, expect, test } from "bun:test";
import type { Transport } from "../../src/api/transport.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { sendRequest, type Json } from "./support/requests.ts";

const pods = "/api/v1/namespaces/default/pods";
const startedAt = "2026-01-01T00:00:10Z";
const logs = "sandbox.kubectl-reconcile.io/logs";

const running = { running: { startedAt } };
const terminated = { terminated: { startedAt: "2026-01-01T00:00:00Z", exitCode: 1 } };

interface Scene {
  readonly annotations?: Json;
  readonly statuses?: readonly Json[];
  readonly containers?: readonly string[];
  readonly nodeName?: string | undefined;
}

/** A server with one pod. */
async function withPod(scene: Scene): Promise<Transport> {
  const { annotations = {}, containers = ["web"], nodeName = "node-1" } = scene;
  const { statuses = [{ name: "web", state: running }] } = scene;
  const sandbox = await createSandbox({ timeline: realTimeline(), random: seededRandom(1) });
  const transport = sandbox.transport({ actor: "test" });
  const spec = { containers: containers.map((name) => ({ name, image: "i" })), nodeName };
  await sendRequest(transport, "POST", pods, { body: { metadata: { name: "p", annotations }, spec } });
  await writeStatus(transport, statuses);
  return transport;
}

const merge = "application/merge-patch+json";

async function writeStatus(transport: Transport, statuses: readonly Json[]): Promise<void> {
  const whole = statuses.map((own) => ({ image: "i", imageID: "", ready: false, restartCount: 0, ...own }));
  const body = { status: { containerStatuses: whole } };
  expect((await sendRequest(transport, "PATCH", `${pods}/p/status`, { type: merge, body })).status).toBe(200);
}

const printing = { annotations: { [logs]: "one\ntwo\nthree\n" } };

describe("pods/log", () => {
  const queries = [
    { name: "everything", query: "", text: "one\ntwo\nthree\n" },
    { name: "the last lines", query: "tailLines=2", text: "two\nthree\n" },
    { name: "no lines", query: "tailLines=0", text: "" },
    { name: "at most a number of bytes", query: "limitBytes=5", text: "one\nt" },
    {
      name: "with times",
      query: "timestamps=true&tailLines=1",
      text: "2026-01-01T00:00:10.000000000Z three\n",
    },
    { name: "since a time before the start", query: "sinceTime=2026-01-01T00:00:10Z", text: "one\ntwo\nthree\n" },
    { name: "since a time after it", query: "sinceTime=2026-01-01T00:00:11Z", text: "" },
    { name: "of the last seconds", query: "sinceSeconds=1", text: "" },
  ];
  test.each(queries)("$name", async ({ query, text }) => {
    const { status, body } = await sendRequest(await withPod(printing), "GET", `${pods}/p/log`, { query });
    expect({ status, body }).toEqual({ status: 200, body: { text } });
  });

  test("returns the log of one container if its name follows a dot", async () => {
    const transport = await withPod({
      annotations: { [logs]: "all", [`${logs}.db`]: "db alone" },
      containers: ["web", "db"],
      statuses: [
        { name: "web", state: running },
        { name: "db", state: running },
      ],
    });
    const of = async (container: string): Promise<unknown> =>
      (await sendRequest(transport, "GET", `${pods}/p/log`, { query: `container=${container}` })).body["text"];
    expect([await of("web"), await of("db")]).toEqual(["all\n", "db alone\n"]);
  });

  test("of a container that crashed is that of its last run, and so is the previous one", async () => {
    const waiting = { waiting: { reason: "CrashLoopBackOff" } };
    const transport = await withPod({
      ...printing,
      statuses: [{ name: "web", state: waiting, lastState: terminated }],
    });
    for (const query of ["timestamps=true&tailLines=1", "timestamps=true&tailLines=1&previous=true"]) {
      const { body } = await sendRequest(transport, "GET", `${pods}/p/log`, { query });
      expect(body).toEqual({ text: "2026-01-01T00:00:00.000000000Z three\n" });
    }
  });

  test("with follow continues with new lines until the container has ended", async () => {
    const transport = await withPod(printing);
    const response = await transport.send({
      method: "GET",
      path: `${pods}/p/log`,
      query: [
        ["follow", "true"],
        ["tailLines", "1"],
      ],
      signal: new AbortController().signal,
    });
    const next = async (): Promise<string | undefined> => {
      const piece = await response.body.next();
      return piece === undefined ? undefined : new TextDecoder().decode(piece);
    };
    expect(await next()).toBe("three\n");
    const added = { metadata: { annotations: { [logs]: "one\ntwo\nthree\nfour\n" } } };
    expect((await sendRequest(transport, "PATCH", `${pods}/p`, { type: merge, body: added })).status).toBe(200);
    expect(await next()).toBe("four\n");
    await writeStatus(transport, [{ name: "web", state: terminated }]);
    expect(await next()).toBeUndefined();
  });

  const refused = [
    {
      name: "no annotation",
      says: "no container runs in this sandbox: what web prints is set by the pod's annotation",
      scene: {},
    },
    { name: "another container", query: "container=db", says: "container db is not valid for pod p", scene: printing },
    {
      name: "no container of several",
      says: "a container name must be specified for pod p, choose one of: [web db]",
      scene: { ...printing, containers: ["web", "db"] },
    },
    {
      name: "none before",
      query: "previous=true",
      says: 'previous terminated container "web" in pod "p" not found',
      scene: printing,
    },
    {
      name: "one that has not started",
      says: 'container "web" in pod "p" is waiting to start: ContainerCreating',
      scene: { ...printing, statuses: [{ name: "web", state: { waiting: { reason: "ContainerCreating" } } }] },
    },
    {
      name: "a wrong number",
      query: "tailLines=x",
      says: 'strconv.ParseInt: parsing "x": invalid syntax',
      scene: printing,
    },
  ];
  test.each(refused)("is refused with a kubelet's message: $name", async ({ query = "", says, scene }) => {
    const { status, body } = await sendRequest(await withPod(scene), "GET", `${pods}/p/log`, { query });
    expect(status).toBe(400);
    expect(body["message"]).toContain(says);
  });

  test("refuses invalid options as kube-apiserver does", async () => {
    const query = "tailLines=-1&limitBytes=0&sinceSeconds=0&stream=Stdout";
    const { status, body } = await sendRequest(await withPod(printing), "GET", `${pods}/p/log`, { query });
    expect({ status, message: body["message"] }).toEqual({
      status: 422,
      message:
        'PodLogOptions "p" is invalid: [tailLines: Invalid value: -1: must be greater than or equal to 0, limitBytes: Invalid value: 0: must be greater than 0, sinceSeconds: Invalid value: 0: must be greater than 0, stream: Forbidden: may not be specified]',
    });
  });

  test("of a pod without a node has no content", async () => {
    const { status } = await sendRequest(await withPod({ ...printing, nodeName: "" }), "GET", `${pods}/p/log`);
    expect(status).toBe(204);
  });
});

describe("connections to a container", () => {
  const instead = "annotations of the pod set what its containers do and print (docs/sandbox-annotations.md)";
  test.each([
    { subresource: "exec", says: `the sandbox has no process in which a command could run: ${instead}` },
    { subresource: "attach", says: `the sandbox has no process to attach to: ${instead}` },
    { subresource: "portforward", says: `the sandbox has no process that listens on a port: ${instead}` },
  ])("$subresource is refused, and says what there is instead", async ({ subresource, says }) => {
    const { status, body } = await sendRequest(await withPod({}), "POST", `${pods}/p/${subresource}`);
    expect({ status, message: body["message"] }).toEqual({ status: 400, message: says });
    expect((await sendRequest(await withPod({}), "POST", `${pods}/none/${subresource}`)).status).toBe(404);
  });

  test("are refused with the real server's message for the first problem", async () => {
    const two = { containers: ["web", "db"] };
    const { body } = await sendRequest(await withPod(two), "POST", `${pods}/p/exec`, { query: "command=ls" });
    expect(body["message"]).toBe("a container name must be specified for pod p, choose one of: [web db]");
    const unassigned = await sendRequest(await withPod({ nodeName: "" }), "POST", `${pods}/p/portforward`);
    expect(unassigned.body["message"]).toBe("pod p does not have a host assigned");
  });
});
