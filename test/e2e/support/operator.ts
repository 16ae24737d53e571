/** The client-go operator in scripts/bench-peers/operator, which reconciles in a hot loop. */
import { peer } from "../../../scripts/bench/peers.ts";

/** Why the operator is not available, or undefined. Builds it if necessary. */
export async function operatorMissing(): Promise<string | undefined> {
  const program = await peer("operator");
  return program.is === "there" ? undefined : program.why;
}

/** Starts it; it writes as field manager `operator`. `await using operator = await startOperator(…)` stops it in any case. */
export async function startOperator(kubeconfig: string): Promise<AsyncDisposable> {
  const program = await peer("operator");
  if (program.is !== "there") throw new Error(`no operator: ${program.why}`);
  const run = Bun.spawn([program.path], {
    env: { PATH: process.env["PATH"], KUBECONFIG: kubeconfig },
    // It also ends with the test's process, however that ends.
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
