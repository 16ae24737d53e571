/** Plays the scripts of a living cluster, all at once, because they mostly wait. */
import { play, type Played } from "../play.ts";
import type { Script } from "../script.ts";
import type { KubectlServer } from "../servers.ts";

/** Names of pods, with or without their ReplicaSet's hash, of EndpointSlices, and of a pod's device claims. */
const generated = /\b(web(?:-gpu|-[bcdf-hj-np-tv-xz24-9]{8,10})?)-[bcdf-hj-np-tv-xz24-9]{5}\b/g;

/** A deleted object may be gone before kubectl checks: it then prints no line about a met condition. */
function withoutGone(entry: string): string {
  return / --for=delete /.test(entry) ? entry.replaceAll(/\n\| \S+ condition met$/gm, "") : entry;
}

/** Entries like those of `playAll`; the generated parts of names are replaced with `RAND`. */
export function playLiving(scripts: readonly Script[], server: KubectlServer): Played {
  const played = new Map(scripts.map((script) => [script, play(script, server)]));
  for (const entries of played.values()) entries.catch(() => undefined);
  return async (script) => {
    const entries = (await played.get(script)) ?? [];
    return entries.map((entry) => withoutGone(entry).replaceAll(generated, "$1-RAND"));
  };
}
