/** Programs that run controllers, as measured: neither is slowed down by its own rate limit. */
import type { Cluster } from "../../test/support/cluster.ts";
import { controlPlaneBinary } from "../control-plane.ts";
import { type Child, start } from "./child.ts";

/** The two that are compared, in the order in which they take turns. */
export const sides = ["ours", "kube-controller-manager"] as const;
export type Side = (typeof sides)[number];

/** What each side was measured to need, per round. */
export type RoundsOf<T> = Record<Side, T[]>;

/** One side with these controllers, by our names: upstream's end in `-controller`. */
export function startSide(
  side: Side,
  options: Parameters<typeof startOurs>[0] & Parameters<typeof startManager>[0],
  controllers: readonly string[],
): Child {
  if (side === "ours") return startOurs(options, controllers);
  return startManager(
    options,
    controllers.map((name) => `${name}-controller`),
  );
}

const unlimited = ["--kube-api-qps", "1000000", "--kube-api-burst", "1000000"];

/** `run` of these controllers, for all namespaces; with `events` their stage events go to that file. */
export function startOurs(
  options: { readonly cluster: Cluster; /** `dist/kubectl-reconcile`. */ readonly program: string },
  controllers: readonly string[],
  events?: string,
): Child {
  const command = [options.program, "run", ...controllers, "-A", "--kubeconfig", options.cluster.kubeconfig];
  // --force: the managedFields of the previous round name kube-controller-manager.
  const output = events === undefined ? [] : ["-o", "json"];
  return start([...command, ...unlimited, "--force", ...output], {
    stdout: events === undefined ? "ignored" : { file: events },
  });
}

/** kube-controller-manager with these controllers (`replicaset-controller`). `dir` is for its certificate. */
export function startManager(
  options: { readonly cluster: Cluster; readonly dir: string },
  controllers: readonly string[],
): Child {
  const manager = controlPlaneBinary("kube-controller-manager");
  if (manager === undefined) throw new Error("kube-controller-manager is not built");
  const command = [manager, "--kubeconfig", options.cluster.kubeconfig, "--leader-elect=false", "--secure-port=0"];
  const which = `--controllers=${controllers.join(",")}`;
  return start([...command, which, ...unlimited, `--cert-dir=${options.dir}`], { stdout: "ignored" });
}
