/** `sandbox --save` and `--load` as programs; and the errors for unusable files. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { refuseManifestsOnCluster } from "../../../../plugin/cli/scope.ts";
import { stateToBeginWith } from "../../../../plugin/connections/state-file.ts";
import { rejection } from "../../../support/rejection.ts";

const main = join(import.meta.dir, "../../../../plugin/main.ts");
const alone = ["--run", "none", "--no-scheduler", "--no-kubelet", "--nodes", "0"];

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sandbox-state-"));
});

afterAll(() => rm(folder, { recursive: true }));

/** Runs a sandbox until it is ready, and ends it as a shell does. */
async function ran(...args: string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const child = Bun.spawn([process.execPath, main, "sandbox", ...alone, ...args], {
    stdout: "pipe",
    stderr: "pipe",
    stdin: "ignore",
  });
  const err = new Response(child.stderr).text();
  let out = "";
  let isStopped = false;
  const decoder = new TextDecoder();
  for await (const piece of child.stdout) {
    out += decoder.decode(piece, { stream: true });
    if (isStopped || !out.includes("ready after")) continue;
    isStopped = true;
    child.kill("SIGTERM");
  }
  return { code: await child.exited, out, err: await err };
}

function freePort(): number {
  const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => undefined } });
  const { port } = server;
  server.stop(true);
  return port;
}

describe("sandbox --save FILE --load FILE", () => {
  test("keeps a sandbox between runs: new at first, then as it was", async () => {
    const file = join(folder, "kept.json");
    const manifest = join(folder, "shop.yaml");
    await writeFile(manifest, "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n");
    const kept = ["--save", file, "--load", file];
    const identity = ["--write-kubeconfig", join(folder, "kubeconfig"), "--port", String(freePort())];
    const first = await ran(...kept, ...identity, "-f", manifest);
    expect(first).toMatchObject({ code: 0, err: "" });
    expect(first.out).toContain(`new: ${file} does not exist yet`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const text = await readFile(file, "utf8");
    const { items } = JSON.parse(text) as { items: { kind: string; metadata: { name: string } }[] };
    expect(items.filter(({ kind }) => kind === "Namespace").map(({ metadata }) => metadata.name)).toContain("shop");
    expect(first.out).toContain(`saved ${items.length} objects to ${file}`);
    const second = await ran(...kept, ...identity);
    expect(second).toMatchObject({ code: 0, err: "" });
    expect(second.out).toContain(`loaded ${items.length} objects from ${file}`);
    // The address and the certificate are the same, so the file has not changed.
    expect(await readFile(file, "utf8")).toBe(text);
    expect(await readdir(folder)).toHaveLength(3);
  }, 60_000);

  test("names an invalid file before anything is started, with exit code 2", async () => {
    const file = join(folder, "wrong.json");
    const item = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" } };
    const head = { apiVersion: "sandbox.kubectl-reconcile.io/v1", kind: "State", revision: 5 };
    await writeFile(file, JSON.stringify({ ...head, items: [item] }));
    const { code, out, err } = await ran("--load", file);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(`--load: ${file} items[0], Widget w, cannot be loaded: example.com/v1 is not served`);
  }, 60_000);
});

describe("a state file", () => {
  const errorText = async (files: Parameters<typeof stateToBeginWith>[0]): Promise<string> =>
    String(await rejection(stateToBeginWith(files)));

  test("that is missing is refused, unless it is the one to save to", async () => {
    const load = join(folder, "missing.json");
    expect(await errorText({ load })).toContain(`--load: ${load} does not exist`);
    expect(await errorText({ load, save: join(folder, "other.json") })).toContain("does not exist");
    expect(await stateToBeginWith({ load, save: `${folder}/./missing.json` })).toBeUndefined();
  });

  test("needs a sandbox: --load without --sandbox is refused", () => {
    expect(() => refuseManifestsOnCluster({ load: "s.json" }, "")).toThrow("--load is for --sandbox");
    expect(() => refuseManifestsOnCluster({ load: "s.json", sandbox: true }, "")).not.toThrow();
  });

  test("that cannot be written is refused at the start", async () => {
    expect(await errorText({ save: "/no/such/folder/s.json" })).toContain("there is not a folder /no/such/folder");
    expect(await errorText({ save: folder })).toContain(`cannot write ${folder}: it is a folder`);
  });

  test("that was truncated is refused, and not changed", async () => {
    const file = join(folder, "cut.json");
    await writeFile(file, '{"apiVersion":');
    await chmod(file, 0o600);
    expect(await errorText({ load: file, save: file })).toContain(`--load: ${file} is damaged or was cut off`);
    expect(await readFile(file, "utf8")).toBe('{"apiVersion":');
  });
});
