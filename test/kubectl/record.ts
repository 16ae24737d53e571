/** Records what kubectl prints on a real kube-apiserver: `bun test/kubectl/record.ts [SCRIPT...]`, all scripts by default. */
import { playAll } from "./play.ts";
import { writeRecording } from "./recording.ts";
import { scripts } from "./scripts.ts";
import { realServer } from "./servers.ts";

const asked = process.argv.slice(2);
const chosen = scripts.filter(({ name }) => asked.length === 0 || asked.includes(name));

const server = await realServer();
try {
  const played = playAll(chosen, { server, lanes: 6 });
  for (const script of chosen) {
    const entries = await played(script);
    await writeRecording(script, entries);
    console.log(`${script.name}: ${entries.length} commands`);
  }
} finally {
  await server.stop();
}
