/**
 * Where the binaries of the real control plane are, which of them are missing, and how they are built. They are outside the work tree, in a
 * folder named by a hash of what they are built from: another pin is another folder, and an aborted build is never mistaken for a complete
 * one.
 *
 * `npm run control-plane` builds them and prints the folder.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

/** The folder with build.sh, up.sh, start.sh and down.sh. */
export const controlPlaneScripts: string = join(import.meta.dir, "control-plane");

/** etcd and kube-apiserver form a cluster, kubectl talks to it. */
export const clusterBinaries = ["etcd", "kube-apiserver", "kubectl"] as const;
/** What a cluster with controllers and simulated nodes needs on top. */
export const controllerBinaries = ["kube-controller-manager", "kube-scheduler", "kwok", "kwok-stages.yaml"] as const;

/** The cache of this project; outside the work tree, so a fresh clone finds what another one built. */
export function cacheFolder(): string {
  const { KUBECTL_RECONCILE_CACHE: own, XDG_CACHE_HOME: xdg } = process.env;
  if (own !== undefined && own !== "") return own;
  return join(xdg !== undefined && xdg !== "" ? xdg : join(homedir(), ".cache"), "kubectl-reconcile");
}

/** The first 12 hex digits of a hash over the files below `folder` that `matters` picks, names included. */
export function hashOf(folder: string, matters: (path: string) => boolean): string {
  const hash = createHash("sha256");
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter(matters)
    .sort();
  for (const path of paths)
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(folder, path)))
      .update("\0");
  return hash.digest("hex").slice(0, 12);
}

/** Where the binaries of the current pins belong, whether or not they exist. */
export function controlPlaneFolder(): string {
  const hash = hashOf(controlPlaneScripts, (path) => /\.(go|mod|sum)$/.test(path) || path === "build.sh");
  return join(cacheFolder(), `control-plane-${hash}`);
}

/** The path of one binary: from KUBEBUILDER_ASSETS if it is there, else from the cache; undefined if it is in neither. */
export function controlPlaneBinary(name: string): string | undefined {
  const assets = process.env["KUBEBUILDER_ASSETS"];
  const places = [...(assets === undefined || assets === "" ? [] : [assets]), controlPlaneFolder()];
  return places.map((place) => join(place, name)).find((path) => existsSync(path));
}

/** Why a cluster of these binaries cannot be started here, as a sentence; undefined if it can. */
export function missingFor(binaries: readonly string[]): string | undefined {
  const absent = binaries.filter((name) => controlPlaneBinary(name) === undefined);
  if (absent.length > 0) return `${absent.join(", ")} not built: run \`npm run control-plane\` (needs Go)`;
  const tools = ["bash", "openssl", "awk"].filter((name) => Bun.which(name) === null);
  return tools.length > 0 ? `${tools.join(", ")} not installed` : undefined;
}

/** The result of a build: the folder, or why there is none. */
export type Build = { readonly is: "built"; readonly folder: string } | { readonly is: "failed"; readonly why: string };

/**
 * Runs `build` with an empty folder and moves it to `folder` if the build succeeded; an existing folder is used unchanged. Two processes
 * never build the same thing at once: the second one waits, at most half an hour.
 */
export async function buildOnce(folder: string, build: (into: string) => Promise<string | undefined>): Promise<Build> {
  const lock = `${folder}.lock`;
  mkdirSync(dirname(folder), { recursive: true });
  for (let waited = 0; !existsSync(folder) && !takeLock(lock); waited++) {
    if (waited > 1800) return { is: "failed", why: `another build holds ${lock} for half an hour` };
    await Bun.sleep(1000);
  }
  const temporary = `${folder}.${process.pid}`;
  try {
    if (existsSync(folder)) return { is: "built", folder };
    removeLeftovers(folder, lock);
    mkdirSync(temporary);
    const why = await build(temporary);
    if (why !== undefined) return { is: "failed", why };
    renameSync(temporary, folder);
    return { is: "built", folder };
  } finally {
    rmSync(temporary, { recursive: true, force: true });
    if (holderOf(lock) === process.pid) rmSync(lock, { force: true });
  }
}

/** Removes what killed builds left beside `folder`; only the holder of the lock may do this. */
function removeLeftovers(folder: string, lock: string): void {
  for (const name of readdirSync(dirname(folder))) {
    const path = join(dirname(folder), name);
    if (path.startsWith(`${folder}.`) && path !== lock) rmSync(path, { recursive: true, force: true });
  }
}

function holderOf(lock: string): number | undefined {
  return existsSync(lock) ? Number(readFileSync(lock, "utf8")) : undefined;
}

/** Takes the lock if nobody holds it, or if its holder no longer exists. */
function takeLock(lock: string): boolean {
  try {
    writeFileSync(lock, `${process.pid}`, { flag: "wx" });
    return true;
  } catch {
    // 0: its holder is about to write its pid.
    const holder = holderOf(lock) ?? 0;
    if (holder > 0 && !isRunning(holder)) rmSync(lock, { force: true });
    return false;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Builds what KUBEBUILDER_ASSETS and the cache lack; minutes with a cold Go cache, its progress on standard error. */
export async function buildControlPlane(): Promise<Build> {
  const folder = controlPlaneFolder();
  if (existsSync(folder)) return { is: "built", folder };
  if (Bun.which("go") === null) return { is: "failed", why: "Go is not installed" };
  console.error(`building the control plane into ${folder}; several minutes the first time`);
  return await buildOnce(folder, async (into) => {
    const run = Bun.spawn(["bash", join(controlPlaneScripts, "build.sh"), into], {
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
    });
    const errors = (await new Response(run.stderr).text()).trim().split("\n").slice(-3).join("\n");
    return (await run.exited) === 0 ? undefined : `build.sh failed: ${errors}`;
  });
}

if (import.meta.main) {
  const build = await buildControlPlane();
  if (build.is === "failed") {
    console.error(`error: ${build.why}`);
    process.exit(1);
  }
  console.log(build.folder);
}
