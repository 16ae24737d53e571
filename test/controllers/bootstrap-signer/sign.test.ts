/** Which tokens sign cluster-info. The expected signatures are those of upstream's tests. */
import { beforeEach, describe, expect, test } from "bun:test";
import { ConfigMaps, Secrets } from "../../../src/api/kinds.ts";
import { formatTime } from "../../../src/api/time.ts";
import type { ConfigMap } from "../../../src/api/types.ts";
import { bootstrapSigner } from "../../../src/controllers/bootstrap-signer/bootstrap-signer.ts";
import { detachedSignature } from "../../../src/platform/detached-signature.ts";
import { rejection } from "../../support/rejection.ts";
import { refusal, type Scene, sceneStart, syncScene } from "../../support/sync-context.ts";
import { expiresIn, type TokenParts, tokenSecret } from "../token-cleaner/tokens.ts";

const key = "kube-public/cluster-info";
/** The signature of the text `payload` with the token `abc123`. */
const signature = "eyJhbGciOiJIUzI1NiIsImtpZCI6ImFiYzEyMyJ9..QSxpUG7Q542CirTI2ECPSZjvBOJURUW5a7XqFpNI958";
const jws = "jws-kubeconfig-abc123";

let scene: Scene;
beforeEach(() => {
  scene = syncScene(bootstrapSigner);
});

function mapOf(data: Readonly<Record<string, string>>, name = "cluster-info", namespace = "kube-public"): ConfigMap {
  const creationTimestamp = formatTime(sceneStart);
  return { metadata: { namespace, name, uid: "uid-map", resourceVersion: "1", creationTimestamp }, data };
}

const bodies = (): unknown[] => scene.calls.map(({ verb, body }) => ({ verb, data: (body as ConfigMap).data }));
const says = (): readonly string[] => scene.decisions.map(({ sentence }) => sentence);

describe("cluster-info", () => {
  test("is not created if it does not exist", async () => {
    scene.put(Secrets, tokenSecret());
    await scene.sync(key);
    expect([scene.calls, scene.decisions]).toEqual([[], []]);
  });

  test("is signed with a token", async () => {
    const map = mapOf({ kubeconfig: "payload", other: "x" });
    scene.put(ConfigMaps, map);
    scene.put(Secrets, tokenSecret());
    await scene.sync(key);
    expect(scene.calls.map(({ verb, body }) => ({ verb, body }))).toEqual([
      { verb: "update", body: { ...map, data: { kubeconfig: "payload", other: "x", [jws]: signature } } },
    ]);
    expect(says()).toEqual(["not signed by abc123 → update it"]);
  });

  test("with a current signature is left alone", async () => {
    scene.put(ConfigMaps, mapOf({ kubeconfig: "payload", [jws]: signature }));
    scene.put(Secrets, tokenSecret());
    await scene.sync(key);
    expect(scene.calls).toEqual([]);
    expect(says()).toEqual(["it is signed by abc123"]);
  });

  test("gets the right signature instead of a wrong one", async () => {
    scene.put(ConfigMaps, mapOf({ kubeconfig: "payload", [jws]: "old signature" }));
    scene.put(Secrets, tokenSecret());
    await scene.sync(key);
    expect(bodies()).toEqual([{ verb: "update", data: { kubeconfig: "payload", [jws]: signature } }]);
    expect(says()).toEqual(["another signature of abc123 → update it"]);
  });

  test("loses a signature whose token does not exist", async () => {
    scene.put(ConfigMaps, mapOf({ kubeconfig: "payload", [jws]: "old signature" }));
    await scene.sync(key);
    expect(bodies()).toEqual([{ verb: "update", data: { kubeconfig: "payload" } }]);
    expect(says()).toEqual(["signed by abc123, which may not → update it"]);
    scene.deliver();
    await scene.sync(key);
    expect(says()).toEqual(["no token signs it"]);
  });

  test("with nothing to sign keeps its signatures; an empty kubeconfig can be signed", async () => {
    scene.put(ConfigMaps, mapOf({ [jws]: "old signature" }));
    await scene.sync(key);
    expect(scene.calls).toEqual([]);
    expect(says()).toEqual(["it has no data.kubeconfig → leave it alone"]);
    scene.put(ConfigMaps, mapOf({ kubeconfig: "" }));
    scene.put(Secrets, tokenSecret());
    await scene.sync(key);
    expect(bodies()).toEqual([
      {
        verb: "update",
        data: { kubeconfig: "", [jws]: detachedSignature("", { id: "abc123", secret: "tokenSecret" }) },
      },
    ]);
  });

  test("is requeued if it was changed or deleted meanwhile; other refusals are errors", async () => {
    scene.put(ConfigMaps, mapOf({ kubeconfig: "payload" }));
    scene.put(Secrets, tokenSecret());
    for (const error of [refusal(404, "NotFound", "gone"), refusal(409, "Conflict", "changed")]) {
      scene.refuse = () => error;
      await scene.sync(key);
      expect(scene.calls).toHaveLength(1);
    }
    scene.refuse = () => refusal(403, "Forbidden", "no");
    expect(await rejection(scene.sync(key))).toMatchObject({ code: 403 });
  });
});

describe("a token", () => {
  const cases: readonly (TokenParts & { readonly what: string; readonly signs?: true })[] = [
    { what: "with no expiration", signs: true },
    { what: "that expires later", data: expiresIn(3_600_000), signs: true },
    { what: "that has expired", data: expiresIn(-3_600_000) },
    { what: "with a bad expiration", data: { expiration: "garbage" } },
    { what: "without the usage, and with a bad expiration", data: { "usage-bootstrap-signing": "", expiration: "x" } },
    { what: "without the usage", data: { "usage-bootstrap-signing": undefined } },
    { what: "with another word for the usage", data: { "usage-bootstrap-signing": "True" } },
    { what: "without an id", data: { "token-id": undefined } },
    { what: "without a secret", data: { "token-secret": "" } },
    { what: "with a bad name", name: "abc123" },
    { what: "with a name with a suffix", name: "bootstrap-token-abc1234" },
    { what: "with a name for another id", name: "bootstrap-token-def456" },
    { what: "of another type", type: "Opaque" },
    { what: "in another namespace", namespace: "shop" },
  ];
  for (const { what, signs, ...parts } of cases) {
    test(`${what} ${signs === undefined ? "signs nothing" : "signs"}`, async () => {
      scene.put(ConfigMaps, mapOf({ kubeconfig: "payload" }));
      scene.put(Secrets, tokenSecret(parts));
      await scene.sync(key);
      const data = { kubeconfig: "payload", [jws]: signature };
      expect(bodies()).toEqual(signs === undefined ? [] : [{ verb: "update", data }]);
    });
  }

  test("is not revealed, neither in decisions nor in facts", async () => {
    scene.put(ConfigMaps, mapOf({ kubeconfig: "payload" }));
    scene.put(Secrets, tokenSecret());
    await scene.sync(key);
    expect(JSON.stringify(scene.decisions)).not.toContain("tokenSecret");
  });
});

describe("detachedSignature()", () => {
  const content = "Hello from the other side. I must have called a thousand times.";
  const header = "eyJhbGciOiJIUzI1NiIsImtpZCI6Impvc2h1YSJ9";
  for (const { name, of, secret, is } of [
    {
      name: "of a text",
      of: content,
      secret: "my voice is my passcode",
      is: "VShe2taLd-YTrmWuRkcL_8QTNDHYxQIEBsAYYiIj1_8",
    },
    {
      name: "of an empty text",
      of: "",
      secret: "my voice is my passcode",
      is: "7Ui1ALizW4jXphVUB7xUqC9vLYLL9RZeOFfVLoB7Tgk",
    },
    { name: "with an empty secret", of: content, secret: "", is: "UfkqvDGiIFxrMnFseDj9LYJOLNrvjW8aHhF71mvvAs8" },
  ]) {
    test(`${name} equals upstream's`, () => {
      expect(detachedSignature(of, { id: "joshua", secret })).toBe(`${header}..${is}`);
    });
  }
});

test("cluster-info is synced when it, or a token, is added, changed or deleted", () => {
  const map = mapOf({ kubeconfig: "payload" });
  for (const object of [map, mapOf({}, "other"), mapOf({}, "cluster-info", "shop")]) {
    scene.notify(ConfigMaps, { type: "added", object, initial: true });
    scene.notify(ConfigMaps, { type: "updated", before: object, object });
    scene.notify(ConfigMaps, { type: "deleted", object, tombstone: false });
  }
  expect(scene.woken.splice(0)).toEqual([key, key]);
  for (const object of [tokenSecret(), tokenSecret({ type: "Opaque" }), tokenSecret({ namespace: "shop" })]) {
    scene.notify(Secrets, { type: "added", object, initial: true });
    scene.notify(Secrets, { type: "updated", before: object, object });
    scene.notify(Secrets, { type: "deleted", object, tombstone: false });
  }
  expect(scene.woken).toEqual([key, key, key]);
});
