/** When bootstrap tokens are deleted. */
import { beforeEach, describe, expect, test } from "bun:test";
import { Secrets } from "../../../src/api/kinds.ts";
import { tokenCleaner } from "../../../src/controllers/token-cleaner/token-cleaner.ts";
import { embeddedScene, embeddedStart } from "../../support/embedded-scene.ts";
import { formatTime } from "../../../src/api/time.ts";
import { rejection } from "../../support/rejection.ts";
import { refusal, type Scene, sceneStart, syncScene } from "../../support/sync-context.ts";
import { expiresIn, tokenSecret } from "./tokens.ts";

const key = "kube-system/bootstrap-token-abc123";
const hourMs = 3_600_000;

let scene: Scene;
beforeEach(() => {
  scene = syncScene(tokenCleaner);
});

const says = (): readonly string[] => scene.decisions.map(({ sentence }) => sentence);
const deletion = {
  verb: "delete",
  name: "bootstrap-token-abc123",
  preconditions: { uid: "uid-bootstrap-token-abc123" },
};

describe("a bootstrap token", () => {
  test("without an expiration stays", async () => {
    scene.put(Secrets, tokenSecret());
    await scene.sync(key);
    expect([scene.calls, scene.requeues]).toEqual([[], []]);
    expect(says()).toEqual(["its token has no expiration → keep it"]);
  });

  test("that has expired is deleted, if it is still the same Secret", async () => {
    scene.put(Secrets, tokenSecret({ data: expiresIn(-hourMs) }));
    await scene.sync(key);
    expect(scene.calls).toMatchObject([deletion]);
    expect(says()).toEqual(["its token expired 60 m ago → delete it"]);
  });

  test("that expires later is synced again then, to the millisecond", async () => {
    scene.now = sceneStart + 500;
    scene.put(Secrets, tokenSecret({ data: expiresIn(hourMs) }));
    await scene.sync(key);
    expect(scene.calls).toEqual([]);
    expect(scene.requeues.map(({ ms }) => ms)).toEqual([hourMs - 500]);
    scene.now = sceneStart + hourMs;
    await scene.sync(key);
    expect(scene.calls).toMatchObject([deletion]);
  });

  for (const expiration of [
    "garbage",
    "2030-01-01",
    "2030-01-01T00:00:00",
    "2030-02-30T00:00:00Z",
    "2030-01-01 00:00:00Z",
    "2030-01-01T24:00:00Z",
  ]) {
    test(`that expires at ${expiration}, which is not a time, is deleted`, async () => {
      scene.put(Secrets, tokenSecret({ data: { expiration } }));
      await scene.sync(key);
      expect(scene.calls).toMatchObject([deletion]);
      expect(says()).toEqual(["its expiration is no RFC 3339 time, which counts as expired → delete it"]);
    });
  }

  for (const expiration of [
    "2030-01-01T00:00:00+02:00",
    "2030-01-01T00:00:00.123456789Z",
    "2030-01-01T00:00:00,5Z",
    "2030-01-01T1:02:03Z",
  ]) {
    test(`that expires at ${expiration} is kept until then`, async () => {
      scene.put(Secrets, tokenSecret({ data: { expiration } }));
      await scene.sync(key);
      expect(scene.calls).toEqual([]);
      expect(scene.decisions.map((each) => each.rule)).toEqual(["not-expired"]);
    });
  }

  test("that is gone, or was replaced, is not an error; other refusals are", async () => {
    await scene.sync(key);
    scene.put(Secrets, tokenSecret({ data: expiresIn(-hourMs) }));
    for (const error of [refusal(404, "NotFound", "gone"), refusal(409, "Conflict", "changed")]) {
      scene.refuse = () => error;
      await scene.sync(key);
      expect(scene.calls).toHaveLength(1);
    }
    scene.refuse = () => refusal(403, "Forbidden", "no");
    expect(await rejection(scene.sync(key))).toMatchObject({ code: 403 });
  });
});

describe("a Secret", () => {
  const others = [tokenSecret({ namespace: "shop" }), tokenSecret({ type: "Opaque" })];

  test("is synced when it is added or changed, if it is a token in kube-system", () => {
    for (const object of [...others, tokenSecret()]) {
      scene.notify(Secrets, { type: "added", object, initial: true });
      scene.notify(Secrets, { type: "updated", before: object, object });
      scene.notify(Secrets, { type: "deleted", object, tombstone: false });
    }
    expect(scene.woken).toEqual([key, key]);
  });

  test("of another kind or namespace is kept, whatever its expiration", async () => {
    for (const { metadata, type, data } of others) {
      const secret = { metadata, ...(type !== undefined && { type }), data: { ...data, expiration: btoa("garbage") } };
      scene.put(Secrets, secret);
      await scene.sync(`${metadata.namespace}/${metadata.name}`);
    }
    expect(scene.calls).toEqual([]);
  });
});

test("in the embedded cluster a token is deleted when it expires, and one without an expiration stays", async () => {
  const cluster = await embeddedScene({ controllers: [tokenCleaner], nodes: 0, scheduler: false, kubelet: false });
  const secretNames = async (): Promise<readonly string[]> =>
    (await cluster.list(Secrets, "kube-system")).map(({ metadata }) => metadata.name);
  const make = (id: string, data: Readonly<Record<string, string>>): Promise<unknown> =>
    cluster.during(
      cluster.you.create(Secrets, {
        metadata: { namespace: "kube-system", name: `bootstrap-token-${id}` },
        type: "bootstrap.kubernetes.io/token",
        data: Object.fromEntries(
          Object.entries({ "token-id": id, "token-secret": "0123456789abcdef", ...data }).map(([name, value]) => [
            name,
            btoa(value),
          ]),
        ),
      }),
    );
  await make("aaaaaa", {});
  await make("bbbbbb", { expiration: formatTime(embeddedStart + 600_000) });
  await cluster.run(500_000);
  expect(await secretNames()).toEqual(["bootstrap-token-aaaaaa", "bootstrap-token-bbbbbb"]);
  await cluster.run(200_000);
  expect(await secretNames()).toEqual(["bootstrap-token-aaaaaa"]);
  await cluster.stop();
});
