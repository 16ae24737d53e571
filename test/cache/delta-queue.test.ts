import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { keyOf, type ObjectKey, objectKey } from "../../src/api/key.ts";
import { compareResourceVersions } from "../../src/api/resource-version.ts";
import { DeltaFIFO } from "../../src/cache/delta-fifo.ts";
import type { Delta, DeltaQueue, DeltaQueueOptions, ObjectDelta } from "../../src/cache/delta-queue.ts";
import { RealFIFO } from "../../src/cache/real-fifo.ts";
import type { Widget } from "../support/fake-lister-watcher.ts";

const widget = (name: string, version: number): Widget => ({
  metadata: { name, namespace: "shop", uid: `uid-${name}`, resourceVersion: String(version), creationTimestamp: "" },
  spec: { size: version },
});
const key = (name: string): ObjectKey => objectKey("shop", name);
const delta = (type: "Added" | "Updated" | "Deleted", name: string, version: number): ObjectDelta<Widget> => ({
  type,
  key: key(name),
  object: widget(name, version),
  receivedAt: version,
  tombstone: false,
  managedFields: undefined,
});

/** A queue whose deltas are popped into a store. */
interface Bench {
  readonly queue: DeltaQueue<Widget>;
  readonly store: Map<ObjectKey, Widget>;
  /** One line per popped delta: `Updated a@3`. */
  readonly popped: string[];
  wakes: number;
  readonly pop: () => boolean;
  readonly drain: () => void;
}

type Make = (options: DeltaQueueOptions<Widget>) => DeltaQueue<Widget>;

function line(d: Delta<Widget>): string {
  switch (d.type) {
    case "ReplacedAll":
      return `ReplacedAll ${d.objects.map((o) => o.metadata.name).join()}@${d.resourceVersion}`;
    case "SyncAll":
      return "SyncAll";
    case "Bookmark":
      return `Bookmark @${d.resourceVersion}`;
    case "Added":
    case "Updated":
    case "Deleted":
    case "Replaced":
    case "Sync":
      return `${d.type}${d.tombstone ? " tombstone" : ""} ${d.object.metadata.name}@${d.object.metadata.resourceVersion}`;
  }
}

function apply(store: Map<ObjectKey, Widget>, d: Delta<Widget>): void {
  switch (d.type) {
    case "ReplacedAll":
      store.clear();
      for (const object of d.objects) store.set(keyOf(object), object);
      break;
    case "SyncAll":
    case "Bookmark":
      break;
    case "Deleted":
      store.delete(d.key);
      break;
    case "Added":
    case "Updated":
    case "Replaced":
    case "Sync":
      store.set(d.key, d.object);
  }
}

function bench(make: Make): Bench {
  const store = new Map<ObjectKey, Widget>();
  const popped: string[] = [];
  const made: Bench = {
    queue: make({ known: store, now: () => 0, wake: () => made.wakes++ }),
    store,
    popped,
    wakes: 0,
    pop: () =>
      made.queue.pop((d, initial) => {
        popped.push(`${line(d)}${initial ? " initial" : ""}`);
        apply(store, d);
      }),
    drain: () => {
      while (made.pop());
    },
  };
  return made;
}

/** The server's actions, and when the consumer popped in between. */
type Step =
  { readonly do: "put" | "delete"; readonly name: string } | { readonly do: "relist" | "bookmark" | "resync" | "pop" };

const stepOf: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("put", "delete"), name: fc.constantFrom("a", "b", "c") }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("relist", "bookmark", "resync") }) },
  { weight: 3, arbitrary: fc.constant({ do: "pop" as const }) },
);

/** Plays the steps against a queue and calls `afterPop` after each pop. */
function play(steps: readonly Step[], { queue, pop }: Bench, afterPop: (server: ServerModel) => void): ServerModel {
  const server: ServerModel = { version: 1, objects: new Map(), history: [] };
  queue.replace([], "1", 1);
  for (const step of steps) {
    switch (step.do) {
      case "put": {
        const type = server.objects.has(key(step.name)) ? "Updated" : "Added";
        const d = delta(type, step.name, ++server.version);
        server.objects.set(d.key, d.object);
        server.history.push(d);
        queue.put(d);
        break;
      }
      case "delete": {
        if (!server.objects.delete(key(step.name))) break;
        const d = delta("Deleted", step.name, ++server.version);
        server.history.push(d);
        queue.put(d);
        break;
      }
      case "relist": {
        // Changes that the watch missed.
        for (const name of ["a", "b"]) {
          const object = widget(name, ++server.version);
          if (server.version % 3 === 0) {
            server.objects.delete(key(name));
            server.history.push(delta("Deleted", name, server.version));
          } else {
            server.objects.set(key(name), object);
            server.history.push(delta("Updated", name, server.version));
          }
        }
        queue.replace([...server.objects.values()], String(server.version), server.version);
        break;
      }
      case "bookmark":
        queue.bookmark(String(++server.version), server.version);
        break;
      case "resync":
        queue.resync();
        break;
      case "pop":
        pop();
        afterPop(server);
        break;
    }
  }
  while (pop()) afterPop(server);
  return server;
}

interface ServerModel {
  version: number;
  readonly objects: Map<ObjectKey, Widget>;
  readonly history: ObjectDelta<Widget>[];
}

const queues: { readonly name: string; readonly make: Make }[] = [
  { name: "RealFIFO", make: (options) => new RealFIFO(options) },
  { name: "DeltaFIFO", make: (options) => new DeltaFIFO(options) },
];

for (const { name, make } of queues) {
  describe(`${name}, contract of delta queues`, () => {
    test("pops the deltas of one key in order", () => {
      const { queue, drain, popped } = bench(make);
      queue.put(delta("Added", "a", 1));
      queue.put(delta("Updated", "a", 2));
      queue.put(delta("Deleted", "a", 3));
      drain();
      expect(popped.map((text) => text.replace(" initial", ""))).toEqual(["Added a@1", "Updated a@2", "Deleted a@3"]);
    });

    test("pop() returns false if there is nothing to pop", () => {
      const { pop } = bench(make);
      expect(pop()).toBe(false);
    });

    test("wakes its consumer once, when it is no longer empty", () => {
      const made = bench(make);
      made.queue.put(delta("Added", "a", 1));
      made.queue.put(delta("Added", "b", 2));
      expect(made.wakes).toBe(1);
      made.drain();
      made.queue.put(delta("Updated", "a", 3));
      expect(made.wakes).toBe(2);
    });

    test("wakes its consumer for an empty list, too", () => {
      const made = bench(make);
      made.queue.replace([], "7", 0);
      expect(made.wakes).toBe(1);
      made.drain();
      expect(made.queue.hasSynced).toBe(true);
      expect(made.queue.appliedResourceVersion).toBe("7");
    });

    test("has synced when the whole first list has been popped", () => {
      const { queue, pop, popped } = bench(make);
      expect(queue.hasSynced).toBe(false);
      queue.replace([widget("a", 1), widget("b", 2)], "2", 0);
      queue.put(delta("Added", "c", 3));
      while (!queue.hasSynced) expect(pop()).toBe(true);
      expect(popped.join()).toContain("initial");
      expect(popped.join()).not.toContain("c@3");
      pop();
      expect(popped.at(-1)).toBe("Added c@3");
    });

    test("a list deletes known and pending objects, with their last state", () => {
      const { queue, drain, store } = bench(make);
      queue.replace([widget("a", 1), widget("b", 2)], "2", 0);
      drain();
      queue.put(delta("Added", "c", 3));
      queue.replace([widget("b", 2)], "9", 0);
      drain();
      expect([...store.keys()]).toEqual([key("b")]);
      expect(queue.appliedResourceVersion).toBe("9");
    });

    test("bookmarks advance the applied version in quiet times", () => {
      const { queue, drain } = bench(make);
      queue.replace([widget("a", 1)], "2", 0);
      queue.bookmark("50", 0);
      drain();
      expect(queue.appliedResourceVersion).toBe("50");
    });

    test("has no applied version before the first list is popped", () => {
      const { queue } = bench(make);
      queue.replace([widget("a", 1)], "2", 0);
      expect(queue.appliedResourceVersion).toBe("");
    });

    test("reports the age of its oldest delta", () => {
      const { queue, drain } = bench(make);
      expect(queue.oldestReceivedAt).toBeUndefined();
      queue.put(delta("Added", "a", 4));
      queue.put(delta("Added", "b", 5));
      expect(queue.oldestReceivedAt).toBe(4);
      drain();
      expect(queue.oldestReceivedAt).toBeUndefined();
    });

    test("accepts and pops nothing after it is closed", () => {
      const { queue, pop } = bench(make);
      queue.put(delta("Added", "a", 1));
      queue.close();
      queue.put(delta("Added", "b", 2));
      expect(queue.depth).toBe(0);
      expect(pop()).toBe(false);
    });

    for (const waits of [true, false]) {
      const name = waits ? "with deltas, which are dropped," : "with nothing to pop";
      test(`a queue closed ${name} stays as it was: later deltas do not wake, sync or raise the version`, () => {
        const made = bench(make);
        const { queue } = made;
        queue.bookmark("1", 0);
        made.drain();
        if (waits) queue.put(delta("Added", "a", 5));
        const { wakes } = made;
        const applied = queue.appliedResourceVersion;
        queue.close();
        made.store.set(key("k"), widget("k", 1));
        queue.put(delta("Added", "b", 6));
        queue.replace([widget("c", 7)], "7", 0);
        queue.replace([], "8", 0);
        queue.resync();
        queue.bookmark("9", 0);
        const { depth, hasSynced, appliedResourceVersion } = queue;
        expect({ wakes: made.wakes, depth, hasSynced, appliedResourceVersion, pop: made.pop() }).toEqual({
          wakes,
          depth: 0,
          hasSynced: false,
          appliedResourceVersion: applied,
          pop: false,
        });
      });
    }

    test("wakes its consumer once for a list, however long it is", () => {
      const made = bench(make);
      made.queue.replace([widget("a", 1), widget("b", 2)], "2", 0);
      expect(made.wakes).toBe(1);
      made.queue.replace([widget("a", 1)], "3", 0);
      expect(made.wakes).toBe(1);
    });

    test("stays synced while a second list waits, whose deltas are not initial", () => {
      const { queue, drain, popped } = bench(make);
      queue.replace([widget("a", 1)], "1", 0);
      drain();
      expect(popped.join()).toContain("initial");
      popped.length = 0;
      queue.replace([widget("a", 2), widget("b", 3)], "3", 0);
      expect(queue.hasSynced).toBe(true);
      drain();
      expect([queue.hasSynced, popped.join().includes("initial")]).toEqual([true, false]);
    });

    test("has not synced before the first list, whatever was put and popped", () => {
      const { queue, drain, popped } = bench(make);
      for (let n = 1; n < 4; n++) queue.put(delta("Updated", "a", n));
      drain();
      expect([queue.hasSynced, popped.at(-1)]).toEqual([false, "Updated a@3 initial"]);
      queue.replace([widget("a", 3), widget("b", 4)], "4", 0);
      expect(queue.hasSynced).toBe(false);
      drain();
      expect(queue.hasSynced).toBe(true);
    });

    test("in any order of events the store ends in the server's state, and never claims a version that it has not reached", () => {
      fc.assert(
        fc.property(fc.array(stepOf, { maxLength: 40 }), (steps) => {
          const made = bench(make);
          const server = play(steps, made, ({ history }) => {
            const applied = made.queue.appliedResourceVersion;
            if (applied === "") return;
            // The store has each object's last change up to that version, or a later one.
            for (const name of ["a", "b", "c"]) {
              const last = history.findLast(
                (d) => d.key === key(name) && Number(d.object.metadata.resourceVersion) <= Number(applied),
              );
              if (last === undefined) continue;
              const stored = made.store.get(key(name));
              if (last.type === "Deleted") {
                if (stored !== undefined)
                  expect(Number(stored.metadata.resourceVersion)).toBeGreaterThan(Number(applied));
              } else if (stored !== undefined) {
                expect(Number(stored.metadata.resourceVersion)).toBeGreaterThanOrEqual(
                  Number(last.object.metadata.resourceVersion),
                );
              } else {
                const deletedLater = history.some(
                  (d) => d.key === key(name) && d.type === "Deleted" && d.receivedAt > Number(applied),
                );
                expect(deletedLater).toBe(true);
              }
            }
          });
          expect(Object.fromEntries(made.store)).toEqual(Object.fromEntries(server.objects));
          expect(compareResourceVersions(made.queue.appliedResourceVersion, String(server.version)) ?? 0).toBe(0);
        }),
        { seed: 20261121, numRuns: 400 },
      );
    });
  });
}

describe("RealFIFO", () => {
  test("keeps the order of all deltas, across keys", () => {
    const { queue, drain, popped } = bench((options) => new RealFIFO(options));
    queue.replace([widget("a", 1)], "1", 0);
    queue.put(delta("Updated", "a", 10));
    queue.put(delta("Added", "b", 11));
    queue.put(delta("Updated", "a", 12));
    queue.bookmark("13", 0);
    queue.resync();
    drain();
    expect(popped).toEqual([
      "ReplacedAll a@1 initial",
      "Updated a@10",
      "Added b@11",
      "Updated a@12",
      "Bookmark @13",
      "SyncAll",
    ]);
  });

  test("the applied version is that of the delta popped last", () => {
    const { queue, pop } = bench((options) => new RealFIFO(options));
    queue.replace([], "1", 0);
    queue.put(delta("Added", "a", 10));
    queue.put(delta("Added", "b", 11));
    pop();
    pop();
    expect(queue.appliedResourceVersion).toBe("10");
    pop();
    expect(queue.appliedResourceVersion).toBe("11");
  });
});

describe("DeltaFIFO", () => {
  const deltaFIFO = (): Bench => {
    const made = bench((options) => new DeltaFIFO(options));
    made.queue.replace([], "1", 0);
    made.drain();
    return made;
  };

  test("pops all deltas of a key at once, keys in the order of their first delta", () => {
    const { queue, pop, popped } = deltaFIFO();
    queue.put(delta("Added", "a", 10));
    queue.put(delta("Added", "b", 11));
    queue.put(delta("Updated", "a", 12));
    expect(queue.depth).toBe(2);
    pop();
    expect(popped).toEqual(["Added a@10", "Updated a@12"]);
  });

  test("the applied version is a low watermark: a delta popped early does not count before all older ones are popped", () => {
    const { queue, pop } = deltaFIFO();
    queue.bookmark("9", 0);
    queue.put(delta("Added", "a", 10));
    queue.put(delta("Added", "b", 11));
    queue.put(delta("Updated", "a", 12));
    pop();
    expect(queue.appliedResourceVersion).toBe("10");
    pop();
    expect(queue.appliedResourceVersion).toBe("12");
  });

  test("pops two deletions of a key as one, with the more complete state", () => {
    const { queue, drain, popped } = deltaFIFO();
    queue.put(delta("Added", "a", 10));
    queue.replace([], "20", 0);
    queue.put(delta("Deleted", "a", 15));
    queue.put(delta("Deleted", "a", 16));
    drain();
    expect(popped).toEqual(["Added a@10", "Deleted a@15"]);
  });

  test("a list deletes a pending object with its pending state, not with the known one", () => {
    const { queue, drain, popped } = deltaFIFO();
    queue.put(delta("Added", "a", 10));
    queue.put(delta("Added", "b", 11));
    drain();
    popped.length = 0;
    queue.put(delta("Updated", "a", 12));
    queue.put(delta("Deleted", "b", 13));
    queue.replace([], "20", 0);
    drain();
    expect(popped).toEqual(["Updated a@12", "Deleted tombstone a@12", "Deleted b@13"]);
  });

  test("keeps a deletion after which the key was created again", () => {
    const { queue, drain, popped } = deltaFIFO();
    for (const [n, type] of (["Added", "Deleted", "Added", "Deleted"] as const).entries())
      queue.put(delta(type, "a", 10 + n));
    drain();
    expect(popped).toEqual(["Added a@10", "Deleted a@11", "Added a@12", "Deleted a@13"]);
  });

  test("pops the deletion of a known object, and of a pending one", () => {
    const { queue, drain, popped } = deltaFIFO();
    queue.put(delta("Added", "known", 10));
    drain();
    queue.put(delta("Deleted", "known", 11));
    drain();
    queue.put(delta("Added", "waiting", 12));
    queue.put(delta("Deleted", "waiting", 13));
    drain();
    expect(popped).toEqual(["Added known@10", "Deleted known@11", "Added waiting@12", "Deleted waiting@13"]);
  });

  test("reports the age of the oldest delta of the next key, not of the latest", () => {
    const { queue, pop } = deltaFIFO();
    queue.put(delta("Added", "a", 10));
    queue.put(delta("Added", "b", 11));
    queue.put(delta("Updated", "a", 12));
    expect(queue.oldestReceivedAt).toBe(10);
    pop();
    expect(queue.oldestReceivedAt).toBe(11);
  });

  test("drops the deletion of an object that is neither known nor pending", () => {
    const { queue, drain, popped } = deltaFIFO();
    queue.put(delta("Deleted", "a", 15));
    drain();
    expect(popped).toEqual([]);
    expect(queue.appliedResourceVersion).toBe("15");
  });

  test("a list creates a tombstone with the last known state", () => {
    const { queue, drain, popped } = deltaFIFO();
    queue.put(delta("Added", "a", 10));
    drain();
    queue.replace([widget("b", 18)], "20", 0);
    drain();
    expect(popped).toEqual(["Added a@10", "Replaced b@18", "Deleted tombstone a@10"]);
  });

  test("a resync skips keys with pending deltas", () => {
    const { queue, drain, popped } = deltaFIFO();
    queue.put(delta("Added", "a", 10));
    queue.put(delta("Added", "b", 11));
    drain();
    queue.put(delta("Updated", "a", 12));
    queue.resync();
    popped.length = 0;
    drain();
    expect(popped).toEqual(["Updated a@12", "Sync b@11"]);
  });

  test("a pending resync does not hold back the applied version: it brings nothing new", () => {
    const { queue, drain, pop } = deltaFIFO();
    queue.put(delta("Added", "a", 10));
    queue.put(delta("Added", "b", 11));
    drain();
    queue.resync();
    queue.bookmark("50", 0);
    expect(queue.appliedResourceVersion).toBe("50");
    queue.put(delta("Updated", "b", 51));
    pop();
    expect(queue.appliedResourceVersion).toBe("50");
    pop();
    expect(queue.appliedResourceVersion).toBe("51");
  });
});
