/**
 * Records what kubectl prints with a real kube-apiserver and, for the scripts `living-…`, with a complete control plane:
 * `bun test/kubectl/record.ts [SCRIPT...]`, all scripts by default.
 */
import { playLiving } from "./living/play.ts";
import { livingScripts } from "./living/scripts.ts";
import { realCluster } from "./living/servers.ts";
import { type Played, playAll } from "./play.ts";
import { writeRecording } from "./recording.ts";
import type { Script } from "./script.ts";
import { scripts } from "./scripts.ts";
import { type KubectlServer, realServer } from "./servers.ts";

const names = process.argv.slice(2);

interface Recorded {
  readonly of: readonly Script[];
  readonly on: () => Promise<KubectlServer>;
  readonly play: (scripts: readonly Script[], server: KubectlServer) => Played;
}

async function record({ of, on, play }: Recorded): Promise<void> {
  const chosen = of.filter(({ name }) => names.length === 0 || names.includes(name));
  if (chosen.length === 0) return;
  const server = await on();
  try {
    const played = play(chosen, server);
    for (const script of chosen) {
      const entries = await played(script);
      await writeRecording(script, entries);
      console.log(`${script.name}: ${entries.length} commands`);
    }
  } finally {
    await server.stop();
  }
}

await record({ of: scripts, on: realServer, play: (chosen, server) => playAll(chosen, { server, lanes: 6 }) });
await record({ of: livingScripts, on: realCluster, play: playLiving });
