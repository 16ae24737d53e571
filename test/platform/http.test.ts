import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { openBunHttp } from "../../src/platform/http-bun.ts";
import { HttpError } from "../../src/platform/http-error.ts";
import { openNodeHttp } from "../../src/platform/http-node.ts";
import type { HttpClient, HttpRequest, HttpSettings } from "../../src/platform/http.ts";
import { openHttp } from "../../src/platform/open-http.ts";
import { runDeno } from "../support/deno.ts";
import { runProgram } from "../support/program.ts";
import { makeCertificates, opensslMissing, type Certificates } from "./certificates.ts";
import type { RefusalScene } from "./refused-servers.ts";
import { connectProxy, echoServer, rawServer, socksProxy, type Listening, type Seen } from "./servers.ts";

const clients: readonly { readonly name: string; readonly open: (settings: HttpSettings) => HttpClient }[] = [
  { name: "Bun's fetch", open: openBunHttp },
  { name: "node:https", open: openNodeHttp },
];

const request = (url: string, extra: Partial<HttpRequest> = {}): HttpRequest => ({
  method: "GET",
  url,
  headers: {},
  signal: new AbortController().signal,
  stream: false,
  ...extra,
});

async function text(body: { next(): Promise<Uint8Array | undefined> }): Promise<string> {
  const decoder = new TextDecoder();
  let all = "";
  for (let chunk = await body.next(); chunk !== undefined; chunk = await body.next()) {
    all += decoder.decode(chunk, { stream: true });
  }
  return all;
}

async function seen(client: HttpClient, url: string, extra: Partial<HttpRequest> = {}): Promise<Seen> {
  return JSON.parse(await text((await client.send(request(url, extra))).body)) as Seen;
}

const caught = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "no error",
    (e: unknown) => e,
  );
const opened: Listening[] = [];
const keep = async <L extends Listening>(server: Promise<L>): Promise<L> => {
  const one = await server;
  opened.push(one);
  return one;
};
afterAll(() => {
  for (const server of opened) server.close();
});

for (const { name, open } of clients) {
  describe(`${name} without TLS`, () => {
    test("sends method, headers and body, and reads status, headers and body", async () => {
      const { port } = await keep(echoServer(undefined));
      const client = open({ tls: {} });
      const response = await client.send(
        request(`http://127.0.0.1:${port}/a?b=c`, {
          method: "PATCH",
          headers: { "x-one": "1" },
          body: new TextEncoder().encode("hällo"),
        }),
      );
      expect(response.status).toBe(200);
      expect(response.header("x-seen")).toBe("yes");
      expect(response.header("x-none")).toBeUndefined();
      const echo = JSON.parse(await text(response.body)) as Seen;
      expect(echo).toMatchObject({ method: "PATCH", url: "/a?b=c", body: "hällo" });
      expect(echo.lines.map((line) => line.toLowerCase()).join(" ")).toContain("x-one 1");
      client.close();
    });

    test("reuses its connection", async () => {
      const { port } = await keep(echoServer(undefined));
      const client = open({ tls: {} });
      for (let i = 0; i < 3; i++) expect((await seen(client, `http://127.0.0.1:${port}/`)).connection).toBe(1);
      client.close();
    });

    test("close ends no request in flight, and the client continues with new connections", async () => {
      const waiting: (() => void)[] = [];
      const { port } = await keep(
        echoServer(undefined, (incoming, response) => {
          if (incoming.url !== "/wait") return false;
          waiting.push(() => response.end("waited"));
          return true;
        }),
      );
      const client = open({ tls: {} });
      await seen(client, `http://127.0.0.1:${port}/`);
      const late = client.send(request(`http://127.0.0.1:${port}/wait`));
      while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve));
      client.close();
      for (const end of waiting) end();
      expect(await text((await late).body)).toBe("waited");
      expect((await seen(client, `http://127.0.0.1:${port}/`)).method).toBe("GET");
    });

    test("does not send a write again that is lost with its connection", async () => {
      let posts = 0;
      const { port } = await keep(
        echoServer(undefined, (incoming) => {
          if (incoming.method !== "POST" || ++posts === 1) return false;
          incoming.socket.destroy();
          return true;
        }),
      );
      const client = open({ tls: {} });
      const post = (): Promise<unknown> => caught(seen(client, `http://127.0.0.1:${port}/`, { method: "POST" }));
      expect(await post()).toBe("no error");
      expect(await post()).toMatchObject({ failure: "broken" });
      expect(posts).toBe(2);
    });

    test("returns a redirect as the response", async () => {
      const { port } = await keep(
        echoServer(undefined, (_, response) => {
          response.writeHead(302, { location: "http://127.0.0.1:1/" }).end();
          return true;
        }),
      );
      expect((await open({ tls: {} }).send(request(`http://127.0.0.1:${port}/`))).status).toBe(302);
    });

    const cuts = [
      {
        name: "inside a chunked body",
        bytes: "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n",
        stream: true,
      },
      {
        name: "inside a body with a length",
        bytes: "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello",
        stream: false,
      },
      {
        name: "inside a streamed body with a length",
        bytes: "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello",
        stream: true,
      },
    ];
    for (const { name: where, bytes, stream } of cuts) {
      for (const then of ["end", "break"] as const) {
        test(`reports a connection that is ${then === "end" ? "closed" : "reset"} ${where} as an error`, async () => {
          const { port } = await keep(rawServer(bytes, then));
          const result = await caught(
            (async () => text((await open({ tls: {} }).send(request(`http://127.0.0.1:${port}/`, { stream }))).body))(),
          );
          expect(result).toBeInstanceOf(HttpError);
          expect((result as HttpError).failure).toBe("broken");
        });
      }
    }

    test("ends a request without a response, and a body, on an abort", async () => {
      const silent = await keep(rawServer("", "stay"));
      const stop = new AbortController();
      const sent = caught(open({ tls: {} }).send(request(`http://127.0.0.1:${silent.port}/`, { signal: stop.signal })));
      stop.abort(new Error("enough"));
      expect(await sent).toBeInstanceOf(Error);
      const slow = await keep(rawServer("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n", "stay"));
      const stop2 = new AbortController();
      const { body } = await open({ tls: {} }).send(
        request(`http://127.0.0.1:${slow.port}/`, { signal: stop2.signal, stream: true }),
      );
      expect(new TextDecoder().decode(await body.next())).toBe("hello");
      const next = caught(body.next());
      stop2.abort(new Error("enough"));
      expect(await next).toBeInstanceOf(Error);
    });

    test("accepts several cancels of a body that is being read", async () => {
      const slow = await keep(rawServer("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n", "stay"));
      const { body } = await open({ tls: {} }).send(request(`http://127.0.0.1:${slow.port}/`, { stream: true }));
      await body.next();
      const next = caught(body.next());
      body.cancel();
      body.cancel();
      // It must end, with or without an error.
      expect(["no error", "HttpError"]).toContain(String((await next) instanceof HttpError ? "HttpError" : await next));
    });

    test("reports a refused connection", async () => {
      const server = await echoServer(undefined);
      server.close();
      const error = await caught(open({ tls: {} }).send(request(`http://127.0.0.1:${server.port}/`)));
      expect(error).toBeInstanceOf(HttpError);
      expect(error).toMatchObject({ failure: "refused", message: "connection refused" });
    });

    test("reports an unknown host", async () => {
      const error = await caught(open({ tls: {} }).send(request("http://nowhere.invalid/")));
      expect(error).toMatchObject({ failure: "unknown host" });
    });
  });

  describe.skipIf(opensslMissing !== undefined)(`${name} over TLS`, () => {
    let certificates: Certificates;
    let server: Listening;
    let other: Listening;
    beforeAll(async () => {
      certificates = makeCertificates();
      server = await keep(echoServer({ ...certificates.server, ca: certificates.ca }));
      other = await keep(echoServer({ ...certificates.other, ca: certificates.ca }));
    });
    const url = (): string => `https://127.0.0.1:${server.port}/`;
    const pair = (one: "client" | "client2"): { certificate: string; key: string } => ({
      certificate: certificates[one].cert,
      key: certificates[one].key,
    });

    test("verifies the server with the given authority, and presents its certificate", async () => {
      const { ca } = certificates;
      expect((await seen(open({ tls: { ca, ...pair("client") } }), url())).client).toBe("dev");
      expect((await seen(open({ tls: { ca } }), url())).client).toBe("");
    });

    test("accepts the server's own certificate as an authority, as Go does, only for the names in it", async () => {
      const { server: own, other: another } = certificates;
      expect((await seen(open({ tls: { ca: own.cert } }), url())).method).toBe("GET");
      const wrong = await caught(open({ tls: { ca: another.cert } }).send(request(url())));
      expect(wrong).toMatchObject({ failure: "certificate" });
      const misnamed = { tls: { ca: own.cert, serverName: "api.test" } };
      expect(await caught(open(misnamed).send(request(url())))).toMatchObject({ failure: "certificate" });
    });

    test("shares no connection between clients with different certificates", async () => {
      const { ca } = certificates;
      const [a, b] = [open({ tls: { ca, ...pair("client") } }), open({ tls: { ca, ...pair("client2") } })];
      const names: string[] = [];
      for (const client of [a, b, a, b]) names.push((await seen(client, url())).client);
      expect(names).toEqual(["dev", "ops", "dev", "ops"]);
    });

    test("sends and verifies serverName", async () => {
      const { ca } = certificates;
      const at = `https://127.0.0.1:${other.port}/`;
      expect((await seen(open({ tls: { ca, serverName: "api.test" } }), at)).serverName).toBe("api.test");
      expect(await caught(open({ tls: { ca } }).send(request(at)))).toMatchObject({
        failure: "certificate",
        message: "the server's certificate is for another name",
      });
    });

    test("refuses an unknown authority, unless verification is off", async () => {
      const stranger = certificates.strangerCa;
      expect(await caught(open({ tls: { ca: stranger } }).send(request(url())))).toMatchObject({
        failure: "certificate",
      });
      expect(await caught(open({ tls: {} }).send(request(url())))).toMatchObject({ failure: "certificate" });
      expect((await seen(open({ tls: { insecure: true, ...pair("client") } }), url())).client).toBe("dev");
    });

    test("refuses an unknown authority with a server name, too, and another name", async () => {
      const serverName = "localhost";
      const refused = { failure: "certificate" };
      const stranger = { tls: { ca: certificates.strangerCa, serverName } };
      expect(await caught(open(stranger).send(request(url())))).toMatchObject(refused);
      expect(await caught(open({ tls: { serverName } }).send(request(url())))).toMatchObject(refused);
      const misnamed = { tls: { ca: certificates.ca, serverName: "api.test" } };
      expect(await caught(open(misnamed).send(request(url())))).toMatchObject(refused);
    });

    test("sends the host's name through a proxy, as without one", async () => {
      const proxy = await keep(connectProxy());
      const settings = { tls: { ca: certificates.ca }, proxy: `http://127.0.0.1:${proxy.port}` };
      const named = await seen(open(settings), `https://localhost:${server.port}/`);
      expect(named.serverName).toBe("localhost");
    });

    test("reports an invalid key as a certificate error", async () => {
      const { ca, client } = certificates;
      const settings = { tls: { ca, certificate: client.cert, key: "nonsense" } };
      const error = await caught((async () => open(settings).send(request(url())))());
      expect(error).toMatchObject({ failure: "certificate" });
    });

    test("uses a proxy by CONNECT, with its password", async () => {
      const proxy = await keep(connectProxy());
      const client = open({
        tls: { ca: certificates.ca, ...pair("client") },
        proxy: `http://me:pass@127.0.0.1:${proxy.port}`,
      });
      expect((await seen(client, url(), { method: "POST", body: new Uint8Array([65]) })).body).toBe("A");
      expect((await seen(client, url())).client).toBe("dev");
      expect(proxy.requests[0]).toBe(`CONNECT 127.0.0.1:${server.port} Basic ${btoa("me:pass")}`);
      expect(proxy.requests.every((line) => line.startsWith("CONNECT"))).toBe(true);
    });
  });
}

describe.skipIf(opensslMissing !== undefined)("with NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment", () => {
  for (const runtime of ["Bun", "Deno"]) {
    test(`${runtime} refuses the same servers as without it, directly and through a proxy`, async () => {
      const { ca, strangerCa, server } = makeCertificates();
      const [secure, proxy] = [await keep(echoServer({ ...server, ca })), await keep(connectProxy())];
      const url = `https://127.0.0.1:${secure.port}/`;
      const scene: RefusalScene = { url, ca, strangerCa, proxy: `http://127.0.0.1:${proxy.port}` };
      const path = "test/platform/refused-servers.ts";
      const env = { NODE_TLS_REJECT_UNAUTHORIZED: "0" };
      const { stdout } =
        runtime === "Deno"
          ? await runDeno(path, [JSON.stringify(scene)], env)
          : await runProgram([process.execPath, path, JSON.stringify(scene)], {
              env: { ...process.env, ...env },
              timeoutMs: 300_000,
            });
      const outcomes = Object.entries(JSON.parse(stdout) as Record<string, string>);
      expect(outcomes).toHaveLength(23);
      const answered = outcomes.filter(([, outcome]) => outcome.startsWith("answered"));
      const both = (name: string, as: string): readonly [string, string][] =>
        [name, `${name}, node:https`].map((one) => [one, `answered as ${JSON.stringify(as)}`]);
      expect(answered).toEqual([
        ...both("its own authority", ""),
        ...both("insecure", ""),
        ...both("its own authority, by proxy", ""),
        ...both("its own authority and a server name", "localhost"),
        ["by name and proxy, node:https", 'answered as "localhost"'],
      ]);
      const others = outcomes.map(([, outcome]) => outcome).filter((outcome) => !outcome.startsWith("answered"));
      expect(new Set(others)).toEqual(new Set(["certificate"]));
    });
  }
});

describe.skipIf(opensslMissing !== undefined)("through a SOCKS5 proxy", () => {
  let certificates: Certificates;
  let server: Listening;
  beforeAll(async () => {
    certificates = makeCertificates();
    server = await keep(echoServer({ ...certificates.server, ca: certificates.ca }));
  });
  const through = (proxy: string, host = "127.0.0.1"): Promise<Seen> =>
    seen(openHttp({ tls: { ca: certificates.ca }, proxy }), `https://${host}:${server.port}/`, {
      method: "POST",
      body: new TextEncoder().encode("x".repeat(300_000)),
    });

  test("names are resolved by the proxy, addresses are sent as such, and TLS is end to end", async () => {
    const proxy = await keep(socksProxy());
    const url = `socks5://127.0.0.1:${proxy.port}`;
    expect(await through(url, "localhost")).toMatchObject({ serverName: "localhost", body: "x".repeat(300_000) });
    expect((await through(url)).body).toHaveLength(300_000);
    const stranger = openHttp({ tls: { ca: certificates.strangerCa }, proxy: url });
    const refused = await caught(stranger.send(request(`https://127.0.0.1:${server.port}/`)));
    expect(refused).toMatchObject({ failure: "certificate" });
    expect(proxy.requests).toEqual(["localhost", "127.0.0.1", "127.0.0.1"].map((host) => `${host}:${server.port}`));
  });

  test("an IPv6 address is sent as 16 bytes", async () => {
    const proxy = await keep(socksProxy(undefined, 4));
    const client = openHttp({ tls: {}, proxy: `socks5://127.0.0.1:${proxy.port}` });
    const error = await caught(client.send(request("https://[fd00:1::ff]:6443/")));
    expect(error).toMatchObject({ failure: "unreachable", message: "the SOCKS proxy cannot reach the host" });
    expect(proxy.requests).toEqual(["253.0.0.1.0.0.0.0.0.0.0.0.0.0.0.255:6443"]);
  });

  test("user and password of the proxy's URL are used", async () => {
    const proxy = await keep(socksProxy("me:p@ss"));
    expect((await through(`socks5://me:p%40ss@127.0.0.1:${proxy.port}`)).body).toHaveLength(300_000);
    expect(proxy.requests).toEqual([`127.0.0.1:${server.port} me:p@ss`]);
    const wrong = await caught(through(`socks5://me:wrong@127.0.0.1:${proxy.port}`));
    expect(wrong).toMatchObject({ message: "the SOCKS proxy does not accept the login" });
    const none = await caught(through(`socks5://127.0.0.1:${proxy.port}`));
    expect(none).toMatchObject({ failure: "unreachable" });
  });

  test("an invalid, missing or silent proxy is an error", async () => {
    const other = await keep(rawServer("HTTP/1.1 400 Bad Request\r\n\r\n", "end"));
    expect(await caught(through(`socks5://127.0.0.1:${other.port}`))).toMatchObject({
      message: "the proxy does not speak SOCKS5",
    });
    const gone = await echoServer(undefined);
    gone.close();
    expect(await caught(through(`socks5://127.0.0.1:${gone.port}`))).toMatchObject({ failure: "refused" });
    const silent = await keep(rawServer("", "stay"));
    const client = openHttp({ tls: {}, proxy: `socks5://127.0.0.1:${silent.port}` });
    const error = await caught(client.send(request("https://a/", { signal: AbortSignal.timeout(50) })));
    expect(error).toBeInstanceOf(Error);
  });
});

describe("openHttp", () => {
  test("sends a header with several values as several lines", async () => {
    const { port } = await keep(echoServer(undefined));
    const { lines } = await seen(openHttp({ tls: {} }), `http://127.0.0.1:${port}/`, {
      headers: { "impersonate-group": ["a", "b"] },
    });
    const values = lines.filter((_, i) => lines[i - 1]?.toLowerCase() === "impersonate-group");
    expect(values).toEqual(["a", "b"]);
  });

  test("can have more open streams than Bun's limit of requests, and other requests beside them", async () => {
    const { port } = await keep(
      echoServer(undefined, ({ url = "" }, response) => {
        if (!url.startsWith("/stream")) return false;
        response.write("begun");
        return true;
      }),
    );
    const http = openHttp({ tls: {} });
    const abort = new AbortController();
    const stream = { ...request(`http://127.0.0.1:${port}/stream`), signal: abort.signal, stream: true };
    const bodies = await Promise.all(Array.from({ length: 400 }, async () => (await http.send(stream)).body));
    const pieces = await Promise.all(bodies.map((body) => body.next()));
    expect(new Set(pieces.map((piece) => new TextDecoder().decode(piece)))).toEqual(new Set(["begun"]));
    expect((await http.send(request(`http://127.0.0.1:${port}/`))).status).toBe(200);
    abort.abort();
    for (const body of bodies) body.cancel();
    // Ended streams no longer count toward the limit; otherwise these requests would wait.
    for (let n = 0; n < 3; n++) expect((await http.send(request(`http://127.0.0.1:${port}/`))).status).toBe(200);
  });

  test("reads a compressed body", async () => {
    const { port } = await keep(
      echoServer(undefined, (incoming, response) => {
        const compressed = (incoming.headers["accept-encoding"] ?? "").includes("gzip");
        if (compressed) response.setHeader("content-encoding", "gzip");
        response.end(compressed ? gzipSync("hello") : "plain");
        return true;
      }),
    );
    const response = await openHttp({ tls: {} }).send(request(`http://127.0.0.1:${port}/`));
    expect(await text(response.body)).toBe("hello");
  });
});
