/** Jobs that are deleted some time after they finish. No garbage collector deletes their pods, so a deleted Job keeps waiting for that. */
import type { Stage } from "../../stage.ts";
import type { Script } from "../../suite.ts";
import { create, endFirst, failed, later, type JobObject, patchSpec, succeeded } from "./acts.ts";

async function isGoing(stage: Stage): Promise<boolean> {
  const jobs = (await stage.list("jobs")) as unknown as readonly JobObject[];
  return jobs.every(({ metadata }) => metadata.deletionTimestamp !== undefined);
}

export const timesToLive: readonly Script[] = [
  {
    name: "a Job goes three seconds after it is complete",
    steps: [create({ ttlSecondsAfterFinished: 3 }), { ...endFirst(1, succeeded), until: isGoing }],
  },
  {
    name: "a Job goes at once when it has failed",
    steps: [create({ ttlSecondsAfterFinished: 0, backoffLimit: 0 }), { ...endFirst(1, failed), until: isGoing }],
  },
  {
    name: "a finished Job gets a time to live, and a longer one",
    race: "on a busy machine the first may be over before the Job gets the second",
    steps: [
      create(),
      endFirst(1, succeeded),
      patchSpec({ ttlSecondsAfterFinished: 12 }),
      patchSpec({ ttlSecondsAfterFinished: 600 }),
      { ...later("time passes", () => Promise.resolve(true)), waitMs: 12_000 },
      { ...patchSpec({ ttlSecondsAfterFinished: 1 }), until: isGoing },
    ],
  },
];
