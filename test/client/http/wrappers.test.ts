import { describe, expect, test } from "bun:test";
import { TransportError, type ApiRequest, type ApiResponse, type Transport } from "../../../src/api/transport.ts";
import { withMaxInFlight } from "../../../src/client/http/in-flight.ts";
import { withRateLimit } from "../../../src/client/http/rate-limit.ts";
import { readOnly, ReadOnlyError } from "../../../src/client/http/read-only.ts";
import { withRetries } from "../../../src/client/http/retries.ts";
import { withWatchdog } from "../../../src/client/http/watchdog.ts";
import { seededRandom } from "../../../src/platform/random.ts";
import { virtualTimeline, type VirtualTimeline } from "../../../src/platform/virtual-timeline.ts";
import { fakeResponse, bodyOf, fakeTransport, get } from "../transports.ts";

const virtual = (): VirtualTimeline => virtualTimeline(0, seededRandom(1));
const watch: Partial<ApiRequest> = { query: [["watch", "true"]] };
const caught = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "no error",
    (e: unknown) => e,
  );

describe("rateLimited", () => {
  test("sends the burst at once, then one request every 1/qps, in order", async () => {
    const timeline = virtual();
    const sent: [string, number][] = [];
    const inner: Transport = {
      send(request) {
        sent.push([request.path, timeline.now()]);
        return Promise.resolve(fakeResponse({}));
      },
    };
    const transport = withRateLimit(inner, { qps: 20, burst: 3, timeline });
    const all = Promise.all(["a", "b", "c", "d", "e"].map((path) => transport.send(get(path))));
    await timeline.runUntil();
    await all;
    expect(sent).toEqual([
      ["a", 0],
      ["b", 0],
      ["c", 0],
      ["d", 50],
      ["e", 100],
    ]);
  });

  test("does not count watches, and has no effect without a limit", async () => {
    const timeline = virtual();
    const inner = fakeTransport(() => ({}));
    const limited = withRateLimit(inner, { qps: 1, burst: 1, timeline });
    await Promise.all([limited.send(get("a")), ...[1, 2, 3].map(() => limited.send(get("w", watch)))]);
    expect(inner.requests).toHaveLength(4);
    expect(withRateLimit(inner, { qps: 0, burst: 0, timeline })).toBe(inner);
  });

  test("sends requests for Leases at once, whatever else waits", async () => {
    const timeline = virtual();
    const inner = fakeTransport(() => ({}));
    const limited = withRateLimit(inner, { qps: 1, burst: 1, timeline });
    const others = Promise.all(["a", "b", "c"].map((path) => limited.send(get(path))));
    await limited.send(get("lease", { renewsLease: true }));
    expect([timeline.now(), inner.requests.map(({ path }) => path)]).toEqual([0, ["a", "lease"]]);
    await timeline.runUntil();
    await others;
    expect(timeline.now()).toBe(2000);
  });

  test("returns the token of an aborted request, which ends at once", async () => {
    const timeline = virtual();
    const inner = fakeTransport(() => ({}));
    const limited = withRateLimit(inner, { qps: 1, burst: 1, timeline });
    await limited.send(get("a"));
    const stop = new AbortController();
    const gone = caught(limited.send(get("b", { signal: stop.signal })));
    stop.abort("enough");
    expect(await gone).toBe("enough");
    const last = limited.send(get("c"));
    await timeline.runUntil();
    await last;
    expect(timeline.now()).toBe(1000);
    expect(inner.requests.map(({ path }) => path)).toEqual(["a", "c"]);
  });
});

describe("retrying", () => {
  const rows = [
    { name: "429 with Retry-After", first: { status: 429, headers: { "retry-after": "3" } }, tries: 2, ms: 3000 },
    { name: "503 with Retry-After", first: { status: 503, headers: { "retry-after": "1" } }, tries: 2, ms: 1000 },
    { name: "429 without", first: { status: 429 }, tries: 1, ms: 0 },
    { name: "500 without", first: { status: 500 }, tries: 1, ms: 0 },
    { name: "409 with Retry-After", first: { status: 409, headers: { "retry-after": "1" } }, tries: 1, ms: 0 },
    {
      name: "a date in Retry-After",
      first: { status: 503, headers: { "retry-after": "Sat, 21 Nov 2026 10:00:00 GMT" } },
      tries: 1,
      ms: 0,
    },
  ];
  for (const { name, first, tries, ms } of rows) {
    test(`${name}: ${tries === 1 ? "is the answer" : `is asked again after ${ms} ms`}`, async () => {
      const timeline = virtual();
      const inner = fakeTransport((_, count) => (count === 1 ? first : {}));
      const response = withRetries(inner, { timeline }).send(get("a", { method: "POST" }));
      await timeline.runUntil();
      expect((await response).status).toBe(tries === 1 ? first.status : 200);
      expect(inner.requests).toHaveLength(tries);
      expect(timeline.now()).toBe(ms);
    });
  }

  test("gives up after ten retries, with the last response", async () => {
    const timeline = virtual();
    const inner = fakeTransport(() => ({ status: 429, headers: { "retry-after": "1" } }));
    const response = withRetries(inner, { timeline }).send(get("a"));
    await timeline.runUntil();
    expect((await response).status).toBe(429);
    expect(inner.requests).toHaveLength(11);
  });

  const broken = new TransportError("reset");
  const connectionRows = [
    { name: "a GET over a broken connection is sent again", request: get("a"), error: broken, tries: 2 },
    {
      name: "a write is not: it may have been applied",
      request: get("a", { method: "POST" }),
      error: broken,
      tries: 1,
    },
    { name: "a watch is left to its reader", request: get("a", watch), error: broken, tries: 1 },
    {
      name: "an unreachable server is reported at once",
      request: get("a"),
      error: new TransportError("refused", { failure: "unreachable" }),
      tries: 1,
    },
  ];
  for (const { name, request, error, tries } of connectionRows) {
    test(name, async () => {
      const timeline = virtual();
      const inner = fakeTransport((_, count) => {
        if (count === 1) throw error;
        return {};
      });
      const result = caught(withRetries(inner, { timeline }).send(request));
      await timeline.runUntil();
      expect(inner.requests).toHaveLength(tries);
      expect((await result) === error).toBe(tries === 1);
    });
  }
});

describe("bounded", () => {
  test("holds further requests in order until a body has been read, and does not count watches", async () => {
    const inner = fakeTransport(() => ({ body: "x" }));
    const transport = withMaxInFlight(inner, 2);
    const [a] = await Promise.all([
      transport.send(get("a")),
      transport.send(get("b")),
      transport.send(get("w", watch)),
    ]);
    const c = transport.send(get("c"));
    const d = transport.send(get("d"));
    await Promise.resolve();
    expect(inner.requests.map(({ path }) => path)).toEqual(["w", "a", "b"]);
    await a.body.next();
    await a.body.next();
    const third = await c;
    expect(inner.requests.map(({ path }) => path)).toEqual(["w", "a", "b", "c"]);
    third.body.cancel();
    third.body.cancel();
    await d;
    expect(inner.requests).toHaveLength(5);
  });

  test("sends requests for Leases, however many others are in flight", async () => {
    const inner = fakeTransport(() => ({}));
    const transport = withMaxInFlight(inner, 1);
    const open = await transport.send(get("a"));
    const waiting = transport.send(get("b"));
    await transport.send(get("lease", { renewsLease: true }));
    expect(inner.requests.map(({ path }) => path)).toEqual(["a", "lease"]);
    open.body.cancel();
    await waiting;
  });

  test("frees the place of a failed request and of one aborted while it waits", async () => {
    const stop = new AbortController();
    const inner = fakeTransport((request) => {
      if (request.path === "fails") throw new TransportError("refused");
      return {};
    });
    const transport = withMaxInFlight(inner, 1);
    const open = await transport.send(get("a"));
    const aborted = caught(transport.send(get("b", { signal: stop.signal })));
    const failing = caught(transport.send(get("fails")));
    stop.abort("enough");
    open.body.cancel();
    expect(await aborted).toBe("enough");
    expect(await failing).toBeInstanceOf(TransportError);
    expect((await transport.send(get("c"))).status).toBe(200);
  });
});

describe("readOnly", () => {
  const allowed = [
    { name: "GET", request: get("/api/v1/pods") },
    {
      name: "a SelfSubjectAccessReview",
      request: get("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", { method: "POST" }),
    },
    {
      name: "a SelfSubjectReview",
      request: get("/apis/authentication.k8s.io/v1/selfsubjectreviews", { method: "POST" }),
    },
    {
      name: "a SubjectAccessReview for another user",
      request: get("/apis/authorization.k8s.io/v1/subjectaccessreviews", { method: "POST" }),
    },
  ];
  for (const { name, request } of allowed) {
    test(`permits ${name}`, async () => {
      const inner = fakeTransport(() => ({}));
      await readOnly(inner).send(request);
      expect(inner.requests).toEqual([request]);
    });
  }

  const refused = [
    { name: "POST", request: get("/api/v1/namespaces/a/pods", { method: "POST" }) },
    { name: "PUT of a Lease", request: get("/apis/coordination.k8s.io/v1/namespaces/a/leases/b", { method: "PUT" }) },
    { name: "PATCH", request: get("/api/v1/namespaces/a/pods/b", { method: "PATCH" }) },
    { name: "DELETE", request: get("/api/v1/namespaces/a/pods", { method: "DELETE" }) },
    {
      name: "a dry run requested by the caller",
      request: get("/api/v1/nodes", { method: "POST", query: [["dryRun", "All"]] }),
    },
    {
      name: "a token for another account",
      request: get("/apis/authentication.k8s.io/v1/tokenreviews", { method: "POST" }),
    },
    { name: "a GET of exec", request: get("/api/v1/namespaces/a/pods/b/exec") },
    { name: "a GET through a proxy", request: get("/api/v1/namespaces/a/services/b/proxy/delete-all") },
  ] as const;
  for (const { name, request } of refused) {
    test(`refuses ${name} before it is sent`, async () => {
      const inner = fakeTransport(() => ({}));
      expect(await caught(readOnly(inner).send(request))).toBeInstanceOf(ReadOnlyError);
      expect(inner.requests).toHaveLength(0);
    });
  }

  test("permits a pod with the name exec", async () => {
    const inner = fakeTransport(() => ({}));
    await readOnly(inner).send(get("/api/v1/namespaces/proxy/pods/exec"));
    expect(inner.requests).toHaveLength(1);
  });

  test("with serverValidate sends every write as a dry run, a DELETE in its options, too", async () => {
    const inner = fakeTransport(() => ({}));
    const transport = readOnly(inner, { serverValidate: true });
    const body = new TextEncoder().encode(JSON.stringify({ kind: "DeleteOptions", gracePeriodSeconds: 0 }));
    await transport.send(get("/api/v1/namespaces/a/pods/b", { method: "DELETE", body }));
    await transport.send(get("/api/v1/namespaces/a/pods", { method: "POST", query: [["dryRun", ""]] }));
    const [deleted, created] = inner.requests;
    expect(deleted?.query).toEqual([["dryRun", "All"]]);
    expect(bodyOf(deleted)).toEqual({ kind: "DeleteOptions", gracePeriodSeconds: 0, dryRun: ["All"] });
    expect(created?.query).toEqual([["dryRun", "All"]]);
  });
});

describe("guarded", () => {
  /** A body whose chunks arrive when the test says so; it ends when the request is aborted. */
  function slowBody(request: ApiRequest): { readonly response: ApiResponse; readonly chunk: () => void } {
    let wake: (chunk: Uint8Array) => void = () => undefined;
    const next = (): Promise<Uint8Array> =>
      new Promise((resolve, reject) => {
        wake = resolve;
        request.signal.addEventListener("abort", () => reject(request.signal.reason as Error), { once: true });
      });
    return {
      response: { status: 200, header: () => undefined, body: { next, cancel: () => undefined } },
      chunk: () => wake(Uint8Array.of(1)),
    };
  }

  test("breaks a watch that is silent for 90 s after the last chunk", async () => {
    const timeline = virtual();
    let chunk: () => void = () => undefined;
    let silences = 0;
    const transport = withWatchdog(
      {
        send(request) {
          const slow = slowBody(request);
          ({ chunk } = slow);
          return Promise.resolve(slow.response);
        },
      },
      { timeline, onSilence: () => void silences++ },
    );
    const { body } = await transport.send(get("w", watch));
    timeline.after(60_000, "server", () => chunk());
    const first = body.next();
    await timeline.runUntil({ ms: 60_000 });
    expect(await first).toEqual(Uint8Array.of(1));
    const second = caught(body.next());
    // A foreground timer keeps virtual time running: the watchdog runs in the background.
    timeline.after(100_000, "test", () => undefined);
    await timeline.runUntil({ ms: 89_000 });
    expect(await Promise.race([second, Promise.resolve("still open")])).toBe("still open");
    await timeline.runUntil({ ms: 65_000 });
    const error = await second;
    expect(error).toBeInstanceOf(TransportError);
    expect((error as TransportError).failure).toBe("timeout");
    expect((error as TransportError).message).toContain("silent for 90 s");
    expect(silences).toBe(1);
  });

  test("does not break it for a slow reader", async () => {
    const timeline = virtual();
    const transport = withWatchdog(
      fakeTransport(() => ({ body: "x" })),
      { timeline },
    );
    const { body } = await transport.send(get("w", watch));
    timeline.after(500_000, "test", () => undefined);
    await timeline.runUntil({ ms: 400_000 });
    expect(await body.next()).toBeDefined();
    expect(await body.next()).toBeUndefined();
  });

  test("ends a request that exceeds --request-timeout, but no watch", async () => {
    const timeline = virtual();
    const inner: Transport = { send: (request) => Promise.resolve(slowBody(request).response) };
    const transport = withWatchdog(inner, { timeline, requestTimeoutMs: 5000 });
    const unary = await transport.send(get("a"));
    const watching = await transport.send(get("w", watch));
    const [read, watched] = [caught(unary.body.next()), caught(watching.body.next())];
    timeline.after(6000, "test", () => undefined);
    await timeline.runUntil({ ms: 6000 });
    expect(String(await read)).toContain("timed out");
    expect(await Promise.race([watched, Promise.resolve("still open")])).toBe("still open");
  });

  test("keeps the reason of an abort by the caller", async () => {
    const timeline = virtual();
    const stop = new AbortController();
    const transport = withWatchdog({ send: (request) => Promise.resolve(slowBody(request).response) }, { timeline });
    const { body } = await transport.send(get("a", { signal: stop.signal }));
    const read = caught(body.next());
    stop.abort("enough");
    expect(await read).toBe("enough");
  });

  test("leaves no timer after a request", async () => {
    const timeline = virtual();
    const { body } = await withWatchdog(
      fakeTransport(() => ({})),
      { timeline },
    ).send(get("a"));
    expect(await body.next()).toBeUndefined();
    timeline.after(1_000_000, "test", () => undefined);
    await timeline.runUntil({ steps: 1 });
    expect(timeline.now()).toBe(1_000_000);
  });
});
