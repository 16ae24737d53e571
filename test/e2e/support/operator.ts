/** The client-go operator of scripts/bench-peers/operator: it reconciles in a hot loop, as long as a test lets it. */
import { peer } from "../../../scripts/bench/peers.ts";

/** Why there is no operator here; undefined where there is one. Builds it, where that has not been done. */
export async function operatorMissing(): Promise<string | undefined> {
  const program = await peer("operator");
  return program.is === "there" ? undefined : program.why;
}

/** Starts it; it writes as field manager `operator`. `await using operator = await startOperator(…)` leaves nothing behind. */
export async function startOperator(kubeconfig: string): Promise<AsyncDisposable> {
  const program = await peer("operator");
  if (program.is !== "there") throw new Error(`no operator: ${program.why}`);
  const run = Bun.spawn([program.path], {
    env: { PATH: process.env["PATH"], KUBECONFIG: kubeconfig },
    // It ends with the test's process, too, however that ends.
    stdin: "pipe",
    stdout: "ignore",
    stderr: "ignore",
  });
  return {
    async [Symbol.asyncDispose]() {
      run.kill("SIGKILL");
      await run.exited;
    },
  };
}
