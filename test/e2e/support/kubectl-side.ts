/** Runs kubectl against one server. */
import { controlPlaneBinary } from "../../../scripts/control-plane.ts";

/** Output and exit code of a command. */
interface Printed {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

/** One server, accessed only through kubectl. */
export interface Side {
  kubectl(args: readonly string[]): Promise<Printed>;
}

/** kubectl with one kubeconfig and its own discovery cache. */
export function sideOf(kubeconfig: string, cacheDir: string): Side {
  const command = [controlPlaneBinary("kubectl") ?? "kubectl", "--kubeconfig", kubeconfig, "--cache-dir", cacheDir];
  return {
    async kubectl(args) {
      const run = Bun.spawn([...command, ...args], {
        stdin: "ignore",
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
  };
}
