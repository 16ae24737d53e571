import { describe } from "bun:test";
import { realSide } from "../support/api-side.ts";
import { clusterMissing } from "../support/cluster.ts";
import { testProgramInFork } from "./support/program-in-fork.ts";

describe.skipIf(clusterMissing !== undefined)("on a real kube-apiserver", () => {
  testProgramInFork("a real cluster", realSide);
});
