import { describe, expect, test } from "bun:test";
import type { AuthInfo } from "../../../src/client/config/rest-config.ts";
import { withCredentials } from "../../../src/client/http/credentials.ts";
import type { CredentialSource } from "../../../src/client/config/credential.ts";
import { credentialsOf } from "../../../src/client/config/credentials.ts";
import { KubeconfigError, type ExecEntry } from "../../../src/client/config/kubeconfig-types.ts";
import { seededRandom } from "../../../src/platform/random.ts";
import type { ProgramEnd } from "../../../src/platform/subprocess.ts";
import { virtualTimeline, type VirtualTimeline } from "../../../src/platform/virtual-timeline.ts";
import { fakeHost, type FakeHost } from "../hosts.ts";
import { fakeTransport, get, type FakeTransport } from "../transports.ts";

const access = {
  context: "c",
  clusterName: "c",
  userName: "me",
  server: "https://api",
  namespace: "default",
  tls: { ca: "CA", insecure: false, serverName: "api.test" },
  disableCompression: false,
  proxyUrl: "http://proxy",
  execExtension: { audience: "x" },
} as const;
const start = Date.parse("2026-11-21T10:00:00Z");

function source(login: AuthInfo, host: FakeHost, timeline: VirtualTimeline): CredentialSource {
  return credentialsOf({ ...access, login }, { host, timeline });
}

const caught = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "no error",
    (e: unknown) => e,
  );
const wait = async (timeline: VirtualTimeline, ms: number): Promise<void> => {
  timeline.after(ms, "test", () => undefined);
  await timeline.runUntil();
};

describe("fixed credentials", () => {
  const rows: readonly { readonly login: AuthInfo; readonly authorization: string | undefined }[] = [
    { login: { is: "none" }, authorization: undefined },
    { login: { is: "token", token: "t" }, authorization: "Bearer t" },
    { login: { is: "basic", username: "ü", password: "p" }, authorization: "Basic w7w6cA==" },
  ];
  for (const { login, authorization } of rows) {
    test(login.is, async () => {
      const credentials = source(login, fakeHost({}), virtualTimeline(start, seededRandom(1)));
      expect((await credentials.current()).authorization).toBe(authorization as string);
    });
  }
});

describe("a token file", () => {
  test("is read at most once a minute; while it is missing, the last token is used", async () => {
    const timeline = virtualTimeline(start, seededRandom(1));
    const host = fakeHost({ "/t": "one\n" });
    const credentials = source({ is: "token-file", path: "/t" }, host, timeline);
    const token = async (): Promise<string | undefined> => (await credentials.current()).authorization;
    expect(await token()).toBe("Bearer one");
    host.files.set("/t", "two");
    await wait(timeline, 40_000);
    expect(await token()).toBe("Bearer one");
    await wait(timeline, 20_000);
    expect(await token()).toBe("Bearer two");
    host.files.delete("/t");
    await wait(timeline, 60_000);
    expect(await token()).toBe("Bearer two");
  });

  test("is read at once after a 401; the same token is not tried twice", async () => {
    const host = fakeHost({ "/t": "one" });
    const credentials = source({ is: "token-file", path: "/t" }, host, virtualTimeline(start, seededRandom(1)));
    const first = await credentials.current();
    expect(await credentials.renew(first)).toBe(first);
    host.files.set("/t", "two");
    expect(await credentials.renew(first)).toEqual({ authorization: "Bearer two" });
  });

  test("that is still missing leaves the token in the kubeconfig valid", async () => {
    const timeline = virtualTimeline(start, seededRandom(1));
    const host = fakeHost({});
    const credentials = source({ is: "token-file", path: "/t", token: "beside" }, host, timeline);
    expect((await credentials.current()).authorization).toBe("Bearer beside");
    host.files.set("/t", "filed");
    await wait(timeline, 60_000);
    expect((await credentials.current()).authorization).toBe("Bearer filed");
  });

  test("with two lines is an error", async () => {
    const host = fakeHost({ "/t": "one\ntwo" });
    const credentials = source({ is: "token-file", path: "/t" }, host, virtualTimeline(start, seededRandom(1)));
    const error = await caught(credentials.current());
    expect((error as Error).message).toBe(
      "Cannot send the token in /t: it contains a character that is not allowed in an HTTP header",
    );
  });

  test("that never existed is an error", async () => {
    const credentials = source({ is: "token-file", path: "/t" }, fakeHost({}), virtualTimeline(start, seededRandom(1)));
    expect(await caught(credentials.current())).toBeInstanceOf(KubeconfigError);
  });
});

describe("an exec plugin", () => {
  const v1 = "client.authentication.k8s.io/v1";
  const plugin: ExecEntry = { apiVersion: v1, command: "login", interactiveMode: "Never" };
  const printed = (status: object, apiVersion = v1): ProgramEnd => ({
    is: "ended",
    code: 0,
    out: JSON.stringify({ kind: "ExecCredential", apiVersion, status }),
  });

  function execScene(
    end: (count: number) => ProgramEnd | Promise<ProgramEnd>,
    entry: ExecEntry = plugin,
    stdinIsTerminal = false,
  ): { host: FakeHost; timeline: VirtualTimeline; credentials: CredentialSource } {
    const timeline = virtualTimeline(start, seededRandom(1));
    const host: FakeHost = fakeHost({}, { env: { A: "1" }, stdinIsTerminal, program: () => end(host.runs.length) });
    return { host, timeline, credentials: source({ is: "exec", plugin: entry, folder: "/k" }, host, timeline) };
  }

  test("runs once for many requests, and again when the credentials have expired", async () => {
    const { host, timeline, credentials } = execScene((count) =>
      printed({ token: `t${count}`, expirationTimestamp: "2026-11-21T10:01:00Z" }),
    );
    const all = await Promise.all([1, 2, 3, 4].map(() => credentials.current()));
    expect(new Set(all).size).toBe(1);
    await wait(timeline, 59_000);
    await credentials.current();
    expect(host.runs).toHaveLength(1);
    await wait(timeline, 2000);
    expect((await credentials.current()).authorization).toBe("Bearer t2");
    expect(host.runs).toHaveLength(2);
  });

  test("runs once for many refusals of the same credentials", async () => {
    const { host, credentials } = execScene((count) => printed({ token: `t${count}` }));
    const first = await credentials.current();
    const renewed = await Promise.all([1, 2, 3].map(() => credentials.renew(first)));
    expect(new Set(renewed.map(({ authorization }) => authorization))).toEqual(new Set(["Bearer t2"]));
    expect(await credentials.renew(first)).toBe(renewed[0] as never);
    expect(host.runs).toHaveLength(2);
  });

  test("gets the cluster if it wants it, and its variables", async () => {
    const { host, credentials } = execScene(() => printed({ token: "t" }), {
      ...plugin,
      args: ["a", "b"],
      env: [{ name: "B", value: "2" }],
      provideClusterInfo: true,
    });
    await credentials.current();
    const [run] = host.runs;
    expect(run).toMatchObject({ command: "login", args: ["a", "b"], interactive: false, env: { A: "1", B: "2" } });
    expect(JSON.parse(run?.env["KUBERNETES_EXEC_INFO"] ?? "")).toEqual({
      kind: "ExecCredential",
      apiVersion: v1,
      spec: {
        interactive: false,
        cluster: {
          server: "https://api",
          "tls-server-name": "api.test",
          "certificate-authority-data": btoa("CA"),
          "proxy-url": "http://proxy",
          config: { audience: "x" },
        },
      },
    });
  });

  test("can return a client certificate", async () => {
    const { credentials } = execScene(() => printed({ clientCertificateData: "c", clientKeyData: "k" }));
    expect(await credentials.current()).toEqual({ keyPair: { certificate: "c", key: "k" } });
  });

  test("resolves a command with a slash relative to the kubeconfig", async () => {
    const { host, credentials } = execScene(() => printed({ token: "t" }), { ...plugin, command: "./bin/login" });
    await credentials.current();
    expect(host.runs[0]?.command).toBe("/k/bin/login");
  });

  const modes: readonly {
    readonly mode?: string;
    readonly version?: string;
    readonly terminal: boolean;
    readonly gives: boolean | RegExp;
  }[] = [
    { mode: "Never", terminal: true, gives: false },
    { mode: "IfAvailable", terminal: true, gives: true },
    { mode: "IfAvailable", terminal: false, gives: false },
    { mode: "Always", terminal: true, gives: true },
    { mode: "Always", terminal: false, gives: /standard input is not a terminal/ },
    { mode: "Sometimes", terminal: true, gives: /unknown interactiveMode "Sometimes"/ },
    { terminal: true, gives: /names no interactiveMode/ },
    { version: "v1beta1", terminal: true, gives: true },
  ];
  for (const { mode, version = "v1", terminal, gives } of modes) {
    test(`${version} with interactiveMode ${mode ?? "unset"}, ${terminal ? "on" : "without"} a terminal`, async () => {
      const apiVersion = `client.authentication.k8s.io/${version}`;
      const entry: ExecEntry = { apiVersion, command: "login", ...(mode !== undefined && { interactiveMode: mode }) };
      const { host, credentials } = execScene(() => printed({ token: "t" }, apiVersion), entry, terminal);
      const result = await caught(credentials.current());
      if (typeof gives === "boolean") expect(host.runs[0]?.interactive).toBe(gives);
      else expect((result as Error).message).toMatch(gives);
    });
  }

  const failures: readonly {
    readonly name: string;
    readonly end: ProgramEnd;
    readonly message: RegExp;
    readonly next?: RegExp;
  }[] = [
    { name: "is missing", end: { is: "missing" }, message: /login is not found/, next: /get it at example\.com/ },
    { name: "fails", end: { is: "ended", code: 3, out: "" }, message: /exit code 3/ },
    { name: "was killed", end: { is: "failed", why: "it was ended by SIGKILL" }, message: /SIGKILL/ },
    {
      name: "prints something other than JSON",
      end: { is: "ended", code: 0, out: "hello" },
      message: /did not print JSON/,
    },
    { name: "prints another object", end: { is: "ended", code: 0, out: "{}" }, message: /not an ExecCredential/ },
    {
      name: "replies in another version",
      end: printed({ token: "t" }, "client.authentication.k8s.io/v1beta1"),
      message: /v1beta1, where/,
    },
    { name: "prints null", end: { is: "ended", code: 0, out: "null" }, message: /not an ExecCredential/ },
    { name: "prints a list", end: { is: "ended", code: 0, out: "[1]" }, message: /not an ExecCredential/ },
    {
      name: "prints a token of two lines",
      end: printed({ token: "first\nsecond" }),
      message: /^Cannot log in as user me: the exec plugin login printed a token that no HTTP header can carry$/,
    },
    {
      name: "prints a token that is not a string",
      end: printed({ token: 12345 }),
      message: /a token that is a number, not a text$/,
    },
    {
      name: "prints an invalid time",
      end: printed({ token: "t", expirationTimestamp: "soon" }),
      message: /not a time$/,
    },
    { name: "prints no credentials", end: printed({}), message: /neither a token nor a certificate/ },
    { name: "prints half of a key pair", end: printed({ clientKeyData: "k" }), message: /not both/ },
  ];
  for (const { name, end, message, next } of failures) {
    test(`that ${name} causes an error of one line`, async () => {
      const { credentials } = execScene(() => end, { ...plugin, installHint: "get it at example.com\u001b[31m" });
      const error = await caught(credentials.current());
      expect(error).toBeInstanceOf(KubeconfigError);
      expect((error as Error).message).toMatch(/^Cannot log in as user me: the exec plugin login /);
      expect((error as Error).message).toMatch(message);
      expect((error as KubeconfigError).next ?? "").not.toContain("\u001b");
      if (next !== undefined) expect((error as KubeconfigError).next ?? "").toMatch(next);
    });
  }

  test("with an unknown apiVersion is not run", async () => {
    const { host, credentials } = execScene(() => printed({}), {
      ...plugin,
      apiVersion: "client.authentication.k8s.io/v1alpha1",
    });
    expect(String(await caught(credentials.current()))).toContain("v1alpha1");
    expect(host.runs).toHaveLength(0);
  });
});

describe("authenticating", () => {
  function sourceOf(tokens: readonly string[]): CredentialSource {
    const all = tokens.map((token) => ({ authorization: token }));
    let now = 0;
    return {
      current: () => Promise.resolve(all[now] ?? {}),
      renew: (refused) => {
        if (refused === all[now] && now < all.length - 1) now++;
        return Promise.resolve(all[now] ?? {});
      },
    };
  }

  const onlyFor = (good: string): FakeTransport =>
    fakeTransport((request) => ({ status: request.headers?.["authorization"] === good ? 200 : 401 }));

  test("sends a refused request again with new credentials, including a write", async () => {
    const inner = onlyFor("b");
    const transport = withCredentials(sourceOf(["a", "b"]), () => ({ ...inner, close: () => undefined }));
    expect((await transport.send(get("/x", { method: "POST" }))).status).toBe(200);
    expect(inner.requests.map(({ headers }) => headers?.["authorization"])).toEqual(["a", "b"]);
  });

  test("sends it only once more, and not without new credentials", async () => {
    for (const [tokens, tries] of [
      [["a", "b", "c"], 2],
      [["a"], 1],
    ] as const) {
      const inner = onlyFor("z");
      const transport = withCredentials(sourceOf(tokens), () => ({ ...inner, close: () => undefined }));
      expect((await transport.send(get("/x"))).status).toBe(401);
      expect(inner.requests).toHaveLength(tries);
    }
  });

  test("opens new connections for a new certificate, and closes the old ones", async () => {
    const pairs = [
      { certificate: "1", key: "1" },
      { certificate: "2", key: "2" },
    ] as const;
    let now = 0;
    const events: string[] = [];
    const transport = withCredentials(
      {
        current: () => Promise.resolve({ keyPair: pairs[now] as (typeof pairs)[number] }),
        renew: (same) => Promise.resolve(same),
      },
      (pair) => {
        events.push(`open ${pair?.certificate}`);
        return { ...fakeTransport(() => ({})), close: () => void events.push(`close ${pair?.certificate}`) };
      },
    );
    await transport.send(get("/"));
    await transport.send(get("/"));
    now = 1;
    await transport.send(get("/"));
    expect(events).toEqual(["open 1", "close 1", "open 2"]);
  });
});

describe("the id token in the kubeconfig", () => {
  const jwt = (payload: string): string => ["{}", payload, "x"].map((part) => btoa(part)).join(".");
  const idToken = (payload: string): CredentialSource =>
    source({ is: "oidc", idToken: jwt(payload) }, fakeHost({}), virtualTimeline(start, seededRandom(1)));
  const seconds = (ms: number): string => JSON.stringify({ exp: Math.floor(ms / 1000) });

  test("is sent until it expires, and not again after a refusal", async () => {
    const credentials = idToken(seconds(start + 60_000));
    const credential = await credentials.current();
    expect(credential.authorization).toBe(`Bearer ${jwt(seconds(start + 60_000))}`);
    expect(await credentials.renew(credential)).toBe(credential);
  });

  test.each([
    { name: "has expired", payload: seconds(start - 60_000), says: "expired at 2026-11-21T09:59:00" },
    { name: "expires at once", payload: seconds(start + 5_000), says: "expires at 2026-11-21T10:00:05" },
    { name: "has no expiry", payload: "{}", says: "does not say when it expires" },
    { name: "is invalid", payload: "nonsense", says: "does not say when it expires" },
  ])("that $name is not sent, and the error says who renews it", async ({ payload, says }) => {
    const error = await caught(idToken(payload).current());
    expect(error).toBeInstanceOf(KubeconfigError);
    expect((error as KubeconfigError).message).toContain(says);
    expect((error as KubeconfigError).message).not.toContain(jwt(payload));
    expect((error as KubeconfigError).next).toContain("kubectl auth whoami");
  });
});
