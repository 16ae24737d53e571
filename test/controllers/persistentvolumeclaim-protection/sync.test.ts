import { beforeEach, describe, expect, test } from "bun:test";
import { PersistentVolumeClaims, Pods } from "../../../src/api/kinds.ts";
import type { Pod } from "../../../src/api/types.ts";
import { persistentVolumeClaimProtection } from "../../../src/controllers/persistentvolumeclaim-protection/persistentvolumeclaim-protection.ts";
import { rejection } from "../../support/rejection.ts";
import { refusal, type Scene, syncScene } from "../../support/sync-context.ts";
import { claimOf, controlledBy, deletedClaim, deletedNow, finalizer, podWith } from "./objects.ts";

let scene: Scene;
beforeEach(() => {
  scene = syncScene(persistentVolumeClaimProtection);
});

const calls = (): string[] => scene.calls.map(({ verb, kind, name }) => `${verb} ${kind} ${name}`);
const sentences = (): string[] => scene.decisions.map(({ sentence }) => sentence);
const listed = "list Pod shop";
const written = "update PersistentVolumeClaim data";
/** The finalizers in the written claim; undefined without a write. */
const finalizersWritten = (): readonly string[] | undefined => {
  const body = scene.calls.find(({ verb }) => verb === "update")?.body as ReturnType<typeof claimOf> | undefined;
  return body === undefined ? undefined : (body.metadata.finalizers ?? []);
};

describe("a claim that is not being deleted", () => {
  test("gets the finalizer if it lacks it, behind the others", async () => {
    scene.put(PersistentVolumeClaims, claimOf("data", { finalizers: ["example.com/hold"] }));
    await scene.sync("shop/data");
    expect(calls()).toEqual([written]);
    expect(finalizersWritten()).toEqual(["example.com/hold", finalizer]);
    expect(sentences()).toEqual([`it lacks the finalizer ${finalizer} → add it`]);
  });

  test("is left alone if it has it", async () => {
    scene.put(PersistentVolumeClaims, claimOf("data"));
    await scene.sync("shop/data");
    expect(calls()).toEqual([]);
  });

  test("is left alone when it was deleted", async () => {
    await scene.sync("shop/data");
    expect(calls()).toEqual([]);
  });
});

describe("a claim that is being deleted", () => {
  test("loses the finalizer when no pod uses it, after a request to the API server", async () => {
    scene.put(PersistentVolumeClaims, deletedClaim("data", { finalizers: ["example.com/hold", finalizer] }));
    scene.put(Pods, podWith("other", { claims: ["unrelated"] }));
    await scene.sync("shop/data");
    expect(calls()).toEqual([listed, written]);
    expect(finalizersWritten()).toEqual(["example.com/hold"]);
    expect(sentences()).toEqual([`it is being deleted, and no pod on a node uses it → remove finalizer ${finalizer}`]);
  });

  test("is written without any finalizers if that was its only one", async () => {
    scene.put(PersistentVolumeClaims, deletedClaim("data"));
    await scene.sync("shop/data");
    expect(scene.calls.at(-1)?.body).not.toHaveProperty("metadata.finalizers");
  });

  test("is left alone without the finalizer: it gets none any more", async () => {
    scene.put(PersistentVolumeClaims, deletedClaim("data", { finalizers: ["example.com/hold"] }));
    await scene.sync("shop/data");
    expect(calls()).toEqual([]);
  });

  const ended = { phase: "Failed" };
  const leaving = { ...deletedNow, deletionGracePeriodSeconds: 30 };
  const shutDown = { ...deletedNow, deletionGracePeriodSeconds: 0 };
  const holders: readonly { readonly says: string; readonly pod: Pod }[] = [
    { says: "on a node", pod: podWith("db-0", { claims: ["data"] }) },
    { says: "that has ended, and is not deleted", pod: podWith("db-0", { claims: ["data"], status: ended }) },
    { says: "that is being deleted", pod: podWith("db-0", { claims: ["data"], meta: leaving }) },
    { says: "that uses it and is shut down", pod: podWith("db-0", { claims: ["data"], meta: shutDown }) },
    { says: "with several volumes", pod: podWith("db-0", { claims: ["logs", "data"], ephemeral: ["tmp"] }) },
  ];
  for (const { says, pod } of holders) {
    test(`stays for a pod ${says}, without a request`, async () => {
      scene.put(PersistentVolumeClaims, deletedClaim("data"));
      scene.put(Pods, pod);
      await scene.sync("shop/data");
      expect(calls()).toEqual([]);
      expect(sentences()).toEqual(["Pod db-0 on node node-1 uses it → keep it"]);
    });
  }

  const others: readonly { readonly says: string; readonly pod: Pod }[] = [
    { says: "without a node", pod: podWith("db-0", { claims: ["data"], node: "" }) },
    { says: "of another namespace", pod: podWith("db-0", { claims: ["data"], meta: { namespace: "other" } }) },
    { says: "with a claim of another name", pod: podWith("db-0", { claims: ["data-2"] }) },
    { says: "without claims", pod: podWith("data", {}) },
  ];
  for (const { says, pod } of others) {
    test(`is removed in spite of a pod ${says}`, async () => {
      scene.put(PersistentVolumeClaims, deletedClaim("data"));
      scene.put(Pods, pod);
      await scene.sync("shop/data");
      expect(calls()).toEqual([listed, written]);
    });
  }

  test("stays for a pod that the cache does not have yet", async () => {
    scene.put(PersistentVolumeClaims, deletedClaim("data"));
    scene.putLive(Pods, podWith("db-0", { claims: ["data"] }));
    await scene.sync("shop/data");
    expect(calls()).toEqual([listed]);
    expect(sentences()).toEqual(["Pod db-0 on node node-1 uses it, which the cache does not show yet → keep it"]);
  });

  test("stays when the pods cannot be listed, and the sync fails with the reason", async () => {
    scene.put(PersistentVolumeClaims, deletedClaim("data"));
    scene.refuse = ({ verb }) => (verb === "list" ? refusal(403, "Forbidden", "Mock error") : undefined);
    expect(await rejection(scene.sync("shop/data"))).toMatchObject({
      message: "live list of pods failed: Mock error",
    });
    expect(calls()).toEqual([listed]);
    scene.refuse = () => undefined;
    await scene.sync("shop/data");
    expect(calls()).toEqual([listed, written]);
  });

  test("is retried when the write is refused, with another request to the API server", async () => {
    scene.put(PersistentVolumeClaims, deletedClaim("data"));
    scene.refuse = ({ verb }) => (verb === "update" ? refusal(409, "Conflict", "changed") : undefined);
    for (let failures = 0; failures < 2; failures++) {
      expect(await rejection(scene.sync("shop/data"))).toMatchObject({ code: 409 });
      expect(calls()).toEqual([listed, written]);
    }
  });
});

describe("the claim of an ephemeral volume", () => {
  const name = "db-0-tmp";
  const pod = podWith("db-0", { ephemeral: ["tmp"] });
  const own = { ownerReferences: controlledBy(pod) };

  async function outcome(holder: Pod, meta: object = own): Promise<string> {
    scene.put(PersistentVolumeClaims, deletedClaim(name, meta));
    scene.put(Pods, holder);
    await scene.sync(`shop/${name}`);
    return scene.calls.some(({ verb }) => verb === "update") ? "goes" : "stays";
  }

  test("stays for its pod", async () => expect(await outcome(pod)).toBe("stays"));

  test("is removed in spite of a pod that is not its controller, whatever its name", async () => {
    expect(await outcome(pod, {})).toBe("goes");
  });

  test("stays during the grace period of its pod", async () => {
    const meta = { ...deletedNow, deletionGracePeriodSeconds: 30 };
    expect(await outcome(podWith("db-0", { ephemeral: ["tmp"], meta }))).toBe("stays");
  });

  test("is removed once the kubelet has finished with its pod: a finalizer of the pod may wait for the claim", async () => {
    const meta = { ...deletedNow, deletionGracePeriodSeconds: 0, finalizers: ["example.com/hold"] };
    expect(await outcome(podWith("db-0", { ephemeral: ["tmp"], meta }))).toBe("goes");
  });
});

describe("one list of pods", () => {
  const lists = (): number => scene.calls.filter(({ verb }) => verb === "list").length;
  const updates = (): string[] => scene.calls.filter(({ verb }) => verb === "update").map(({ name }) => name);

  test("is enough for all claims of a namespace that are deleted by then", async () => {
    scene.put(PersistentVolumeClaims, ...["a", "b", "c"].map((name) => deletedClaim(name)));
    const done: string[] = [];
    for (const name of ["a", "b", "c"]) {
      await scene.sync(`shop/${name}`);
      expect(lists()).toBe(name === "a" ? 1 : 0);
      done.push(...updates());
    }
    expect(done).toEqual(["a", "b", "c"]);
  });

  test("is not for a claim of another namespace, nor for one that was deleted later", async () => {
    scene.put(
      PersistentVolumeClaims,
      deletedClaim("a"),
      claimOf("later"),
      deletedClaim("there", { namespace: "other" }),
    );
    await scene.sync("shop/a");
    await scene.sync("other/there");
    expect(calls()).toEqual(["list Pod other", "update PersistentVolumeClaim there"]);
    scene.put(PersistentVolumeClaims, deletedClaim("later"));
    scene.putLive(Pods, podWith("db-0", { claims: ["later"] }));
    await scene.sync("shop/later");
    expect(calls()).toEqual([listed]);
  });

  test("removes no claim that it shows as used, and is not kept forever", async () => {
    scene.put(PersistentVolumeClaims, deletedClaim("a"), deletedClaim("b"));
    scene.putLive(Pods, podWith("db-0", { claims: ["b"] }));
    await scene.sync("shop/a");
    await scene.sync("shop/b");
    expect(calls()).toEqual([listed]);
    scene.deleteLive(Pods, "shop/db-0");
    await scene.sync("shop/b");
    expect(calls()).toEqual([listed, "update PersistentVolumeClaim b"]);
  });

  for (const { afterMs, again } of [
    { afterMs: 5000, again: 0 },
    { afterMs: 5001, again: 1 },
  ]) {
    test(`is ${again === 0 ? "still" : "no longer"} valid after ${afterMs} ms`, async () => {
      scene.put(PersistentVolumeClaims, deletedClaim("a"), deletedClaim("b"));
      await scene.sync("shop/a");
      scene.now += afterMs;
      await scene.sync("shop/b");
      expect(lists()).toBe(again);
    });
  }

  test("is valid for one sync of a claim: the next one requests it again", async () => {
    scene.put(PersistentVolumeClaims, deletedClaim("a"), deletedClaim("b"));
    await scene.sync("shop/a");
    scene.put(Pods, podWith("db-0", { claims: ["b"] }));
    await scene.sync("shop/b");
    expect(sentences()).toEqual(["Pod db-0 on node node-1 uses it → keep it"]);
    scene.deleteLive(Pods, "shop/db-0");
    scene.deliver();
    await scene.sync("shop/b");
    expect(lists()).toBe(1);
  });

  test("is not valid for another claim of the same name", async () => {
    scene.put(PersistentVolumeClaims, deletedClaim("a"), deletedClaim("b"));
    await scene.sync("shop/a");
    scene.put(PersistentVolumeClaims, deletedClaim("b", { uid: "uid-of-another" }));
    await scene.sync("shop/b");
    expect(lists()).toBe(1);
  });
});
