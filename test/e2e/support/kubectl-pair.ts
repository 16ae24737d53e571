/** The same kubectl commands against a real kube-apiserver and a sandbox over HTTPS, and what they print made comparable. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { controlPlaneBinary } from "../../../scripts/control-plane.ts";
import { seededRandom } from "../../../src/platform/random.ts";
import { realTimeline } from "../../../src/platform/real-timeline.ts";
import { serveSandbox } from "../../../src/sandbox/https.ts";
import { createSandbox } from "../../../src/sandbox/sandbox.ts";
import { startCluster } from "../../support/cluster.ts";

/** What a command ended with. */
export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

/** One server, by kubectl alone. */
export interface Side {
  readonly kubeconfig: string;
  kubectl(args: readonly string[], stdin?: string): Promise<Printed>;
  /** Starts a command that follows what happens. */
  follow(args: readonly string[]): Following;
}

export interface Following {
  /** Resolves once so many lines are printed, or the command has ended. */
  printed(count: number): Promise<void>;
  /** The first `count` lines; then the command is ended. */
  lines(count: number): Promise<string>;
}

export interface Pair {
  readonly real: Side;
  readonly mine: Side;
  stop(): Promise<void>;
}

/** Both servers bare: no controllers, no ServiceAccounts by themselves. What is in them, the commands put there. */
export async function startPair(): Promise<Pair> {
  const folder = mkdtempSync(join(tmpdir(), "kubectl-pair-"));
  const cluster = await startCluster();
  const timeline = realTimeline();
  const sandbox = await createSandbox({ timeline, random: seededRandom(1), defaultServiceAccounts: false });
  const https = await serveSandbox(sandbox);
  const file = join(folder, "sandbox.kubeconfig");
  writeFileSync(file, https.kubeconfig(), { mode: 0o600 });
  return {
    real: sideOf(cluster.kubeconfig, join(folder, "real-cache")),
    mine: sideOf(file, join(folder, "sandbox-cache")),
    async stop() {
      await cluster.stop();
      sandbox.stop();
      await https.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** kubectl with one kubeconfig and a discovery cache of its own. */
export function sideOf(kubeconfig: string, cacheDir: string): Side {
  const command = [controlPlaneBinary("kubectl") ?? "kubectl", "--kubeconfig", kubeconfig, "--cache-dir", cacheDir];
  return {
    kubeconfig,
    async kubectl(args, stdin) {
      const run = Bun.spawn([...command, ...args], {
        stdin: stdin === undefined ? "ignore" : new Blob([stdin]),
        stdout: "pipe",
        stderr: "pipe",
        timeout: 300_000,
      });
      const [stdout, stderr, code] = await Promise.all([
        new Response(run.stdout).text(),
        new Response(run.stderr).text(),
        run.exited,
      ]);
      return { stdout, stderr, code };
    },
    follow(args) {
      const run = Bun.spawn([...command, ...args], {
        stdin: "ignore",
        stdout: "pipe",
        stderr: "ignore",
        timeout: 300_000,
      });
      let text = "";
      let over = false;
      const waiting = new Set<() => void>();
      const look = (): void => waiting.forEach((each) => each());
      void (async () => {
        const decoder = new TextDecoder();
        for await (const piece of run.stdout) {
          text += decoder.decode(piece, { stream: true });
          look();
        }
        over = true;
        look();
      })();
      const printed = (count: number): Promise<void> =>
        new Promise((resolve) => {
          const check = (): void => {
            if (!over && text.split("\n").length <= count) return;
            waiting.delete(check);
            resolve();
          };
          waiting.add(check);
          check();
        });
      return {
        printed,
        async lines(count) {
          await printed(count);
          run.kill();
          await run.exited;
          return text;
        },
      };
    },
  };
}

const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Ages, times, uids, versions, addresses and generated names: what differs from run to run. Columns keep one blank between them. */
export function comparable(text: string): string {
  return text
    .replaceAll(uid, "UID")
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "TIME")
    .replaceAll(/\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, "DATE")
    .replaceAll(/\/tmp\/(LIVE|MERGED)-\d+/g, "$1")
    .replaceAll(/^([-+]{3} \S+)\t.*$/gm, "$1")
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000 UTC/g, "DATE")
    .replaceAll(/127\.0\.0\.1:\d+/g, "SERVER")
    .replaceAll(/\b10\.0\.\d+\.\d+\b/g, "IP")
    .replaceAll(/(resourceVersion"?: )"\d+"/g, '$1"N"')
    .replaceAll(/kube-api-access-[a-z0-9]{5}/g, "kube-api-access-RAND")
    .replaceAll(/(^|[ (])(\d+[smhd])+(?=[ )]|$)/gm, "$1AGE")
    .replaceAll(/<invalid>/g, "AGE")
    .replaceAll(/(\S) {2,}/g, "$1  ")
    .replaceAll(/ +$/gm, "");
}
