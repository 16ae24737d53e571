/**
 * kubectl, unchanged, over HTTPS: every command prints on a sandbox what it printed on a real kube-apiserver, and what a running one
 * prints is what was recorded. By LONG=1: 1,500 processes take minutes.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { clusterMissing } from "../support/cluster.ts";
import { long } from "../support/long.ts";
import { type Played, playAll } from "./play.ts";
import { readRecording } from "./recording.ts";
import { commandsOf, type Script } from "./script.ts";
import { scripts } from "./scripts.ts";
import { type KubectlServer, realServer, sandboxServer } from "./servers.ts";
import { transcriptOf } from "./transcript.ts";

/** The transcript without the commands that are known to print something else. */
function compared(script: Script, entries: readonly string[]): string {
  const commands = commandsOf(script);
  return transcriptOf(entries.filter((_, index) => commands[index]?.differs === undefined));
}

function describeServer(
  name: string,
  start: () => Promise<KubectlServer>,
  check: (played: () => Played) => void,
): void {
  describe(name, () => {
    let server: KubectlServer;
    let played: Played;
    beforeAll(async () => {
      server = await start();
      played = playAll(scripts, { server, lanes: 3 });
    });
    afterAll(() => server.stop());
    check(() => played);
  });
}

describe.skipIf(clusterMissing !== undefined || !long)("kubectl", () => {
  describeServer("on the sandbox", sandboxServer, (played) => {
    for (const script of scripts) {
      const commands = commandsOf(script);
      test(`${script.name}: ${commands.length} commands print what they print on a real kube-apiserver`, async () => {
        const recorded = await readRecording(script);
        expect(compared(script, await played()(script))).toBe(compared(script, recorded));
      });

      for (const [index, { run, differs }] of commands.entries()) {
        if (differs === undefined) continue;
        test(`${script.name}: ${run} prints something else (${differs})`, async () => {
          const recorded = await readRecording(script);
          expect((await played()(script))[index]).not.toBe(recorded[index] ?? "");
        });
      }
    }
  });

  describeServer("on a real kube-apiserver", realServer, (played) => {
    for (const script of scripts) {
      test(`${script.name}: it prints what was recorded`, async () => {
        expect(transcriptOf(await played()(script))).toBe(transcriptOf(await readRecording(script)));
      });
    }
  });
});
