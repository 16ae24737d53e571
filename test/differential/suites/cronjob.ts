/** CronJobs and the Jobs that they start. The Jobs do not run: scripts write that they finished. */
import { CronJobs, Jobs } from "../../../src/api/kinds.ts";
import { cronjob } from "../../../src/controllers/cronjob/cronjob.ts";
import { type Allowed, namespaceInBody, ownFieldManager } from "../differences.ts";
import { randomScript } from "../scripts/cronjob/grammar.ts";
import { scripts } from "../scripts/cronjob/index.ts";
import type { Suite } from "../suite.ts";

const seenTwice: Allowed = {
  id: "a sync whose cache is behind",
  category: "noise",
  upstream: "pkg/controller/cronjob/cronjob_controllerv2.go:syncCronJob",
  why: "the next sync may begin before the cache contains the last status: it reports a finished Job again, or a Job as missing that the last sync deleted, and its status write is rejected",
  matches: ({ what, path, theirs, ours }) =>
    path === "" &&
    ((what === "patch Event 200" && JSON.stringify(theirs ?? ours).includes('"message":"Saw completed job: ')) ||
      (what === "create Event 201" && JSON.stringify(theirs ?? ours).includes('"message":"Active job went missing: '))),
};

export const cronJobs: Suite = {
  name: "cronjob",
  oracle: "cronjob-controller",
  ours: [cronjob],
  runsWithout: ["garbage-collector", "job"],
  kinds: [{ kind: CronJobs }, { kind: Jobs }],
  // Events are written asynchronously.
  quietMs: 2000,
  scripts,
  random: randomScript,
  seeds: { short: 6, long: 100 },
  differences: [namespaceInBody, ownFieldManager, seenTwice],
};
