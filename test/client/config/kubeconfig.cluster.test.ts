/** The same kubeconfig files, merged by this client and by kubectl. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { controlPlaneBinary } from "../../../scripts/control-plane.ts";
import type { ConfigFlags } from "../../../src/client/config/rest-config.ts";
import { loadRestConfig } from "../../../src/client/config/load-rest-config.ts";
import { loadKubeconfig } from "../../../src/client/config/kubeconfig.ts";
import type { From } from "../../../src/client/config/kubeconfig-types.ts";
import { realHost, type Host } from "../../../src/platform/host.ts";

const kubectl = controlPlaneBinary("kubectl");
const dir = mkdtempSync(join(tmpdir(), "kubeconfig-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

interface Named {
  readonly name: string;
  readonly [field: string]: unknown;
}

interface View {
  readonly clusters: readonly Named[] | null;
  readonly users: readonly Named[] | null;
  readonly contexts: readonly Named[] | null;
  readonly "current-context": string;
}

function view(list: string, ...args: string[]): View {
  const { stdout, stderr, exitCode } = Bun.spawnSync(
    [kubectl ?? "", "config", "view", "--raw", ...args, "-o", "json"],
    { env: { HOME: dir, KUBECONFIG: list }, cwd: dir, stderr: "pipe" },
  );
  if (exitCode !== 0) throw new Error(stderr.toString());
  return JSON.parse(stdout.toString()) as View;
}

function hostFor(list: string): Host {
  return { ...realHost(), env: { KUBECONFIG: list }, home: dir };
}

/** In the format of `kubectl config view --raw -o json`, without the fields that kubectl adds. */
function entries(list: ReadonlyMap<string, From<unknown>>): Record<string, unknown> {
  return Object.fromEntries([...list].map(([name, { entry }]) => [name, entry]));
}

/** kubectl prints `null` for missing fields of an exec entry, and `""` for a missing server. */
function without(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== null && item !== "" && item !== false)
      .map(([key, item]) => [key, without(item)]),
  );
}

const file = (name: string, content: string): string => {
  const path = join(dir, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, content);
  return path;
};

const first = file(
  "one/config",
  `
apiVersion: v1
kind: Config
current-context: ""
clusters:
- { name: red, cluster: { server: "https://red.one", certificate-authority: ca.crt } }
- { name: green, cluster: { server: "https://green.one:6443/prefix", proxy-url: "http://proxy:3128", disable-compression: true } }
users:
- { name: me, user: { client-certificate: ../two/me.crt, client-key: me.key } }
- { name: plugin, user: { exec: { apiVersion: client.authentication.k8s.io/v1, command: login, args: [a, b], interactiveMode: Never, env: [{ name: A, value: "1" }] } } }
contexts:
- { name: red, context: { cluster: red, user: me, namespace: one } }
`,
);
const second = file(
  "two/config",
  `
apiVersion: v1
kind: Config
current-context: blue
clusters:
- { name: red, cluster: { server: "https://red.two", insecure-skip-tls-verify: true } }
- { name: blue, cluster: { server: "https://blue.two", tls-server-name: blue.test } }
users:
- { name: me, user: { token: two } }
- { name: boss, user: { token: t, as: a, as-uid: "7", as-groups: [g, h], as-user-extra: { x: [v, w] } } }
- { name: filed, user: { tokenFile: token } }
contexts:
- { name: red, context: { cluster: blue, user: boss } }
- { name: blue, context: { cluster: blue, user: boss } }
`,
);
const third = file(
  "three.json",
  JSON.stringify({ "current-context": "red", users: [{ name: "me", user: { username: "u", password: "p" } }] }),
);
file("one/ca.crt", "authority of one");
file("one/me.key", "key of one");
file("two/me.crt", "certificate of two");
file("two/token", "token of two");
const empty = file("empty", "");

describe.skipIf(kubectl === undefined)("a merged kubeconfig", () => {
  const lists = [
    { name: "one file", list: [first] },
    { name: "two", list: [first, second] },
    { name: "two in the other order", list: [second, first] },
    { name: "three, one of them JSON", list: [third, second, first] },
    { name: "with a missing one, an empty one and a duplicate", list: ["/no/such/file", empty, second, first, second] },
    { name: "only missing ones", list: ["/no/such/file"] },
  ];
  for (const { name, list } of lists) {
    test(`equals kubectl's: ${name}`, async () => {
      const joined = list.join(":");
      const kubectls = view(joined);
      const ours = await loadKubeconfig(hostFor(joined));
      const theirs = (list: readonly Named[] | null, field: string): unknown =>
        Object.fromEntries((list ?? []).map((entry) => [entry.name, entry[field]]));
      expect(ours.currentContext).toBe(kubectls["current-context"]);
      expect(without(entries(ours.clusters))).toEqual(without(theirs(kubectls.clusters, "cluster")));
      expect(without(entries(ours.contexts))).toEqual(without(theirs(kubectls.contexts, "context")));
      expect(without(entries(ours.users))).toEqual(without(theirs(kubectls.users, "user")));
    });
  }

  const unusual = [
    { name: "two documents, of which the first counts", content: `${yaml("one")}\n---\n${yaml("two")}` },
    { name: "a second document that is not YAML", content: `${yaml("one")}\n---\na: [` },
    { name: "UTF-16", content: Buffer.from(`\ufeff${yaml("one")}`, "utf16le") },
    { name: "a duplicate key", content: `${yaml("one")}\ncurrent-context: two\n` },
    { name: "words that are times or base 60 numbers in YAML 1.1", content: yaml("2026-11-22", "1:30") },
    { name: "anchors and merges", content: `${yaml("one")}\nx: &x {server: "https://m"}\ny: {<<: *x}\n` },
    { name: "unknown fields", content: `${yaml("one")}\nextra: 7\n` },
    { name: "a name that is a boolean in YAML 1.1", content: yaml("on") },
    { name: "a name that is a number", content: yaml("7") },
    { name: "a namespace that is a number", content: yaml("one", "7") },
    { name: "an octal number", content: yaml("one", "0777") },
    { name: "a name that is not a string", content: yaml("null") },
  ];
  for (const { name, content } of unusual) {
    test(`is read or refused as by kubectl: ${name}`, async () => {
      const path = join(dir, "unusual");
      writeFileSync(path, content);
      const attempt = async <T>(read: () => T | Promise<T>): Promise<T | "refused"> => {
        try {
          return await read();
        } catch {
          return "refused";
        }
      };
      const kubectls = await attempt(() => view(path));
      const ours = await attempt(() => loadKubeconfig(hostFor(path)));
      if (kubectls === "refused" || ours === "refused") return expect(ours).toBe(kubectls as never);
      expect(ours.currentContext).toBe(kubectls["current-context"]);
      expect([...ours.contexts].map(([key, { entry }]) => [key, entry.namespace])).toEqual(
        (kubectls.contexts ?? []).map((entry) => [entry.name, (entry["context"] as { namespace?: string }).namespace]),
      );
    });
  }

  /** A kubeconfig with one context, whose name and namespace are inserted as YAML. */
  function yaml(name: string, namespace = "shop"): string {
    const [cluster, user] = [`clusters: [{name: c, cluster: {server: "https://a"}}]`, `users: [{name: u, user: {}}]`];
    return `${cluster}\n${user}\ncontexts: [{name: ${name}, context: {cluster: c, user: u, namespace: ${namespace}}}]\ncurrent-context: c\n`;
  }

  const flattened = [
    { context: "red", list: [first, second] },
    { context: "red", list: [second, first] },
    { context: "blue", list: [first, second] },
  ];
  for (const { context, list } of flattened) {
    test(`flattens to the same data: ${context} of ${list.length} files, ${list[0] === first ? "one" : "two"} first`, async () => {
      const joined = list.join(":");
      const kubectls = view(joined, "--flatten", "--minify", "--context", context);
      const cluster = kubectls.clusters?.[0]?.["cluster"] as Record<string, string>;
      const user = kubectls.users?.[0]?.["user"] as Record<string, string>;
      const ours = await loadRestConfig(hostFor(joined), { context });
      expect(ours.server).toBe(cluster["server"] as string);
      expect(ours.tls.ca).toBe(decoded(cluster["certificate-authority-data"]) as string);
      expect(ours.keyPair?.certificate).toBe(decoded(user["client-certificate-data"]) as string);
      expect(ours.keyPair?.key).toBe(decoded(user["client-key-data"]) as string);
    });
  }

  function decoded(data: string | undefined): string | undefined {
    return data === undefined ? undefined : atob(data);
  }

  const flags: readonly { readonly flags: ConfigFlags; readonly args: readonly string[] }[] = [
    { flags: {}, args: [] },
    {
      flags: { context: "red", user: "boss", insecureSkipTlsVerify: true },
      args: ["--context", "red", "--user", "boss", "--insecure-skip-tls-verify"],
    },
    { flags: { context: "red", cluster: "green" }, args: ["--context", "red", "--cluster", "green"] },
    { flags: { user: "me" }, args: ["--user", "me"] },
    { flags: { context: "none" }, args: ["--context", "none"] },
    { flags: { cluster: "none" }, args: ["--cluster", "none"] },
    { flags: { user: "none" }, args: ["--user", "none"] },
    { flags: { server: "https://other:1" }, args: ["--server", "https://other:1"] },
    { flags: { context: "red", server: "other:1" }, args: ["--context", "red", "--server", "other:1"] },
    { flags: { kubeconfig: "/no/such/file" }, args: ["--kubeconfig", "/no/such/file"] },
  ];
  for (const { flags: given, args } of flags) {
    test(`selects kubectl's server: ${args.join(" ") || "no flags"}`, async () => {
      const joined = [first, second].join(":");
      // The request fails, but kubectl logs its URL.
      const stderr = Bun.spawnSync([kubectl ?? "", "get", "--raw", "/x", "-v6", "--request-timeout", "1s", ...args], {
        env: { HOME: dir, KUBECONFIG: joined },
        stderr: "pipe",
      }).stderr.toString();
      const server = /url="(https?:\/\/[^"]*?)\/x[?"]/.exec(stderr)?.[1];
      const ours = await loadRestConfig(hostFor(joined), given).then(
        (access) => access.server,
        () => undefined,
      );
      expect(ours).toBe(server as string);
    });
  }
});

test("the fixtures were written", () => {
  expect(readFileSync(join(dir, "two/token"), "utf8")).toBe("token of two");
});
