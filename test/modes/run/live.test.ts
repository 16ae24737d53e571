/** How a live run is set up, without sending requests. */
import { expect, test } from "bun:test";
import { builtInControllers } from "../../../src/controllers/index.ts";
import { startLive } from "../../../src/modes/run/live.ts";
import { fieldManagerOf } from "../../../src/api/own-field-manager.ts";
import { rejection } from "../../support/rejection.ts";
import { virtualCluster } from "../../support/virtual-cluster.ts";

test("each controller has a rate limit of its own, and the namespace controller that of kube-controller-manager", async () => {
  const cluster = await virtualCluster();
  const { timeline, random, bus } = cluster;
  const own = new Map<string, unknown>();
  const refused = new Error("the test ends here");
  const started = startLive(
    {
      controllers: builtInControllers,
      clientFor(fieldManager, limits) {
        own.set(fieldManager, limits);
        return cluster.clientFor(fieldManager);
      },
      bus,
      timeline,
      random,
      lease: { identity: "test", isDead: () => false, force: false, onWait: () => undefined },
      preflight: () => Promise.reject(refused),
      onLeaseLost: () => undefined,
      onEventLost: () => undefined,
    },
    new AbortController().signal,
  );
  const ended = rejection(started);
  await timeline.runUntil({ ms: 1000 });
  expect(await ended).toBe(refused);
  for (const controller of builtInControllers) {
    const limits = own.get(fieldManagerOf(controller));
    const isChatty = controller.name === "namespace";
    expect({ name: controller.name, limits }).toEqual({
      name: controller.name,
      limits: isChatty ? { qpsTimes: 20, burstTimes: 100 } : { qpsTimes: 1, burstTimes: 1 },
    });
  }
});
