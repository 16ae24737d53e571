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
    name: "a Job is deleted three seconds after it is complete",
    steps: [create({ ttlSecondsAfterFinished: 3 }), { ...endFirst(1, succeeded), until: isGoing }],
  },
  {
    name: "a failed Job is deleted immediately",
    steps: [create({ ttlSecondsAfterFinished: 0, backoffLimit: 0 }), { ...endFirst(1, failed), until: isGoing }],
  },
  {
    name: "ttlSecondsAfterFinished is set on a finished Job, and increased",
    race: "on a busy machine the first TTL may expire before the second one is set",
    steps: [
      create(),
      endFirst(1, succeeded),
      patchSpec({ ttlSecondsAfterFinished: 12 }),
      patchSpec({ ttlSecondsAfterFinished: 600 }),
      { ...later("wait", () => Promise.resolve(true)), waitMs: 12_000 },
      { ...patchSpec({ ttlSecondsAfterFinished: 1 }), until: isGoing },
    ],
  },
];
