/**
 * `kubectl reconcile sandbox`, without any other program, behaves like a cluster: kubectl prints what it printed with kube-apiserver,
 * kube-controller-manager and kube-scheduler. LONG=1 runs the scripts on these too.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { clusterMissing, controllersMissing } from "../../support/cluster.ts";
import { long } from "../../support/long.ts";
import type { Played } from "../play.ts";
import { readRecording } from "../recording.ts";
import { commandsOf } from "../script.ts";
import type { KubectlServer } from "../servers.ts";
import { transcriptOf } from "../transcript.ts";
import { playLiving } from "./play.ts";
import { livingScripts } from "./scripts.ts";
import { realCluster, sandboxCluster } from "./servers.ts";

function describeSide(name: string, start: () => Promise<KubectlServer>): void {
  describe(name, () => {
    let server: KubectlServer;
    let played: Played;
    beforeAll(async () => {
      server = await start();
      played = playLiving(livingScripts, server);
    });
    afterAll(() => server.stop());

    for (const script of livingScripts) {
      test(`${script.name}: ${commandsOf(script).length} commands`, async () => {
        expect(transcriptOf(await played(script))).toBe(transcriptOf(await readRecording(script)));
      });
    }
  });
}

// kubectl is installed with the control plane.
describe.skipIf(clusterMissing !== undefined)("a living cluster prints the recorded output", () => {
  describeSide("the sandbox", sandboxCluster);
});

if (long) {
  describe.skipIf(controllersMissing !== undefined)("a living cluster prints the recorded output", () => {
    describeSide("the real control plane", realCluster);
  });
}
