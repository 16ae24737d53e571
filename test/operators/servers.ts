/** A real kube-apiserver and the compiled sandbox, for programs that do not distinguish between them. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { linesOf } from "../../scripts/bench/lines.ts";
import { controlPlaneFolder } from "../../scripts/control-plane.ts";
import { binaryFolder, runBinary } from "../support/binary.ts";
import { startCluster } from "../support/cluster.ts";

/** A server. */
export interface Side {
  /** The path of an administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** The folder from which envtest can start another server of this kind. */
  readonly assets: string;
}

/** Both servers, without controllers. */
export interface Sides {
  readonly real: Side;
  readonly mine: Side;
  stop(): Promise<void>;
}

/** Starts both servers. */
export async function startSides(): Promise<Sides> {
  const program = join(await binaryFolder(), "kubectl-reconcile");
  const folder = mkdtempSync(join(tmpdir(), "operators-"));
  const assets = join(folder, "assets");
  const filled = await runBinary(["sandbox", "--assets", assets]);
  if (filled.code !== 0) throw new Error(`Cannot fill ${assets}: ${filled.stderr}`);
  const kubeconfig = join(folder, "sandbox.kubeconfig");
  const bare = ["--run", "none", "--no-scheduler", "--no-kubelet", "--nodes", "0"];
  const sandbox = Bun.spawn([program, "sandbox", ...bare, "--write-kubeconfig", kubeconfig], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  for await (const line of linesOf(sandbox.stdout)) if (line.startsWith("ready after")) break;
  if (!existsSync(kubeconfig)) throw new Error("Cannot start the sandbox: it wrote no kubeconfig");
  const cluster = await startCluster();
  return {
    real: { kubeconfig: cluster.kubeconfig, assets: realAssets() },
    mine: { kubeconfig, assets },
    async stop() {
      sandbox.kill("SIGTERM");
      await Promise.all([sandbox.exited, cluster.stop()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function realAssets(): string {
  const given = process.env["KUBEBUILDER_ASSETS"];
  return given !== undefined && given !== "" ? given : controlPlaneFolder();
}
