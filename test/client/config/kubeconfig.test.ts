import { describe, expect, test } from "bun:test";
import type { ConfigFlags, RestConfig } from "../../../src/client/config/rest-config.ts";
import { loadRestConfig } from "../../../src/client/config/load-rest-config.ts";
import { kubeconfigFiles, loadKubeconfig } from "../../../src/client/config/kubeconfig.ts";
import { KubeconfigError } from "../../../src/client/config/kubeconfig-types.ts";
import { proxyFromEnvironment } from "../../../src/client/config/proxy.ts";
import { fakeHost } from "../hosts.ts";
import { rejection } from "../../support/rejection.ts";

const ca = "-----BEGIN CERTIFICATE-----\nca\n-----END CERTIFICATE-----\n";

const dev = `
apiVersion: v1
kind: Config
current-context: dev
clusters:
- name: dev
  cluster:
    server: https://dev:6443/
    certificate-authority: pki/ca.crt
    tls-server-name: api.dev
- name: bare
  cluster: { server: "http://bare:8080" }
users:
- name: dev
  user: { client-certificate: pki/dev.crt, client-key-data: ${btoa("key")} }
- name: token
  user: { token: secret, as: other, as-groups: [a, b], as-uid: "7", as-user-extra: { scope: [x] } }
- name: password
  user: { username: u, password: p }
- name: both
  user: { token: t, username: u, password: p }
- name: half
  user: { client-certificate-data: ${btoa("cert")} }
- name: group
  user: { as-groups: [a] }
contexts:
- name: dev
  context: { cluster: dev, user: dev, namespace: shop }
- name: token
  context: { cluster: dev, user: token }
- name: password
  context: { cluster: dev, user: password }
- name: both
  context: { cluster: dev, user: both }
- name: half
  context: { cluster: dev, user: half }
- name: group
  context: { cluster: dev, user: group }
- name: bare
  context: { cluster: bare, user: token }
- name: nowhere
  context: { cluster: gone, user: dev }
- name: nobody
  context: { cluster: dev, user: gone }
`;
const files = { "/k/dev": dev, "/k/pki/ca.crt": ca, "/k/pki/dev.crt": "cert" };
const access = (flags: ConfigFlags = {}, env: Record<string, string> = { KUBECONFIG: "/k/dev" }): Promise<RestConfig> =>
  loadRestConfig(fakeHost(files, { env }), flags);
const caught = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "no error",
    (e: unknown) => e,
  );

describe("the kubeconfig files", () => {
  const rows = [
    { name: "the flag", env: { KUBECONFIG: "/a" }, source: { kubeconfig: "/f" }, files: ["/f"] },
    {
      name: "KUBECONFIG, each file once, without empty entries",
      env: { KUBECONFIG: "/a::/b:/a" },
      source: {},
      files: ["/a", "/b"],
    },
    { name: "the file in the home folder", env: {}, source: {}, files: ["/home/me/.kube/config"] },
  ];
  for (const { name, env, source, files } of rows) {
    test(name, () => expect(kubeconfigFiles(fakeHost({}, { env }), source)).toEqual(files));
  }

  test("skip missing files of the list and name them", async () => {
    const kubeconfig = await loadKubeconfig(fakeHost(files, { env: { KUBECONFIG: "/x:/k/dev" } }));
    expect(kubeconfig.missing).toEqual(["/x"]);
    expect(kubeconfig.files).toEqual(["/k/dev"]);
  });
});

describe("a context as kubectl would use it", () => {
  test("is the current one, with files relative to its kubeconfig", async () => {
    expect(await access()).toEqual({
      context: "dev",
      clusterName: "dev",
      userName: "dev",
      server: "https://dev:6443",
      namespace: "shop",
      tls: { ca, serverName: "api.dev", insecure: false },
      disableCompression: false,
      login: { is: "none" },
      keyPair: { certificate: "cert", key: "key" },
      // The key is data, so the certificate's file cannot be replaced alone.
      files: { ca: "/k/pki/ca.crt" },
    });
  });

  test("names both files of a client certificate, from the kubeconfig and from flags", async () => {
    const flags = { clientCertificate: "/k/pki/ca.crt", clientKey: "/k/pki/dev.crt", insecureSkipTlsVerify: true };
    const { files: fromFlags } = await access(flags);
    expect(fromFlags).toEqual({ keyPair: { certificate: "/k/pki/ca.crt", key: "/k/pki/dev.crt" } });
    const { files: fromBoth } = await access({ clientKey: "/k/pki/ca.crt" });
    expect(fromBoth).toEqual({
      ca: "/k/pki/ca.crt",
      keyPair: { certificate: "/k/pki/dev.crt", key: "/k/pki/ca.crt" },
    });
    expect(await access({ ...flags, server: "http://plain" })).not.toHaveProperty("files");
  });

  test("impersonation, with groups, uid and extra", async () => {
    expect(await access({ context: "token" })).toMatchObject({
      namespace: "default",
      login: { is: "token", token: "secret" },
      impersonation: { user: "other", uid: "7", groups: ["a", "b"], extra: { scope: ["x"] } },
    });
  });

  test("sends no secret over plain http", async () => {
    const bare = await access({ context: "bare" });
    expect(bare.server).toBe("http://bare:8080");
    expect(bare.login).toEqual({ is: "none" });
  });

  const flags: readonly { readonly name: string; readonly flags: ConfigFlags; readonly gives: object }[] = [
    { name: "--namespace", flags: { namespace: "x" }, gives: { namespace: "x" } },
    { name: "--user", flags: { user: "password" }, gives: { login: { is: "basic", username: "u", password: "p" } } },
    { name: "--cluster", flags: { cluster: "bare" }, gives: { server: "http://bare:8080" } },
    {
      name: "--server removes tls-server-name",
      flags: { server: "https://other" },
      gives: { server: "https://other", tls: { ca, insecure: false } },
    },
    {
      name: "--tls-server-name",
      flags: { tlsServerName: "b" },
      gives: { tls: { ca, insecure: false, serverName: "b" } },
    },
    { name: "--token", flags: { token: "t" }, gives: { login: { is: "token", token: "t" } } },
    {
      name: "--insecure-skip-tls-verify removes the authority",
      flags: { insecureSkipTlsVerify: true },
      gives: { tls: { insecure: true, serverName: "api.dev" } },
    },
    {
      name: "--certificate-authority",
      flags: { certificateAuthority: "/k/pki/dev.crt" },
      gives: { tls: { ca: "cert", insecure: false, serverName: "api.dev" } },
    },
    {
      name: "--client-certificate",
      flags: { clientCertificate: "/k/pki/ca.crt" },
      gives: { keyPair: { certificate: ca, key: "key" } },
    },
    {
      name: "--as and --as-group",
      flags: { as: "me", asGroup: ["g"], asUid: "1" },
      gives: { impersonation: { user: "me", groups: ["g"], uid: "1", extra: {} } },
    },
    { name: "--request-timeout", flags: { requestTimeout: 5000 }, gives: { requestTimeoutMs: 5000 } },
    { name: "--request-timeout=0 means none", flags: { requestTimeout: 0 }, gives: { context: "dev" } },
    {
      name: "--server without a scheme is used without TLS, and so without credentials, even if the cluster has an authority",
      flags: { server: "other:6443", token: "t" },
      gives: { server: "http://other:6443", login: { is: "none" } },
    },
    {
      name: "user and password in --server override other credentials, and are removed from the URL",
      flags: { server: "https://me:p%40ss@other:6443/prefix/?a=b", token: "t" },
      gives: { server: "https://other:6443/prefix", login: { is: "basic", username: "me", password: "p@ss" } },
    },
  ];
  for (const { name, flags: given, gives } of flags) {
    test(name, async () => {
      expect(await access(given)).toMatchObject(gives);
    });
  }

  test("a token file overrides the token, which is used while the file cannot be read; --token overrides both", async () => {
    const user = "{ token: t, tokenFile: f }";
    const content = dev.replace(
      '{ token: secret, as: other, as-groups: [a, b], as-uid: "7", as-user-extra: { scope: [x] } }',
      user,
    );
    const host = fakeHost({ ...files, "/k/dev": content }, { env: { KUBECONFIG: "/k/dev" } });
    expect((await loadRestConfig(host, { context: "token" })).login).toEqual({
      is: "token-file",
      path: "/k/f",
      token: "t",
    });
    const flagged = await loadRestConfig(host, { context: "token", token: "x" });
    expect(flagged.login).toEqual({ is: "token", token: "x" });
  });

  test("--server needs no kubeconfig", async () => {
    expect(await loadRestConfig(fakeHost({}), { server: "localhost:8080" })).toMatchObject({
      context: "",
      server: "http://localhost:8080",
      namespace: "default",
    });
  });
});

describe("errors of one line, with the next step", () => {
  const one = (content: string): Record<string, string> => ({ "/k/dev": content });
  const rows: readonly {
    readonly name: string;
    readonly flags?: ConfigFlags;
    readonly files?: Record<string, string>;
    readonly message: RegExp;
    readonly next?: RegExp;
  }[] = [
    {
      name: "the file of --kubeconfig is missing",
      flags: { kubeconfig: "/no" },
      message: /^Cannot read the kubeconfig \/no: there is no such file$/,
    },
    {
      name: "no kubeconfig at all",
      files: {},
      message: /there is no kubeconfig: \/k\/dev is missing$/,
      next: /--kubeconfig/,
    },
    {
      name: "no such context",
      flags: { context: "x" },
      message: /context x: it is not in \/k\/dev/,
      next: /both, dev/,
    },
    {
      name: "no current context",
      files: one("contexts: [{name: a}]"),
      message: /sets no current context/,
      next: /there: a/,
    },
    {
      name: "no such cluster",
      flags: { context: "nowhere" },
      message: /cluster gone of context nowhere/,
      next: /bare, dev/,
    },
    { name: "no such user", flags: { context: "nobody" }, message: /user gone of context nobody/ },
    { name: "no such user by flag", flags: { user: "x" }, message: /user x of --user/ },
    {
      name: "no server",
      files: one("current-context: a\ncontexts: [{name: a, context: {}}]"),
      message: /names none \(context a\)/,
    },
    { name: "not YAML", files: one("a: [b"), message: /it is not YAML/ },
    { name: "not a kubeconfig but a list", files: one("- a"), message: /it is not a kubeconfig/ },
    {
      name: "two with the same name",
      files: one("users: [{name: a}, {name: a}]"),
      message: /it has two users named a/,
    },
    {
      name: "a number instead of a string",
      files: one("users: [{name: a, user: {password: 12345}}]"),
      message: /its user a has a password that is a number, not a text$/,
      next: /quotes/,
    },
    {
      name: "token and password",
      flags: { context: "both" },
      message: /user both: it has both a token and a password/,
    },
    { name: "certificate without key", flags: { context: "half" }, message: /user half: the client key is missing/ },
    { name: "groups without a user", flags: { context: "group" }, message: /without a user/, next: /--as/ },
    {
      name: "an authority that is missing",
      files: { "/k/dev": dev },
      message: /certificate-authority \(context dev\) \/k\/pki\/ca\.crt: there is no such file/,
    },
    {
      name: "invalid Base64",
      files: one(
        "current-context: a\ncontexts: [{name: a, context: {cluster: a}}]\nclusters: [{name: a, cluster: {server: 'https://a', certificate-authority-data: '%%'}}]",
      ),
      message: /it is not Base64/,
    },
    {
      name: "a proxy of an unknown kind",
      files: one(
        "current-context: a\ncontexts: [{name: a, context: {cluster: a}}]\nclusters: [{name: a, cluster: {server: 'https://a', proxy-url: 'ftp://x'}}]",
      ),
      message: /the proxy-url of cluster a, "ftp:\/\/x": it is not an http, https or socks5 URL/,
    },
  ];
  for (const { name, flags = {}, files: given = files, message, next } of rows) {
    test(name, async () => {
      const error = await caught(loadRestConfig(fakeHost(given, { env: { KUBECONFIG: "/k/dev" } }), flags));
      expect(error).toBeInstanceOf(KubeconfigError);
      expect((error as Error).message).toMatch(message);
      expect((error as Error).message).not.toContain("\n");
      if (next !== undefined) expect((error as KubeconfigError).next ?? "").toMatch(next);
    });
  }
});

describe("a secret in the wrong place or format", () => {
  const secret = "hunter2";
  const number = 4711081;
  const pemKey = `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----`;
  const config = (cluster: string, user = "token: t"): string =>
    `current-context: c\ncontexts: [{name: c, context: {cluster: c, user: u}}]\n` +
    `clusters: [{name: c, cluster: {${cluster}}}]\nusers: [{name: u, user: {${user}}}]\n`;
  const server = 'server: "https://a"';
  const rows: readonly { readonly name: string; readonly text: string; readonly flags?: ConfigFlags }[] = [
    ...["token", "password", "username", "client-key-data", "tokenFile"].map((field) => ({
      name: `a ${field} that is a number`,
      text: config(server, `${field}: ${number}`),
    })),
    { name: "a token that is a map", text: config(server, `token: {${secret}: ${secret}}`) },
    { name: "a password that is a list", text: config(server, `username: u, password: [${secret}]`) },
    { name: "an argument of a plugin that is a number", text: config(server, `exec: {command: x, args: [${number}]}`) },
    {
      name: "a variable of a plugin that is a number",
      text: config(server, `exec: {command: x, env: [{name: TOKEN, value: ${number}}]}`),
    },
    {
      name: "a config of a provider that is a number",
      text: config(server, `auth-provider: {name: oidc, config: {id-token: ${number}}}`),
    },
    { name: "a token of two lines", text: config(server, `token: "${secret}\\nx"`) },
    { name: "--token of two lines", text: config(server), flags: { token: `${secret}\nx` } },
    {
      name: "an id-token of two lines",
      text: config(server, `auth-provider: {name: oidc, config: {id-token: "${secret}\\nx"}}`),
    },
    { name: "a user to impersonate with two lines", text: config(server), flags: { as: `${secret}\nx` } },
    { name: "a proxy with another scheme", text: config(`${server}, proxy-url: "ftp://u:${secret}@p"`) },
    { name: "a proxy without a scheme", text: config(`${server}, proxy-url: "u:${secret}@p:1"`) },
    { name: "a proxy that is not a URL", text: config(`${server}, proxy-url: "http://u:${secret}/x@p:99999"`) },
    { name: "a server with another scheme", text: config(`server: "ftp://u:${secret}@a"`) },
    { name: "a server that is not a URL", text: config(`server: "https://u:${secret}@a:99999"`) },
    { name: "--server that is not a URL", text: config(server), flags: { server: `https://u:${secret}@:x` } },
    {
      name: "a key instead of its file",
      text: config(server, `client-certificate-data: YQ==, client-key: ${JSON.stringify(pemKey)}`),
    },
    {
      name: "a long token instead of its file",
      text: config(`${server}, certificate-authority: ${secret.repeat(100)}`),
    },
    { name: "an alias without an anchor", text: config(server, `password: *${secret}`) },
    { name: "a tag", text: config(server, `password: !${secret} [`) },
    { name: "a broken line", text: `users: [{name: u, user: {token: ${secret}` },
    { name: "an invalid escape", text: config(server, `token: "\\q${secret}"`) },
    { name: "a block with a wrong start", text: `users:\n- name: u\n  user:\n    token: | ${secret}\n` },
    { name: "text that is not a kubeconfig", text: secret },
  ];
  for (const { name, text, flags = {} } of rows) {
    test(`${name} is an error that does not show it`, async () => {
      const error = await caught(
        loadRestConfig(fakeHost({ "/k/dev": text }, { env: { KUBECONFIG: "/k/dev" } }), flags),
      );
      expect(error).toBeInstanceOf(KubeconfigError);
      const { message, next = "" } = error as KubeconfigError;
      expect(message + next).not.toMatch(new RegExp(`${secret}|${number}|PRIVATE`));
      expect(message).not.toContain("\n");
    });
  }

  test("in a proxy of the environment is not shown either", () => {
    const env = { HTTPS_PROXY: `ftp://u:${secret}@p` };
    expect(() => proxyFromEnvironment("https://a", env)).toThrow(KubeconfigError);
    expect(() => proxyFromEnvironment("https://a", env)).toThrow('Cannot use HTTPS_PROXY, "ftp://p"');
  });
});

describe("is refused like by kubectl:", () => {
  const base = "current-context: c\ncontexts: [{name: c, context: {cluster: c, user: u}}]\n";
  const with2 = (cluster: string, user: string): string =>
    `${base}clusters: [{name: c, cluster: {server: "https://a", ${cluster}}}]\nusers: [{name: u, user: {${user}}}]\n`;
  const both = (name: string): string => `${name}: f, ${name}-data: YQ==`;
  test.each([
    { name: "an authority as file and as data", text: with2(both("certificate-authority"), ""), says: "both given" },
    {
      name: "a certificate as file and as data",
      text: with2("", `${both("client-certificate")}, client-key-data: YQ==`),
      says: "both given",
    },
    {
      name: "a key as file and as data",
      text: with2("", `${both("client-key")}, client-certificate-data: YQ==`),
      says: "both given",
    },
    {
      name: "a provider that was removed",
      text: with2("", "auth-provider: {name: gcp}"),
      says: "its auth-provider gcp is not known",
    },
    {
      name: "a provider beside a token",
      text: with2("", "token: t, auth-provider: {name: x}"),
      says: "auth-provider x is not known",
    },
    {
      name: "a provider and a plugin",
      text: with2("", "auth-provider: {name: oidc}, exec: {command: x}"),
      says: "both an auth-provider and an exec",
    },
    {
      name: "oidc without its token",
      text: with2("", "auth-provider: {name: oidc, config: {}}"),
      says: "has no id-token",
    },
    {
      name: "a cluster named on",
      text: with2("", "").replaceAll(": c", ": on"),
      says: "the name of one of its clusters is a truth value",
    },
    {
      name: "a cluster named 7",
      text: with2("", "").replace("clusters: [{name: c", "clusters: [{name: 7"),
      says: "the name of one of its clusters is a number",
    },
    {
      name: "a boolean in quotes",
      text: with2('insecure-skip-tls-verify: "true"', ""),
      says: "a text, not true or false",
    },
  ])("$name", async ({ text, says }) => {
    const error = await caught(
      loadRestConfig(fakeHost({ "/k/dev": text, "/k/f": "a" }, { env: { KUBECONFIG: "/k/dev" } })),
    );
    expect(error).toBeInstanceOf(KubeconfigError);
    expect((error as Error).message).toContain(says);
  });
});

test("flags with empty values, as from unset variables of a script, change nothing", async () => {
  const names = [
    "as",
    "token",
    "context",
    "cluster",
    "user",
    "certificateAuthority",
    "namespace",
    "tlsServerName",
  ] as const;
  const empty = Object.fromEntries(names.map((name) => [name, ""]));
  const host = (): ReturnType<typeof fakeHost> => fakeHost(files, { env: { KUBECONFIG: "/k/dev" } });
  expect(await loadRestConfig(host(), { ...empty, asGroup: [""] })).toEqual(await loadRestConfig(host()));
});

test.each([
  ["fd00:10:96::1", "https://[fd00:10:96::1]", true],
  ["fd00:10:96:0::1", "https://[fd00:10:96::1]", true],
  ["[fd00:10:96::1]:443", "https://[fd00:10:96::1]", true],
  ["[fd00:10:96::1]:6443", "https://[fd00:10:96::1]", false],
  ["fd00:10:96::/112", "https://[fd00:10:96::1]:6443", true],
  ["fd00:10:97::/112", "https://[fd00:10:96::1]", false],
  ["10.96.0.0/12", "https://10.96.0.1", true],
  ["10.96.0.1:443", "https://10.96.0.1", true],
  ["example.com:6443", "https://api.example.com", false],
  [".example.com", "https://api.example.com", true],
] as const)("NO_PROXY=%s excludes %s: %j", (NO_PROXY, server, isExcluded) => {
  const proxy = "http://proxy.example.com:3128";
  expect(proxyFromEnvironment(server, { HTTPS_PROXY: proxy, NO_PROXY })).toBe(isExcluded ? undefined : proxy);
});

describe("in a cluster", () => {
  const folder = "/var/run/secrets/kubernetes.io/serviceaccount";
  const pod = { [`${folder}/token`]: "t\n", [`${folder}/ca.crt`]: ca, [`${folder}/namespace`]: "shop\n" };
  const env = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" };

  test("uses the service account of the pod, whose token and authority are read again", async () => {
    expect(await loadRestConfig(fakeHost(pod, { env }))).toMatchObject({
      server: "https://[fd00::1]",
      namespace: "shop",
      tls: { ca, insecure: false },
      login: { is: "token-file", path: `${folder}/token` },
      files: { ca: `${folder}/ca.crt` },
    });
  });

  test("prefers a kubeconfig", async () => {
    const host = fakeHost({ ...pod, ...files }, { env: { ...env, KUBECONFIG: "/k/dev" } });
    expect((await loadRestConfig(host)).context).toBe("dev");
  });

  test.each([
    ["server", "https://other.example.com", undefined],
    ["context", "prod", /Cannot use the context prod/],
    ["cluster", "prod", /Cannot use the cluster prod/],
    ["user", "me", /there is no kubeconfig/],
  ] as const)("does not give the pod's token away with --%s", async (flag, value, why) => {
    const loading = loadRestConfig(fakeHost(pod, { env }), { [flag]: value });
    if (why === undefined) expect(await loading).toMatchObject({ server: value, login: { is: "none" } });
    else expect((await rejection(loading)).message).toMatch(why);
  });

  test("applies flags", async () => {
    const host = fakeHost(pod, { env });
    expect(await loadRestConfig(host, { namespace: "a", token: "x", as: "me" })).toMatchObject({
      namespace: "a",
      login: { is: "token", token: "x" },
      impersonation: { user: "me" },
    });
  });
});
