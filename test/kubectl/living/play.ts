/** Plays the scripts of a living cluster, all at once: they mostly wait. */
import { play, type Played } from "../play.ts";
import type { Script } from "../script.ts";
import type { KubectlServer } from "../servers.ts";

/** Names of pods, with their ReplicaSet's hash or without, of slices, and of a pod's claims of devices. */
const generated = /\b(web(?:-gpu|-[bcdf-hj-np-tv-xz24-9]{8,10})?)-[bcdf-hj-np-tv-xz24-9]{5}\b/g;

/** What goes may be gone before kubectl looks: then there is nothing whose condition is met. */
function withoutGone(entry: string): string {
  return / --for=delete /.test(entry) ? entry.replaceAll(/\n\| \S+ condition met$/gm, "") : entry;
}

/** Entries as those of `playAll`; what the API server made up of names is `RAND`. */
export function playLiving(scripts: readonly Script[], server: KubectlServer): Played {
  const played = new Map(scripts.map((script) => [script, play(script, server)]));
  for (const entries of played.values()) entries.catch(() => undefined);
  return async (script) => {
    const entries = (await played.get(script)) ?? [];
    return entries.map((entry) => withoutGone(entry).replaceAll(generated, "$1-RAND"));
  };
}
