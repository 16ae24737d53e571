/** Plays scripts to a server, by kubectl alone. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { controlPlaneBinary } from "../../scripts/control-plane.ts";
import { type Command, commandsOf, type Script, wordsOf } from "./script.ts";
import type { KubectlServer } from "./servers.ts";
import { entryOf, type Printed } from "./transcript.ts";

/** The entries of a script's transcript, one for each command. */
export async function play(script: Script, server: KubectlServer): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "kubectl-"));
  try {
    await server.createNamespace(script.name);
    writeConfig(join(folder, "config"), server.kubeconfig, script.name);
    const work = join(folder, "work");
    mkdirSync(work);
    for (const [name, text] of Object.entries(script.files ?? {})) {
      mkdirSync(dirname(join(work, name)), { recursive: true });
      writeFileSync(join(work, name), text);
    }
    const entries: string[] = [];
    for (const command of commandsOf(script)) entries.push(entryOf(command.run, await kubectl(command, folder)));
    return entries;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a script's commands printed, once they all have. */
export type Played = (script: Script) => Promise<readonly string[]>;

/** Plays them all: those that must be alone first, one after the other, then the others `lanes` at a time. */
export function playAll(
  scripts: readonly Script[],
  { server, lanes }: { readonly server: KubectlServer; readonly lanes: number },
): Played {
  const played = new Map(scripts.map((script) => [script, Promise.withResolvers<readonly string[]>()]));
  const run = async (script: Script): Promise<void> => {
    const result = played.get(script);
    result?.resolve(play(script, server));
    // A failure belongs to the test that waits for it.
    await result?.promise.catch(() => undefined);
  };
  const lane = async (left: Script[]): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await run(next);
  };
  void (async () => {
    await lane(scripts.filter(({ alone }) => alone !== undefined));
    const left = scripts.filter(({ alone }) => alone === undefined);
    await Promise.all(Array.from({ length: lanes }, () => lane(left)));
  })();
  return (script) => played.get(script)?.promise ?? Promise.reject(new Error(`${script.name} is not played`));
}

interface KubeConfig {
  readonly users: { name: string }[];
  readonly contexts: { readonly context: { namespace: string; user: string } }[];
}

/** The server's kubeconfig with the script's namespace, and a user of the same name on both: kubectl prints it. */
function writeConfig(path: string, kubeconfig: string, namespace: string): void {
  const config = Bun.YAML.parse(kubeconfig) as KubeConfig;
  const name = "admin";
  for (const user of config.users) user.name = name;
  for (const { context } of config.contexts) Object.assign(context, { namespace, user: name });
  writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
}

async function kubectl({ run, stdin, editor }: Command, folder: string): Promise<Printed> {
  const program = controlPlaneBinary("kubectl") ?? "kubectl";
  const flags = ["--kubeconfig", join(folder, "config"), "--cache-dir", join(folder, "cache")];
  const work = join(folder, "work");
  const child = Bun.spawn([program, ...flags, ...wordsOf(run)], {
    cwd: work,
    stdin: stdin === undefined ? "ignore" : new Blob([stdin]),
    stdout: "pipe",
    stderr: "pipe",
    timeout: 300_000,
    env: { PATH: process.env["PATH"], HOME: folder, ...(editor !== undefined && { KUBE_EDITOR: editor }) },
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  // The folder is another in every run.
  return { stdout: stdout.replaceAll(work, "FOLDER"), stderr: stderr.replaceAll(work, "FOLDER"), code };
}
