/** Compares links between writes and deltas with the embedded server's knowledge of which request stored which version. */
import { describe, expect, test } from "bun:test";
import type { FieldChange } from "../../../src/api/field-changes.ts";
import { pathOf } from "../../../src/api/kind.ts";
import { Pods, ReplicaSets } from "../../../src/api/kinds.ts";
import type { DecisionId, Transport } from "../../../src/api/transport.ts";
import { deployment } from "../../../src/controllers/deployment/deployment.ts";
import { garbageCollector } from "../../../src/controllers/garbage-collector/garbage-collector.ts";
import { replicaset } from "../../../src/controllers/replicaset/replicaset.ts";
import { below, seededRandom } from "../../../src/platform/random.ts";
import { TraceBus } from "../../../src/trace/bus.ts";
import type { DeltaEvent, EventHead, LinkEvent, WriteEvent } from "../../../src/trace/events.ts";
import { Linker } from "../../../src/trace/linker.ts";
import { embeddedScene, embeddedStart, type EmbeddedScene } from "../../support/embedded-scene.ts";
import { tries } from "../../support/long.ts";

/** The author of a change in the store. */
interface Author {
  readonly actor: string;
  readonly decision: DecisionId | undefined;
  readonly method: string;
}

interface Recorded {
  readonly writes: Map<number, WriteEvent & EventHead>;
  readonly deltas: Map<number, DeltaEvent & EventHead>;
  readonly links: LinkEvent[];
}

interface Scene {
  readonly scene: EmbeddedScene;
  /** A client whose writes are not traced. */
  readonly stranger: Transport;
  readonly authors: Map<string, Author>;
  readonly recorded: Recorded;
}

/** An embedded cluster that records the author of each version. */
async function scene(seed: number): Promise<Scene> {
  let current: Author | undefined;
  const authors = new Map<string, Author>();
  const clock = { now: (): number => embeddedStart };
  const bus = new TraceBus({ now: () => clock.now() });
  const recorded: Recorded = { writes: new Map(), deltas: new Map(), links: [] };
  bus.listen(new Linker(bus).listener);
  bus.listen((event) => {
    if (event.stage === "write") recorded.writes.set(event.seq, event);
    else if (event.stage === "delta") recorded.deltas.set(event.seq, event);
    else if (event.stage === "link") recorded.links.push(event);
  });
  // The server reads the method of a request when it starts to process it, and finishes it before anything else happens.
  const wrap = (transport: Transport, actor: string): Transport => ({
    send: (request) =>
      transport.send({
        ...request,
        get method() {
          current = { actor, decision: request.decision, method: request.method };
          return request.method;
        },
      }),
  });
  const made = await embeddedScene({ seed, bus, wrap, controllers: [deployment, replicaset, garbageCollector] });
  clock.now = () => made.timeline.now();
  const { store } = made.cluster.sandbox.server;
  for (const change of ["put", "remove"] as const) {
    const plain = store[change].bind(store);
    store[change] = (collection, object) => {
      const entry = plain(collection, object);
      if (current !== undefined) authors.set(String(entry.revision), current);
      return entry;
    };
  }
  const stranger = wrap(made.cluster.sandbox.transport({ actor: "stranger" }), "stranger");
  return { scene: made, stranger, authors, recorded };
}

const namespace = "default";

function nameOf(delta: DeltaEvent | undefined): string {
  return delta === undefined ? "no delta" : `${delta.type} ${delta.of.kind} ${delta.key} ${delta.resourceVersion}`;
}

/** A patch without a resourceVersion that only removes something: managedFields do not show its author. */
function takesAwayOnly({ detail }: DeltaEvent, author: Author | undefined): boolean {
  const shorter = ({ before, after }: FieldChange): boolean =>
    after === undefined || (Array.isArray(before) && Array.isArray(after) && after.length < before.length);
  return author?.method === "PATCH" && detail.changes.length > 0 && detail.changes.every(shorter);
}

function scale(transport: Transport, name: string, body: object): Promise<unknown> {
  return transport.send({
    method: "PATCH",
    path: pathOf(ReplicaSets, { namespace, name }),
    query: [["fieldManager", "stranger"]],
    headers: { "content-type": "application/merge-patch+json" },
    body: new TextEncoder().encode(JSON.stringify(body)),
    signal: new AbortController().signal,
  });
}

/** Makes one random change as a user. */
async function change(
  { scene, stranger, random }: Pick<Scene, "scene" | "stranger"> & { random: () => number },
  sets: Set<string>,
): Promise<void> {
  const { you } = scene;
  const pick = <T>(all: readonly T[]): T | undefined => all[Math.floor(random() * all.length)];
  const name = pick([...sets]);
  const dice = random();
  if (name === undefined || (dice < 0.25 && sets.size < 8)) {
    const fresh = `web-${Math.floor(random() * 1e9)}`;
    sets.add(fresh);
    const template = { metadata: { labels: { app: fresh } }, spec: { containers: [{ name: "web", image: "web:1" }] } };
    const spec = { replicas: Math.floor(random() * 4), selector: { matchLabels: { app: fresh } }, template };
    await you.create(ReplicaSets, { metadata: { namespace, name: fresh }, spec });
    return;
  }
  const at = { namespace, name };
  if (dice < 0.5) {
    const body = { spec: { replicas: Math.floor(random() * 5) } };
    // Another client can have made the same change just before: then the response has its version, and nothing was changed.
    const theirs = random() < 0.5 ? scale(stranger, name, body) : undefined;
    await you.patch(ReplicaSets, at, { type: "merge", body });
    await theirs;
    return;
  }
  if (dice < 0.6) {
    sets.delete(name);
    const propagationPolicy = pick(["Background", "Foreground", "Orphan"] as const) ?? "Background";
    await you.delete(ReplicaSets, at, { propagationPolicy });
    return;
  }
  const pod = pick((await you.list(Pods, { namespace })).items);
  if (pod === undefined) return;
  const of = { namespace, name: pod.metadata.name };
  if (dice < 0.8) await you.delete(Pods, of);
  else await you.patch(Pods, of, { type: "merge", body: { metadata: { labels: { app: "released" } } } });
}

describe("causality", () => {
  const changes = tries(60, 1000);
  test.each([1, 2])(
    `seed %d: over ${changes} random changes no link is wrong, and every write has one`,
    async (seed) => {
      const { scene: made, stranger, authors, recorded } = await scene(seed);
      const source = seededRandom(seed + 7);
      const random = (): number => below(source, 1 << 24) / (1 << 24);
      const sets = new Set<string>();
      for (let count = 0; count < changes; count++) {
        // A pod can be gone, or a name taken: rejected requests change nothing.
        await made.during(change({ scene: made, stranger, random }, sets).catch(() => undefined));
        await made.run(below(source, 2) === 0 ? 5 : 400);
      }
      await made.run(60_000);
      await made.stop();
      const authorOf = (delta: DeltaEvent | undefined): Author | undefined => authors.get(delta?.resourceVersion ?? "");
      const isBy = (author: Author | undefined, write: WriteEvent | undefined): boolean =>
        author !== undefined &&
        write !== undefined &&
        author.actor === write.fieldManager &&
        (author.decision === undefined ? write.controller === undefined : author.decision.sync === write.sync);
      const links = recorded.links.filter(({ by }) => by !== "superseded");
      // Changes before the cluster was traced have no author here.
      const falseLinks = links.flatMap(({ write, delta }) => {
        const [by, caused] = [recorded.writes.get(write), recorded.deltas.get(delta)];
        const author = authorOf(caused);
        if (author === undefined || isBy(author, by)) return [];
        return `${nameOf(caused)}: ${author.method} by ${author.actor}, linked to ${by?.verb} by ${by?.fieldManager}`;
      });
      expect(falseLinks).toEqual([]);

      const linked = new Set(links.map(({ delta }) => delta));
      const unlinked = [...recorded.deltas.values()].filter(
        (delta) =>
          authorOf(delta)?.decision !== undefined &&
          delta.type !== "Replaced" &&
          delta.type !== "Sync" &&
          !linked.has(delta.seq),
      );
      const missing = unlinked.filter((delta) => !takesAwayOnly(delta, authorOf(delta)));
      const texts = missing.map((delta) => `${nameOf(delta)}: ${authorOf(delta)?.method} by ${authorOf(delta)?.actor}`);
      expect(texts).toEqual([]);
      // The only exception: concurrent identical requests get identical responses.
      const unproven = unlinked.filter((delta) => takesAwayOnly(delta, authorOf(delta)));
      expect(unproven.length).toBeLessThan(links.length / 20);
      expect(links.length).toBeGreaterThan(changes);
    },
  );
});
