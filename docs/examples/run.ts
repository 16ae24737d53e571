import process from "node:process";
import { connectToCluster, startControllers } from "kubectl-reconcile";
import { maxPods } from "./max-pods.ts";

const cluster = await connectToCluster();
cluster.bus.listen((event) => {
  if (event.stage === "decision") console.log(`${event.key}  ${event.rule}: ${event.sentence}`);
  if (event.stage === "done" && event.error !== undefined) console.error(`${event.key}  ${event.error}`);
});
const run = await startControllers(cluster, { controllers: [maxPods] });
process.once("SIGINT", () => void run.stop());
console.log(`running on ${cluster.server}, Ctrl-C stops`);
console.log(`ended: ${await run.ended}`);
cluster.close();
