/**
 * kubectl, unchanged, over HTTPS: with a sandbox every command prints what it printed with a real kube-apiserver, and with a running one it
 * prints what was recorded. LONG=1 runs every script on both: minutes of processor time.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { clusterMissing } from "../support/cluster.ts";
import { long } from "../support/long.ts";
import { type Played, playAll } from "./play.ts";
import { readRecording } from "./recording.ts";
import { commandsOf, type Script } from "./script.ts";
import { scripts } from "./scripts.ts";
import { type KubectlServer, realServer, sandboxServer } from "./servers.ts";
import { transcriptOf, withSortedManagers } from "./transcript.ts";
import { watched } from "./watching.ts";

/** In the short form only these show that a real server still prints what was recorded. */
const alwaysLive: ReadonlySet<string> = new Set(["generating", "managing"]);

/** The transcript without the commands for which different output is expected. */
function compared(script: Script, entries: readonly string[]): string {
  const commands = commandsOf(script);
  return withSortedManagers(transcriptOf(entries.filter((_, index) => commands[index]?.differs === undefined)));
}

interface Side {
  readonly name: string;
  readonly scripts: readonly Script[];
  readonly start: () => Promise<KubectlServer>;
  readonly check: (script: Script, played: () => Promise<readonly string[]>) => void;
}

function describeSide({ name, scripts, start, check }: Side): void {
  describe(name, () => {
    let server: KubectlServer;
    let played: Played;
    beforeAll(async () => {
      server = await start();
      played = playAll(scripts, { server, lanes: 3 });
    });
    afterAll(() => server.stop());

    for (const script of scripts) check(script, () => played(script));

    test("get -w follows changes", async () => {
      expect(await watched(server)).toEqual([
        "EVENT  NAME  DESIRED  CURRENT  READY  AGE  CONTAINERS  IMAGES  SELECTOR",
        "ADDED  web  1  0  0  AGE  c  i  app=web",
        "MODIFIED  web  3  0  0  AGE  c  i  app=web",
        "MODIFIED  web  3  0  0  AGE  c  i  app=web",
        "DELETED  web  3  0  0  AGE  c  i  app=web",
      ]);
    });
  });
}

describe.skipIf(clusterMissing !== undefined)("kubectl", () => {
  describeSide({
    name: "on the sandbox",
    scripts: scripts.filter((script) => long || script.long === undefined),
    start: sandboxServer,
    check(script, played) {
      const commands = commandsOf(script);
      test(`${script.name}: ${commands.length} commands print the same as on a real kube-apiserver`, async () => {
        const recorded = await readRecording(script);
        expect(compared(script, await played())).toBe(compared(script, recorded));
      });

      for (const [index, { run, differs }] of commands.entries()) {
        if (differs === undefined) continue;
        test(`${script.name}: ${run} prints something else (${differs.because})`, async () => {
          const recorded = await readRecording(script);
          const printed = (await played())[index];
          expect(printed).toContain(differs.prints);
          expect(printed).not.toBe(recorded[index] ?? "");
        });
      }
    },
  });

  describeSide({
    name: "on a real kube-apiserver",
    scripts: scripts.filter(({ name }) => long || alwaysLive.has(name)),
    start: realServer,
    check(script, played) {
      test(`${script.name}: it prints the recorded output`, async () => {
        const recorded = withSortedManagers(transcriptOf(await readRecording(script)));
        expect(withSortedManagers(transcriptOf(await played()))).toBe(recorded);
      });
    },
  });
});
