import { beforeEach, describe, expect, test } from "bun:test";
import { ConfigMaps, Namespaces } from "../../../src/api/kinds.ts";
import { formatTime } from "../../../src/api/time.ts";
import type { ConfigMap, Namespace } from "../../../src/api/types.ts";
import { rootCaCertificatePublisher } from "../../../src/controllers/root-ca-certificate-publisher/root-ca-certificate-publisher.ts";
import { rejection } from "../../support/rejection.ts";
import { refusal, type Scene, sceneStart, syncScene } from "../../support/sync-context.ts";

const key = "shop/kube-root-ca.crt";
const ca = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n";
const note = "kubernetes.io/description";
const described =
  /^Contains a CA bundle .* No other usage is guaranteed across distributions of Kubernetes clusters\.$/;

const made = { creationTimestamp: formatTime(sceneStart) };

let scene: Scene;
beforeEach(() => {
  scene = syncScene(rootCaCertificatePublisher);
  scene.serverCa = ca;
});

function mapOf(
  parts: Partial<ConfigMap> & { readonly annotations?: Readonly<Record<string, string>> } = {},
): ConfigMap {
  const { annotations = { [note]: "ours" }, ...rest } = parts;
  const metadata = { name: "kube-root-ca.crt", namespace: "shop", uid: "uid-map", resourceVersion: "1", ...made };
  return { metadata: { ...metadata, annotations }, data: { "ca.crt": ca }, ...rest };
}

function namespaceOf(phase: string | undefined): Namespace {
  const metadata = { name: "shop", uid: "uid-shop", resourceVersion: "1", ...made };
  return { metadata, ...(phase !== undefined && { status: { phase } }) };
}

const says = (): readonly string[] => scene.decisions.map(({ sentence }) => sentence);
const calls = (): string[] => scene.calls.map(({ verb, name }) => `${verb} ${name}`);

describe("the ConfigMap of a namespace", () => {
  test("is created if it is missing, with the authority and a description", async () => {
    await scene.sync(key);
    expect(calls()).toEqual(["create kube-root-ca.crt"]);
    expect(scene.calls[0]?.body).toEqual({
      metadata: {
        namespace: "shop",
        name: "kube-root-ca.crt",
        annotations: { [note]: expect.stringMatching(described) as unknown as string },
      },
      data: { "ca.crt": ca },
    });
    expect(says()).toEqual(["namespace shop has no ConfigMap kube-root-ca.crt → create it"]);
    scene.deliver();
    await scene.sync(key);
    expect([...calls(), ...says()]).toEqual([]);
  });

  for (const { what, map, says: sentence } of [
    { what: "has another authority", map: mapOf({ data: { "ca.crt": "x" } }), says: "data has another ca.crt" },
    { what: "has no authority", map: mapOf({ data: {} }), says: "data has no ca.crt" },
    {
      what: "has additional data",
      map: mapOf({ data: { "ca.crt": ca, more: "x" } }),
      says: "data has more than ca.crt",
    },
    { what: "has no description", map: mapOf({ annotations: { a: "b" } }), says: "it has no description" },
    {
      what: "has an empty description",
      map: mapOf({ annotations: { a: "b", [note]: "" } }),
      says: "it has no description",
    },
  ]) {
    test(`is repaired if it ${what}; the rest of it stays`, async () => {
      scene.put(ConfigMaps, map);
      await scene.sync(key);
      expect(calls()).toEqual(["update kube-root-ca.crt"]);
      expect(says()).toEqual([`${sentence} → update it`]);
      const [written] = scene.live(ConfigMaps);
      expect(written?.data).toEqual({ "ca.crt": ca });
      expect(written?.metadata).toEqual({
        ...map.metadata,
        resourceVersion: expect.any(String) as unknown as string,
        generation: expect.any(Number) as unknown as number,
        annotations: {
          ...map.metadata.annotations,
          [note]: expect.stringMatching(described),
        },
      });
    });
  }

  test("is left alone whatever its description says, and whatever else it has", async () => {
    scene.put(ConfigMaps, mapOf({ annotations: { [note]: "mine", more: "x" }, binaryData: { more: "AA==" } }));
    await scene.sync(key);
    expect([...calls(), ...says()]).toEqual([]);
  });

  test("is not published without an authority, and no other ConfigMap is examined", async () => {
    await scene.sync("shop/settings");
    expect([...calls(), ...says()]).toEqual([]);
    scene.serverCa = undefined;
    scene.put(ConfigMaps, mapOf({ data: {} }));
    await scene.sync(key);
    expect(calls()).toEqual([]);
    expect(says()).toEqual(["the context names no certificate authority → publish none"]);
  });

  test("is not retried in a namespace that is gone or being deleted, but after other refusals", async () => {
    const going = refusal(403, "Forbidden", "terminating", "NamespaceTerminating");
    for (const error of [refusal(404, "NotFound", "gone"), going]) {
      scene.refuse = () => error;
      await scene.sync(key);
      expect(calls()).toEqual(["create kube-root-ca.crt"]);
    }
    scene.refuse = () => refusal(409, "AlreadyExists", "there");
    expect(await rejection(scene.sync(key))).toMatchObject({ code: 409 });
    scene.put(ConfigMaps, mapOf({ data: {} }));
    scene.refuse = () => refusal(404, "NotFound", "gone");
    expect(await rejection(scene.sync(key))).toMatchObject({ code: 404 });
  });
});

describe("it is synced", () => {
  test("when its namespace is added, in any phase, and when that changes and is active", () => {
    for (const phase of [undefined, "Active", "Terminating"]) {
      const object = namespaceOf(phase);
      scene.notify(Namespaces, { type: "added", object, initial: false });
      expect(scene.woken.splice(0)).toEqual([key]);
      scene.notify(Namespaces, { type: "updated", before: object, object });
      expect(scene.woken.splice(0)).toEqual(phase === "Active" ? [key] : []);
      scene.notify(Namespaces, { type: "deleted", object, tombstone: false });
      expect(scene.woken).toEqual([]);
    }
  });

  test("when it is changed or deleted, and other ConfigMaps are ignored", () => {
    const [own, metadata] = [mapOf(), { ...mapOf().metadata, name: "settings" }];
    for (const object of [own, { ...own, metadata }]) {
      scene.notify(ConfigMaps, { type: "added", object, initial: false });
      scene.notify(ConfigMaps, { type: "updated", before: object, object });
      scene.notify(ConfigMaps, { type: "deleted", object, tombstone: false });
    }
    expect(scene.woken).toEqual([key, key]);
  });
});
