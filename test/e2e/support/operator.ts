/** The client-go operator of scripts/bench-peers/operator: it reconciles in a hot loop until the test stops it. */
import { peer } from "../../../scripts/bench/peers.ts";

/** Why the operator is not available; undefined if it is. Builds it if necessary. */
export async function operatorMissing(): Promise<string | undefined> {
  const program = await peer("operator");
  return program.is === "there" ? undefined : program.why;
}

/** Starts the operator, which writes as field manager `operator`. `await using operator = await startOperator(…)` cleans up. */
export async function startOperator(kubeconfig: string): Promise<AsyncDisposable> {
  const program = await peer("operator");
  if (program.is !== "there") throw new Error(`no operator: ${program.why}`);
  const run = Bun.spawn([program.path], {
    env: { PATH: process.env["PATH"], KUBECONFIG: kubeconfig },
    // The operator also exits with the test process, however that ends.
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
