/** Plays scripts on a server, through kubectl only. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { controlPlaneBinary } from "../../scripts/control-plane.ts";
import { type Command, commandsOf, type Script, wordsOf } from "./script.ts";
import type { KubectlServer } from "./servers.ts";
import { entryOf, type Printed } from "./transcript.ts";

/** The entries of a script's transcript, one for each command. */
export function play(script: Script, server: KubectlServer): Promise<readonly string[]> {
  return inNamespace(script.name, server, async (folder) => {
    for (const [name, text] of Object.entries(script.files ?? {})) {
      const path = join(workIn(folder), name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
    const entries: string[] = [];
    const kept = new Map<string, string>();
    for (const command of commandsOf(script)) {
      const run = command.run.replaceAll(/\$([A-Z]+)/g, (word, name: string) => kept.get(name) ?? word);
      const printed = await kubectl({ ...command, run }, folder);
      if (command.keeps !== undefined) kept.set(command.keeps, printed.stdout.trim());
      entries.push(entryOf(command.run, printed));
    }
    return entries;
  });
}

/** Creates a namespace, and a folder from which kubectl uses it while `use` runs. */
export async function inNamespace<Result>(
  name: string,
  server: KubectlServer,
  use: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "kubectl-"));
  try {
    await server.createNamespace(name);
    writeConfig(join(folder, "config"), server.kubeconfig, name);
    mkdirSync(workIn(folder));
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const workIn = (folder: string): string => join(folder, "work");

/** The output of a script's commands, once all have finished. */
export type Played = (script: Script) => Promise<readonly string[]>;

/** Plays all scripts: first those that must run alone, one after another, then the others in `lanes` parallel lanes. */
export function playAll(
  scripts: readonly Script[],
  { server, lanes }: { readonly server: KubectlServer; readonly lanes: number },
): Played {
  const played = new Map(scripts.map((script) => [script, Promise.withResolvers<readonly string[]>()]));
  const run = async (script: Script): Promise<void> => {
    const result = played.get(script);
    result?.resolve(play(script, server));
    // A failure is reported by the test that awaits it.
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

/** The server's kubeconfig with the script's namespace, and with the same user name for both servers, because kubectl prints it. */
function writeConfig(path: string, kubeconfig: string, namespace: string): void {
  const config = Bun.YAML.parse(kubeconfig) as KubeConfig;
  const name = "admin";
  for (const user of config.users) user.name = name;
  for (const { context } of config.contexts) Object.assign(context, { namespace, user: name });
  writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
}

/** Runs a command until it exits, in a folder of `inNamespace`. */
export async function kubectl(command: Command, folder: string): Promise<Printed> {
  const child = startKubectl(command, folder);
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  const work = workIn(folder);
  // The folder differs in every run.
  return { stdout: stdout.replaceAll(work, "FOLDER"), stderr: stderr.replaceAll(work, "FOLDER"), code };
}

/** Starts a command, in a folder of `inNamespace`. */
export function startKubectl(
  { run, stdin, editor }: Command,
  folder: string,
): Bun.Subprocess<"ignore" | Blob, "pipe", "pipe"> {
  const program = controlPlaneBinary("kubectl") ?? "kubectl";
  const flags = ["--kubeconfig", join(folder, "config"), "--cache-dir", join(folder, "cache")];
  return Bun.spawn([program, ...flags, ...wordsOf(run)], {
    cwd: workIn(folder),
    stdin: stdin === undefined ? "ignore" : new Blob([stdin]),
    stdout: "pipe",
    stderr: "pipe",
    timeout: 300_000,
    env: { PATH: process.env["PATH"], HOME: folder, ...(editor !== undefined && { KUBE_EDITOR: editor }) },
  });
}
