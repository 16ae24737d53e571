/** What the containers of a pod need in total. Source: component-helpers v0.36 resource/helpers.go AggregateContainerRequests. */
import { addAmounts, type Amounts, raiseAmounts } from "./amounts.ts";

/** What one container needs. */
interface Need {
  /** Whether it is an init container that keeps running. */
  readonly isSidecar: boolean;
  readonly amounts: Amounts;
}

/**
 * Containers and sidecars run together; each init container runs beside the sidecars started before it. The larger of
 * the two sums is needed.
 */
export function amountsTogether(containers: readonly Amounts[], initContainers: readonly Need[]): Amounts {
  const together: Amounts = new Map();
  for (const amounts of containers) addAmounts(together, amounts);
  const sidecars: Amounts = new Map();
  const most: Amounts = new Map();
  for (const { isSidecar, amounts } of initContainers) {
    if (isSidecar) {
      addAmounts(together, amounts);
      addAmounts(sidecars, amounts);
      raiseAmounts(most, sidecars);
    } else {
      const needed: Amounts = new Map(amounts);
      addAmounts(needed, sidecars);
      raiseAmounts(most, needed);
    }
  }
  raiseAmounts(together, most);
  return together;
}
