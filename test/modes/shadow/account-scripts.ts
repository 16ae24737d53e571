/** Scripts of namespaces whose ServiceAccount `default` is deleted. */
import type { Script, Step } from "../../differential/suite.ts";

/** The ServiceAccount default is deleted again and again. */
export function accountsDeleted(seed: number, length: number): Script {
  const step: Step = {
    name: "delete the ServiceAccount default",
    act: (stage) => stage.remove("serviceaccounts", "default"),
  };
  return { name: `seed ${seed}`, steps: Array.from({ length }, () => step) };
}
