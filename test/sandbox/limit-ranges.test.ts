/**
 * LimitRanges beyond the contract tests: limits for whole pods, claims, ratios, resizes. Based on kubernetes v1.36
 * plugin/pkg/admission/limitranger/admission.go.
 */
import { beforeEach, describe, expect, test } from "bun:test";
import type { Transport } from "../../src/api/transport.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { type JsonResponse, sendRequest, type Json } from "./support/requests.ts";

const core = "/api/v1/namespaces/default";

let transport: Transport;
beforeEach(async () => {
  const sandbox = await createSandbox({
    timeline: realTimeline(),
    random: seededRandom(1),
    defaultServiceAccounts: false,
    disabledAdmissionPlugins: ["ServiceAccount"],
  });
  transport = sandbox.transport({ actor: "test" });
});

async function limited(...limits: readonly Json[]): Promise<void> {
  const body = { metadata: { name: "l" }, spec: { limits } };
  expect((await sendRequest(transport, "POST", `${core}/limitranges`, { body })).status).toBe(201);
}

/** A container with CPU requests and limits such as `100m/1`; an empty part is omitted. */
function container(name: string, cpu: string, more: Json = {}): Json {
  const [request = "", limit = ""] = cpu.split("/");
  const requests = request === "" ? {} : { requests: { cpu: request } };
  return { name, image: "i", resources: { ...requests, ...(limit === "" ? {} : { limits: { cpu: limit } }) }, ...more };
}

const pod = (containers: readonly Json[], more: Json = {}): Json => ({
  metadata: { name: "a" },
  spec: { containers, ...more },
});

const made = (body: Json, query = ""): Promise<JsonResponse> =>
  sendRequest(transport, "POST", `${core}/pods`, { body, query });

/** The error message after `pods "a" is forbidden: `; the status code of any other response. */
function why({ status, body }: JsonResponse): unknown {
  const [, text] = /^\w+ "a" is forbidden: (.*)$/.exec(String(body["message"])) ?? [];
  return text ?? status;
}

describe("a LimitRange for containers", () => {
  const rows = [
    {
      name: "a small request",
      limit: { min: { cpu: "100m" } },
      cpu: "50m/1",
      says: "minimum cpu usage per Container is 100m, but request is 50m",
    },
    { name: "a request at the minimum", limit: { min: { cpu: "100m" } }, cpu: "0.1", says: 201 },
    {
      name: "a large limit",
      limit: { max: { cpu: "1" } },
      cpu: "1/1500m",
      says: "maximum cpu usage per Container is 1, but limit is 1500m",
    },
    { name: "a limit at the maximum", limit: { max: { cpu: "1" } }, cpu: "/1000m", says: 201 },
    {
      name: "a large ratio",
      limit: { maxLimitRequestRatio: { cpu: "2" } },
      cpu: "300m/1",
      says: "cpu max limit to request ratio per Container is 2, but provided ratio is 3.333333",
    },
    {
      name: "no request with a ratio",
      limit: { maxLimitRequestRatio: { cpu: "2" } },
      cpu: "",
      says: "cpu max limit to request ratio per Container is 2, but no request is specified or request is 0",
    },
    {
      name: "no limit with a ratio",
      limit: { maxLimitRequestRatio: { cpu: "2" } },
      cpu: "1",
      says: "cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0",
    },
    { name: "a ratio at the maximum", limit: { maxLimitRequestRatio: { cpu: "2" } }, cpu: "500m/1", says: 201 },
    {
      name: "two violated bounds",
      limit: { min: { cpu: "100m" }, max: { cpu: "1" } },
      cpu: "50m/2",
      says: "[minimum cpu usage per Container is 100m, but request is 50m, maximum cpu usage per Container is 1, but limit is 2]",
    },
  ];
  test.each(rows)("and $name", async ({ limit, cpu, says }) => {
    await limited({ type: "Container", ...limit });
    expect(why(await made(pod([container("c", cpu)]), "dryRun=All"))).toBe(says);
  });
});

describe("a LimitRange for pods", () => {
  const two = [container("c", "300m/600m"), container("d", "300m/600m")];
  const rows = [
    {
      name: "two containers above the maximum together",
      limit: { max: { cpu: "1" } },
      spec: pod(two),
      says: "maximum cpu usage per Pod is 1, but limit is 1200m",
    },
    {
      name: "two containers below the minimum together",
      limit: { min: { cpu: "700m" } },
      spec: pod(two),
      says: "minimum cpu usage per Pod is 700m, but request is 600m",
    },
    {
      name: "an init container that needs more than all others",
      limit: { max: { cpu: "2" } },
      spec: pod(two, { initContainers: [container("i", "1/3")] }),
      says: "maximum cpu usage per Pod is 2, but limit is 3",
    },
    {
      name: "a sidecar, which counts in addition",
      limit: { max: { cpu: "2" } },
      spec: pod(two, { initContainers: [container("s", "1/1", { restartPolicy: "Always" })] }),
      says: "maximum cpu usage per Pod is 2, but limit is 2200m",
    },
    {
      name: "resources of the pod itself",
      limit: { max: { cpu: "1" } },
      spec: pod(two, { resources: { requests: { cpu: "1" }, limits: { cpu: "3" } } }),
      says: "maximum cpu usage per Pod is 1, but limit is 3",
    },
    {
      name: "no request at all",
      limit: { min: { memory: "1Mi" } },
      spec: pod(two),
      says: "minimum memory usage per Pod is 1Mi.  No request is specified",
    },
    {
      name: "no limit at all",
      limit: { max: { memory: "1Gi" } },
      spec: pod(two),
      says: "maximum memory usage per Pod is 1Gi.  No limit is specified",
    },
    { name: "values at the bounds", limit: { max: { cpu: "1200m" }, min: { cpu: "600m" } }, spec: pod(two), says: 201 },
  ];
  test.each(rows)("and $name", async ({ limit, spec, says }) => {
    await limited({ type: "Pod", ...limit });
    expect(why(await made(spec, "dryRun=All"))).toBe(says);
  });

  test("is applied after the validation of the pod itself", async () => {
    await limited({ type: "Pod", max: { cpu: "1" } });
    expect((await made(pod([container("not a name", "1/3")]))).status).toBe(422);
  });
});

describe("a LimitRange for claims", () => {
  const claims = `${core}/persistentvolumeclaims`;
  const claim = (storage: string): Json => ({
    metadata: { name: "a" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
  });
  test.each([
    { storage: "1Gi", says: "minimum storage usage per PersistentVolumeClaim is 2Gi, but request is 1Gi" },
    { storage: "5Gi", says: "maximum storage usage per PersistentVolumeClaim is 4Gi, but request is 5Gi" },
    { storage: "4Gi", says: 201 },
  ])("and one of $storage", async ({ storage, says }) => {
    await limited({ type: "PersistentVolumeClaim", min: { storage: "2Gi" }, max: { storage: "4Gi" } });
    expect(why(await sendRequest(transport, "POST", claims, { body: claim(storage), query: "dryRun=All" }))).toBe(says);
  });

  test("that existed before prevents any change until it is deleted", async () => {
    const { metadata, ...rest } = claim("5Gi");
    const held = { ...rest, metadata: { ...(metadata as Json), finalizers: ["example.com/held"] } };
    expect((await sendRequest(transport, "POST", claims, { body: held })).status).toBe(201);
    await limited({ type: "PersistentVolumeClaim", max: { storage: "4Gi" } });
    const change = { body: { metadata: { labels: { a: "b" } } } };
    expect(why(await sendRequest(transport, "PATCH", `${claims}/a`, change))).toBe(
      "maximum storage usage per PersistentVolumeClaim is 4Gi, but request is 5Gi",
    );
    await sendRequest(transport, "DELETE", `${claims}/a`);
    expect((await sendRequest(transport, "PATCH", `${claims}/a`, change)).status).toBe(200);
  });
});

describe("a pod that is resized", () => {
  const resized = (cpu: string): Promise<JsonResponse> =>
    sendRequest(transport, "PATCH", `${core}/pods/a/resize`, {
      type: "application/strategic-merge-patch+json",
      body: {
        spec: { containers: [{ name: "c", resources: (container("c", cpu) as { resources: Json }).resources }] },
      },
    });

  test("stays within the limits of its containers, and of the whole pod", async () => {
    await made(pod([container("c", "100m/500m")]));
    await limited({ type: "Container", max: { cpu: "1" } }, { type: "Pod", min: { cpu: "50m" } });
    expect(why(await resized("100m/2"))).toBe("maximum cpu usage per Container is 1, but limit is 2");
    expect(why(await resized("10m/1"))).toBe("minimum cpu usage per Pod is 50m, but request is 10m");
    expect((await resized("100m/1")).status).toBe(200);
  });

  test("gets defaults that were added since, without a mention in its annotations", async () => {
    await made(pod([container("c", "100m/500m")]));
    await limited({ type: "Container", default: { memory: "1Gi" }, defaultRequest: { memory: "1Mi" } });
    const { body } = await resized("200m/500m");
    const [first] = (body["spec"] as { containers: Json[] }).containers;
    expect(first?.["resources"]).toEqual({
      limits: { cpu: "500m", memory: "1Gi" },
      requests: { cpu: "200m", memory: "1Mi" },
    });
    expect((body["metadata"] as Json)["annotations"]).toBeUndefined();
  });

  test("is not limited during its deletion", async () => {
    const held = pod([container("c", "100m/500m")]);
    await made({ ...held, metadata: { name: "a", finalizers: ["example.com/held"] } });
    await limited({ type: "Container", max: { cpu: "1" } });
    await sendRequest(transport, "DELETE", `${core}/pods/a`);
    expect((await resized("100m/2")).status).toBe(200);
  });
});

test("other updates of a pod are not limited", async () => {
  await made(pod([container("c", "100m/500m")]));
  await limited({ type: "Container", max: { cpu: "1m" } });
  expect(
    (await sendRequest(transport, "PATCH", `${core}/pods/a`, { body: { metadata: { labels: { a: "b" } } } })).status,
  ).toBe(200);
});
