/** Dry runs and their reports, for tests of the output. */
import { builtInControllers } from "../../../../src/controllers/index.ts";
import type { ToApply, RequestedChange } from "../../../../src/modes/dry-run/apply.ts";
import { emptyCluster } from "../../../../src/modes/dry-run/initial-state.ts";
import { noCustomResources } from "../../../../src/modes/dry-run/custom-objects.ts";
import { type Verdicts, verdictsOf } from "../../../../src/modes/dry-run/verdicts.ts";
import { dryRun } from "../../../../src/modes/dry-run/dry-run.ts";
import type { DryRun } from "../../../../src/modes/dry-run/result.ts";
import type { DryRunReport } from "../../../../plugin/commands/dry-run/report/report.ts";

/** The controllers that these outputs are about, so that a new one in the catalog does not change them. */
const controllers = builtInControllers.filter(({ name }) =>
  ["deployment", "replicaset", "garbage-collector"].includes(name),
);

export function deployment(image: string, cpu = "100m"): ToApply {
  const labels = { app: "web" };
  const container = { name: "web", image, resources: { requests: { cpu } } };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "shop" },
    spec: {
      replicas: 3,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  } as ToApply;
}

export function secret(password: string): ToApply {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "login", namespace: "shop" },
    stringData: { password, user: "web" },
  } as ToApply;
}

export const service: ToApply = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web", namespace: "shop" },
  spec: { selector: { app: "web" }, ports: [{ port: 80 }] },
} as ToApply;

export const apply = (object: ToApply): RequestedChange => ({ is: "apply", object, namespace: "shop" });

/** An object of another owner that the user is not allowed to read. */
export const hidden: ToApply = {
  apiVersion: "example.com/v1",
  kind: "Frob",
  metadata: { name: "hidden", namespace: "shop" },
};
const unread = new Map([["example.com/Frob shop/hidden", "not allowed to get frobs.example.com"]]);

export function play(baseline: readonly ToApply[], wishes: readonly RequestedChange[]): Promise<DryRun> {
  return dryRun({
    initialState: { ...emptyCluster(["shop"]), customResources: { ...noCustomResources, unread } },
    baseline: baseline.map(apply),
    requestedChanges: wishes,
    controllers,
    seed: 1,
    shown: {},
    fold: true,
  });
}

export function judged(run: DryRun): Verdicts {
  const changes = run.groups.flatMap((group) => group.changes);
  return verdictsOf({ ...run, controllers, changes, liveRefusals: new Map() });
}

export function reportOf(run: DryRun, more: Partial<DryRunReport> = {}): DryRunReport {
  return {
    source: "3 manifests over 3 manifests of the baseline, with simulated nodes; no cluster is contacted",
    clock: "simulated",
    run,
    notes: [],
    validations: [],
    manifests: run.done.flatMap(({ requested: wish }) =>
      wish.is === "apply" ? [{ file: "shop/web.yaml", document: 1, line: 4, object: wish.object as never }] : [],
    ),
    shown: {},
    steps: false,
    showGenerated: false,
    failOn: undefined,
    verdicts: judged(run),
    exitCode: 1,
    ...more,
  };
}

/** A new image and a new password. */
export const rollout: DryRun = await play(
  [deployment("nginx:1.26"), service, secret("before-it")],
  [deployment("nginx:1.27"), service, secret("after-it")].map(apply),
);

/** No node has room for its pods. */
export const full: DryRun = await play([], [apply(deployment("nginx:1.26", "20"))]);

/** The commands that a GitHub Actions runner obeys in this output; parsed by the runner's rules, not by ours. */
export function obeyed(text: string): readonly string[] {
  const commands: string[] = [];
  let stopped: string | undefined;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const name = /^\s*::([^\s:]+)/.exec(line)?.[1] ?? /##\[([^\s\]]+)/.exec(line)?.[1];
    if (name === undefined) continue;
    if (stopped !== undefined) {
      if (name === stopped) stopped = undefined;
      continue;
    }
    if (name === "stop-commands") stopped = /^::stop-commands::(.+)$/.exec(line)?.[1];
    else commands.push(name);
  }
  return commands;
}
