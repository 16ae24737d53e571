/** An example of every kind that can be created. */
import { clusterExamples, reviewExamples } from "./cluster.ts";
import { coreExamples } from "./core.ts";
import type { Example } from "./example.ts";
import { workloadExamples } from "./workloads.ts";

export const examples: readonly Example[] = [
  ...coreExamples,
  ...workloadExamples,
  ...clusterExamples,
  ...reviewExamples,
];
