/** Which Secrets get a token, with which contents, and which are deleted: the cases of upstream's test, and their boundaries. */
import { beforeEach, describe, expect, test } from "bun:test";
import { Secrets, ServiceAccounts } from "../../../src/api/kinds.ts";
import { formatTime } from "../../../src/api/time.ts";
import type { Secret, ServiceAccount } from "../../../src/api/types.ts";
import {
  serviceAccountTokens,
  serviceaccountToken,
} from "../../../src/controllers/serviceaccount-token/serviceaccount-token.ts";
import { tokenSigner } from "../../../src/platform/json-web-token.ts";
import { newKey } from "../../support/private-key.ts";
import { rejection } from "../../support/rejection.ts";
import { refusal, type Scene, sceneStart, syncScene } from "../../support/sync-context.ts";

const key = "default/token-secret-1";
const rootCa = "CA Data";
const creationTimestamp = formatTime(sceneStart);
const annotations = { "kubernetes.io/service-account.name": "default", "kubernetes.io/service-account.uid": "12345" };
const full = { token: btoa("ABC"), namespace: btoa("default"), "ca.crt": btoa(rootCa) };

const account = (secrets?: readonly string[], uid = "12345"): ServiceAccount => ({
  metadata: { name: "default", namespace: "default", uid, resourceVersion: "1", creationTimestamp },
  ...(secrets !== undefined && { secrets: secrets.map((name) => ({ name })) }),
});

interface Parts {
  readonly data?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly type?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

const secret = ({ data = full, type = "kubernetes.io/service-account-token", ...metadata }: Parts = {}): Secret => ({
  metadata: {
    name: "token-secret-1",
    namespace: "default",
    uid: "23456",
    resourceVersion: "1",
    creationTimestamp,
    annotations,
    ...metadata,
  },
  type,
  data,
});

function without(left: keyof typeof full): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(full).filter(([name]) => name !== left));
}

const withToken = (token: string): ReturnType<NonNullable<typeof serviceaccountToken.withKeys>> => {
  if (serviceaccountToken.withKeys === undefined) throw new Error("it takes no keys");
  return serviceaccountToken.withKeys({ authority: { ca: "", key: "" }, rootCa, signToken: () => token });
};

let scene: Scene;
beforeEach(() => (scene = syncScene(withToken("ABC"))));

const calls = (): readonly string[] => scene.calls.map(({ verb, kind, name }) => `${verb} ${kind} ${name}`);
const says = (): readonly string[] => scene.decisions.map(({ sentence }) => sentence);

/** Syncs all keys that have been enqueued by the events so far. */
async function afterwards(): Promise<void> {
  const woken = scene.woken.splice(0);
  for (const each of woken) await scene.sync(each);
}

describe("a ServiceAccount", () => {
  for (const what of ["added", "updated"] as const) {
    for (const [name, listed] of Object.entries({
      "no secrets": undefined,
      "missing secrets": ["missing-secret-1"],
      "non-token secrets": ["regular-secret-1"],
      "token secrets": ["token-secret-1"],
    })) {
      test(`${what}, with ${name}, enqueues nothing`, () => {
        scene.put(Secrets, secret());
        const object = account(listed);
        scene.put(ServiceAccounts, object);
        if (what === "added") scene.notify(ServiceAccounts, { type: "added", object, initial: false });
        else scene.notify(ServiceAccounts, { type: "updated", before: object, object });
        expect(scene.woken).toEqual([]);
      });
    }
  }

  for (const { name, others } of [
    { name: "no secrets", others: [] },
    { name: "non-token secrets", others: [secret({ type: "Opaque" })] },
    {
      name: "tokens of another uid",
      others: [secret({ annotations: { ...annotations, [`kubernetes.io/service-account.uid`]: "1" } })],
    },
  ]) {
    test(`deleted, with ${name}, deletes nothing`, () => {
      scene.put(Secrets, ...others);
      scene.notify(ServiceAccounts, { type: "deleted", object: account(), tombstone: false });
      expect(scene.woken).toEqual([]);
    });
  }

  test("deleted, with token secrets, has those with its uid deleted", async () => {
    scene.put(Secrets, secret());
    scene.notify(ServiceAccounts, { type: "deleted", object: account(["token-secret-1"]), tombstone: false });
    await afterwards();
    expect(calls()).toEqual(["get ServiceAccount default", "delete Secret token-secret-1"]);
    expect(scene.calls[1]?.preconditions).toEqual({ uid: "23456" });
    expect(says()).toEqual(["there is no ServiceAccount default with the uid in its annotation → delete it"]);
  });
});

for (const what of ["added", "updated"] as const) {
  describe(`a Secret that is ${what}`, () => {
    async function comes(object: Secret): Promise<void> {
      scene.put(Secrets, object);
      if (what === "added") scene.notify(Secrets, { type: "added", object, initial: false });
      else scene.notify(Secrets, { type: "updated", before: object, object });
      expect(scene.woken).toEqual([key]);
      await afterwards();
    }

    test("without its ServiceAccount is deleted, after a request to the API server", async () => {
      await comes(secret());
      expect(calls()).toEqual(["get ServiceAccount default", "delete Secret token-secret-1"]);
      expect(scene.calls[1]?.preconditions).toEqual({ uid: "23456" });
    });

    test("and is complete is left alone", async () => {
      scene.put(ServiceAccounts, account(["token-secret-1"]));
      await comes(secret());
      expect(calls()).toEqual([]);
      expect(scene.decisions).toEqual([]);
    });

    for (const { name, data, lacks } of [
      { name: "no token", data: without("token"), lacks: "token" },
      { name: "no authority", data: without("ca.crt"), lacks: "ca.crt" },
      { name: "another authority", data: { ...full, "ca.crt": btoa("mismatched") }, lacks: "ca.crt" },
      { name: "no namespace", data: without("namespace"), lacks: "namespace" },
    ]) {
      test(`with ${name} gets it`, async () => {
        scene.put(ServiceAccounts, account(["token-secret-1"]));
        await comes(secret({ data }));
        expect(calls()).toEqual(["get Secret token-secret-1", "update Secret token-secret-1"]);
        expect(scene.calls[1]?.body).toEqual(secret());
        expect(says()).toEqual([`it lacks ${lacks} of ServiceAccount default → write them`]);
      });
    }

    test("with a namespace keeps it", async () => {
      scene.put(ServiceAccounts, account(["token-secret-1"]));
      await comes(secret({ data: { ...full, namespace: btoa("custom") } }));
      expect(calls()).toEqual([]);
    });
  });
}

describe("a Secret that is deleted", () => {
  async function goes(object: Secret): Promise<void> {
    scene.notify(Secrets, { type: "deleted", object, tombstone: false });
    await afterwards();
  }

  test("without its ServiceAccount changes nothing", async () => {
    await goes(secret());
    expect(calls()).toEqual([]);
  });

  test("is removed from the list of its ServiceAccount", async () => {
    scene.put(ServiceAccounts, account(["token-secret-1"]));
    await goes(secret());
    expect(calls()).toEqual(["get ServiceAccount default", "update ServiceAccount default"]);
    expect(scene.calls[1]?.body).toEqual(account());
    expect(says()).toEqual(["it is gone, and ServiceAccount default lists it → remove it from the list"]);
    await scene.sync(key);
    expect(calls()).toEqual([]);
  });

  test("and not listed leaves its ServiceAccount alone", async () => {
    scene.put(ServiceAccounts, account(["token-secret-2"]));
    await goes(secret());
    expect(calls()).toEqual(["get ServiceAccount default"]);
  });

  test("leaves the list of another ServiceAccount of the name alone", async () => {
    scene.put(ServiceAccounts, account(["token-secret-1"], "67890"));
    await goes(secret());
    expect(calls()).toEqual([]);
    scene = syncScene(withToken("ABC"));
    scene.put(ServiceAccounts, account(["token-secret-1"]));
    scene.putLive(ServiceAccounts, account(["token-secret-1"], "67890"));
    await goes(secret());
    expect(calls()).toEqual(["get ServiceAccount default"]);
  });

  test("and added again is forgotten first, and then filled", async () => {
    scene.put(ServiceAccounts, account(["token-secret-1", "other"]));
    scene.put(Secrets, secret({ uid: "34567", data: {} }));
    await goes(secret());
    expect(calls()).toEqual([
      "get ServiceAccount default",
      "update ServiceAccount default",
      "get Secret token-secret-1",
      "update Secret token-secret-1",
    ]);
    expect(scene.calls[1]?.body).toEqual(account(["other"]));
  });

  test("is forgotten in spite of conflicts, ten times at most, and of a failure later", async () => {
    scene.put(ServiceAccounts, account(["token-secret-1"]));
    scene.refuse = ({ verb }) => (verb === "update" ? refusal(409, "Conflict", "changed") : undefined);
    scene.notify(Secrets, { type: "deleted", object: secret(), tombstone: false });
    expect(await rejection(scene.sync(key))).toMatchObject({ code: 409 });
    expect(calls().filter((each) => each.startsWith("update"))).toHaveLength(10);
    scene.refuse = () => undefined;
    await scene.sync(key);
    expect(calls()).toEqual(["get ServiceAccount default", "update ServiceAccount default"]);
  });
});

describe("a Secret", () => {
  test("without a uid belongs to any ServiceAccount of the name, and gets the uid", async () => {
    scene.put(ServiceAccounts, account([], "67890"));
    const { "kubernetes.io/service-account.name": name } = annotations;
    scene.put(Secrets, secret({ data: {}, annotations: { "kubernetes.io/service-account.name": name, more: "x" } }));
    await scene.sync(key);
    const named = {
      "kubernetes.io/service-account.name": name,
      "kubernetes.io/service-account.uid": "67890",
      more: "x",
    };
    expect(scene.calls[1]?.body).toEqual(secret({ annotations: named }));
    expect(says()).toEqual(["it lacks ca.crt, namespace, token of ServiceAccount default → write them"]);
  });

  test("of a ServiceAccount that the cache does not have yet is filled", async () => {
    scene.putLive(ServiceAccounts, account());
    scene.put(Secrets, secret({ data: {} }));
    await scene.sync(key);
    expect(calls()).toEqual([
      "get ServiceAccount default",
      "get Secret token-secret-1",
      "update Secret token-secret-1",
    ]);
  });

  test("that has changed on the server waits for the change: two tokens of one Secret would not both be valid", async () => {
    scene.put(ServiceAccounts, account());
    scene.put(Secrets, secret({ data: {} }));
    scene.putLive(Secrets, secret({ data: {}, resourceVersion: "2" }));
    await scene.sync(key);
    expect(calls()).toEqual(["get Secret token-secret-1"]);
    expect(says()).toEqual(["it is newer than the cache → wait for the cache"]);
  });

  for (const { code, reason } of [
    { code: 404, reason: "NotFound" },
    { code: 409, reason: "Conflict" },
  ]) {
    test(`whose update or deletion is refused with ${code} is left to its delta`, async () => {
      scene.put(Secrets, secret({ data: {} }));
      scene.refuse = ({ verb, kind }) => (kind === "Secret" && verb !== "get" ? refusal(code, reason, "x") : undefined);
      await scene.sync(key);
      expect(calls().at(-1)).toBe("delete Secret token-secret-1");
      scene.put(ServiceAccounts, account());
      await scene.sync(key);
      expect(calls().at(-1)).toBe("update Secret token-secret-1");
    });
  }

  test("is retried after other failures, ten times", async () => {
    scene.put(ServiceAccounts, account());
    scene.put(Secrets, secret({ data: {} }));
    for (const failing of ["get", "update"]) {
      scene.refuse = ({ verb }) => (verb === failing ? refusal(403, "Forbidden", "no") : undefined);
      expect(await rejection(scene.sync(key))).toMatchObject({ code: 403 });
    }
    expect(serviceaccountToken.retry).toEqual({ maxRetries: 10 });
  });

  test("of another type, or without a ServiceAccount, is ignored", async () => {
    for (const object of [secret({ type: "Opaque", data: {} }), secret({ annotations: {}, data: {} })]) {
      scene.put(Secrets, object);
      scene.notify(Secrets, { type: "added", object, initial: true });
      scene.notify(Secrets, { type: "deleted", object, tombstone: false });
      await scene.sync(key);
      expect([scene.woken, scene.calls, scene.decisions]).toEqual([[], [], []]);
    }
  });
});

test("without keys nothing is changed", async () => {
  scene = syncScene(serviceaccountToken);
  scene.put(Secrets, secret({ data: {} }));
  await scene.sync(key);
  expect(calls()).toEqual([]);
  expect(says()).toEqual(["the key that signs tokens is not available here → leave it to a controller that has it"]);
});

test("an authority with comments in UTF-8 is copied byte by byte, once", async () => {
  const authority = "# Zoë's 中\nCA Data";
  scene = syncScene(serviceAccountTokens({ key: newKey(), rootCa: authority }));
  scene.put(ServiceAccounts, account());
  scene.put(Secrets, secret({ data: {} }));
  await scene.sync(key);
  const filled = scene.calls[1]?.body as Secret;
  expect(Buffer.from(filled.data?.["ca.crt"] ?? "", "base64").toString()).toBe(authority);
  scene.put(Secrets, filled);
  await scene.sync(key);
  expect(calls()).toEqual([]);
});

test("a separate key signs tokens with the claims that kube-apiserver knows; without an authority there is no ca.crt", async () => {
  const signingKey = newKey();
  scene = syncScene(serviceAccountTokens({ key: signingKey }));
  scene.put(ServiceAccounts, account());
  scene.put(Secrets, secret({ data: {} }));
  await scene.sync(key);
  const { data = {} } = (scene.calls[1]?.body ?? {}) as Partial<Secret>;
  expect(Object.keys(data)).toEqual(["namespace", "token"]);
  expect(tokenSigner({ signingKey }).verified(atob(data["token"] ?? ""))).toEqual({
    iss: "kubernetes/serviceaccount",
    "kubernetes.io/serviceaccount/namespace": "default",
    "kubernetes.io/serviceaccount/secret.name": "token-secret-1",
    "kubernetes.io/serviceaccount/service-account.name": "default",
    "kubernetes.io/serviceaccount/service-account.uid": "12345",
    sub: "system:serviceaccount:default:default",
  });
});
