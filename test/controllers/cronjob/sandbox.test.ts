import { describe, expect, test } from "bun:test";
import { CronJobs, Jobs } from "../../../src/api/kinds.ts";
import { cronjob } from "../../../src/controllers/cronjob/cronjob.ts";
import { type JobScene, jobScene } from "../job/scene.ts";
import { cronJobOf } from "./objects.ts";

const minute = 60_000;
const at = { namespace: "default", name: "nightly" };

/** The embedded cluster starts at midnight on 2026-01-01. */
async function withCronJob(spec: object, play: (scene: JobScene) => Promise<void>): Promise<void> {
  const scene = await jobScene({ controllers: [cronjob] });
  const { spec: own } = cronJobOf({ spec });
  await scene.during(scene.you.create(CronJobs, { metadata: at, spec: own } as never));
  await play(scene);
  await scene.stop();
}

const names = async (scene: JobScene): Promise<string[]> =>
  (await scene.list(Jobs))
    .map(
      ({ metadata }) => metadata.annotations?.["batch.kubernetes.io/cronjob-scheduled-timestamp"]?.slice(11, 16) ?? "",
    )
    .sort();

describe("a CronJob in the embedded cluster", () => {
  test("starts a Job whenever one is due, and keeps the last three that succeeded", () =>
    withCronJob({ schedule: "*/2 * * * *" }, async (scene) => {
      await scene.pass(7 * minute);
      expect(await names(scene)).toEqual(["00:02", "00:04", "00:06"]);
      const { status } = await scene.during(scene.you.get(CronJobs, at));
      expect(status).toEqual({
        lastScheduleTime: "2026-01-01T00:06:00Z",
        lastSuccessfulTime: "2026-01-01T00:06:02Z",
      });
      await scene.pass(2 * minute);
      expect(await names(scene)).toEqual(["00:04", "00:06", "00:08"]);
    }));

  test("follows the clock of its zone; it misses runs while suspended, and starts the latest when it is resumed", () =>
    withCronJob({ schedule: "0-59/15 5,6 * * *", timeZone: "Asia/Kathmandu" }, async (scene) => {
      await scene.pass(16 * minute);
      expect(await names(scene)).toEqual(["06:00"]);
      const suspend = (suspended: boolean): Promise<unknown> =>
        scene.during(scene.you.patch(CronJobs, at, { type: "merge", body: { spec: { suspend: suspended } } }, {}));
      await suspend(true);
      await scene.pass(31 * minute);
      expect(await names(scene)).toEqual(["06:00"]);
      await suspend(false);
      await scene.pass(minute);
      expect(await names(scene)).toEqual(["06:00", "06:30"]);
    }));

  test("with no more work does not keep a virtual run going", () =>
    withCronJob({ schedule: "0 0 1 * *" }, async (scene) => {
      await scene.pass(minute);
      expect(await scene.run(100 * 24 * 60 * minute)).toBe("steady");
    }));
});
