import { combinedError } from "./combined-error.ts";

/**
 * Runs the steps one after the other, those after a failed one too: for what upstream does in separate loops.
 * @throws the errors of the failed steps, as one; see `combinedError`.
 */
export async function runIndependent(steps: readonly (() => Promise<void>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw combinedError(errors);
}
