/** Which tokens become invalid, and which are deleted: the cases of upstream's test, and their boundaries. */
import { describe, expect, test } from "bun:test";
import { Pods, Secrets, ServiceAccounts } from "../../../src/api/kinds.ts";
import type { Pod, Secret, ServiceAccount } from "../../../src/api/types.ts";
import {
  defineLegacyTokenCleaner,
  legacyServiceaccountTokenCleaner,
} from "../../../src/controllers/legacy-serviceaccount-token-cleaner/legacy-serviceaccount-token-cleaner.ts";
import { secretNamesOf } from "../../../src/controllers/legacy-serviceaccount-token-cleaner/verdict.ts";
import { rejection } from "../../support/rejection.ts";
import { refusal, type Scene, sceneStart, syncScene } from "../../support/sync-context.ts";

const key = "default/token-secret-1";
const lastUsedLabel = "kubernetes.io/legacy-token-last-used";
const invalidSinceLabel = "kubernetes.io/legacy-token-invalid-since";
const today = "2026-11-21";
const midnight = (day: string): string => `${day}T00:00:00Z`;

interface Case {
  readonly name: string;
  /** The start of the cleanup period: tokens that have not been used since this day are removed. */
  readonly from?: string;
  /** The date in the ConfigMap; null: no date, undefined: no ConfigMap. */
  readonly since?: string | null | undefined;
  readonly lastUsed?: string;
  readonly invalidSince?: string;
  readonly created?: string;
  readonly isDeleted?: true;
  readonly type?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  /** `null`: the ServiceAccount does not exist. */
  readonly accountSecrets?: readonly string[] | null;
  readonly pod?: object;
  readonly does?: "invalidate" | "delete";
  readonly says?: string;
  readonly fails?: string;
}

const named = (name: string, uid: string): Readonly<Record<string, string>> => ({
  "kubernetes.io/service-account.name": name,
  "kubernetes.io/service-account.uid": uid,
});

function secretOf(parts: Case): Secret {
  const { lastUsed, invalidSince, created = "2022-12-27", type = "kubernetes.io/service-account-token" } = parts;
  const labels = {
    ...(lastUsed !== undefined && { [lastUsedLabel]: lastUsed }),
    ...(invalidSince !== undefined && { [invalidSinceLabel]: invalidSince }),
  };
  const metadata = {
    name: "token-secret-1",
    namespace: "default",
    uid: "23456",
    resourceVersion: "1",
    labels,
    creationTimestamp: midnight(created),
    annotations: parts.annotations ?? named("default", "12345"),
    ...(parts.isDeleted === true && { deletionTimestamp: midnight(today) }),
  };
  return { metadata, type };
}

const stored = { resourceVersion: "1", creationTimestamp: midnight("2022-01-01"), namespace: "default" };

function sceneOf(parts: Case): Scene {
  const { from = "2022-12-29", accountSecrets = ["token-secret-1"], pod } = parts;
  const scene = syncScene(defineLegacyTokenCleaner({ cleanUpPeriodMs: sceneStart - Date.parse(midnight(from)) }));
  scene.put(Secrets, secretOf(parts));
  if (accountSecrets !== null) {
    const secrets = accountSecrets.map((name) => ({ name }));
    const account: ServiceAccount = { metadata: { ...stored, name: "default", uid: "12345" }, secrets };
    scene.put(ServiceAccounts, account);
  }
  if (pod !== undefined) scene.put(Pods, podOf(pod));
  const { since = "2022-12-27" } = parts;
  scene.beyond = {
    get: (_kind, { name }) =>
      !("since" in parts && parts.since === undefined) &&
      name === "kube-apiserver-legacy-service-account-token-tracking"
        ? { metadata: { ...stored, name, uid: "map" }, ...(since !== null && { data: { since } }) }
        : undefined,
  };
  return scene;
}

function podOf(spec: object): Pod {
  return { metadata: { ...stored, name: "pod-1", uid: "pod-1" }, spec } as Pod;
}

const volumes = (source: object): object => ({ containers: [], volumes: [{ name: "foo", ...source }] });
const mounted = volumes({ secret: { secretName: "token-secret-1" } });

const used = "2022-12-27";
const kept = "→ keep it";

const cases: readonly Case[] = [
  { name: "configmap does not exist", since: undefined, from: "2022-12-28", fails: "not found" },
  { name: "configmap does not have tracked-since", since: null, from: "2022-12-28", fails: "is not there" },
  {
    name: "the time period since 'tracked-since' is smaller than the clean-up period",
    since: "2022-12-29",
    lastUsed: used,
    says: "uses are tracked since 2022-12-29, which is less than 1423 days ago → keep it",
  },
  { name: "'tracked-since' cannot be parsed", since: "2022-12-27-1", fails: '"2022-12-27-1", no date' },
  { name: "secret is not of the type", type: "Opaque" },
  { name: "secret is not referenced by its service account", lastUsed: used, accountSecrets: [], says: kept },
  { name: "secret has a late creation time", lastUsed: used, created: "2022-12-30", says: kept },
  { name: "secret has a deletion time", lastUsed: used, from: "2022-12-30", isDeleted: true, says: kept },
  { name: "secret has a late last-used time", lastUsed: "2022-12-30", says: kept },
  { name: "last-used can not be parsed", lastUsed: "2022-12-27-1", says: kept },
  { name: "service account does not exist", lastUsed: used, accountSecrets: null, says: kept },
  { name: "service account uid does not match", lastUsed: used, annotations: named("default", "123456"), says: kept },
  { name: "service account name is empty", lastUsed: used, annotations: named("", "12345"), says: kept },
  {
    name: "without last-used, not marked as invalid",
    since: "2022-12-28",
    from: "2022-12-30",
    does: "invalidate",
    says: `it was not used since tracking began, and no pod uses it → label it as invalid since ${today}`,
  },
  {
    name: "without last-used, invalid-since can not be parsed",
    since: "2022-12-28",
    from: "2022-12-30",
    invalidSince: "2022-12-29-1",
    does: "invalidate",
  },
  {
    name: "without last-used, invalid for less than the period",
    since: "2022-12-28",
    invalidSince: "2023-01-01",
    says: kept,
  },
  {
    name: "without last-used, invalid for more than the period",
    since: "2022-12-28",
    from: "2023-01-01",
    invalidSince: "2022-12-29",
    does: "delete",
    says: "it was not used since tracking began, and it is invalid since 2022-12-29 → delete it",
  },
  {
    name: "secret is mounted by the pod",
    lastUsed: used,
    since: "2022-12-28",
    pod: mounted,
    says: "a pod uses it → keep it",
  },
  {
    name: "last used before the period, not marked as invalid",
    lastUsed: used,
    since: "2022-12-28",
    from: "2022-12-30",
    does: "invalidate",
    says: `it was last used on 2022-12-27, and no pod uses it → label it as invalid since ${today}`,
  },
  {
    name: "last used before the period, invalid for less than the period",
    lastUsed: used,
    invalidSince: "2023-05-01",
    since: "2022-12-28",
    from: "2022-12-30",
    says: kept,
  },
  {
    name: "last used before the period, invalid for more than the period",
    lastUsed: used,
    invalidSince: "2023-01-05",
    since: "2022-12-28",
    from: "2023-05-01",
    does: "delete",
    says: "it was last used on 2022-12-27, and it is invalid since 2023-01-05 → delete it",
  },
  // Boundaries that upstream's cases do not cover.
  { name: "used on the first day of the period", lastUsed: "2022-12-29", says: kept },
  { name: "invalid since the first day of the period", invalidSince: "2022-12-29", says: kept },
  { name: "created at the first moment of the period", created: "2022-12-29", says: kept },
  {
    name: "uses tracked since a day before the period, which counts from the next day",
    since: "2022-12-28",
    does: "invalidate",
  },
  { name: "the annotation has no uid", annotations: named("default", ""), does: "invalidate" },
  { name: "a pod uses another Secret", pod: volumes({ secret: { secretName: "other" } }), does: "invalidate" },
];

const patch = {
  kind: "Secret",
  apiVersion: "v1",
  metadata: {
    name: "token-secret-1",
    namespace: "default",
    uid: "23456",
    labels: { [invalidSinceLabel]: today },
  },
};

describe("a token", () => {
  for (const parts of cases) {
    test(parts.name, async () => {
      const scene = sceneOf(parts);
      const isFound =
        parts.does !== undefined || parts.fails !== undefined || parts.says?.includes("tracked since") === true;
      scene.scan();
      expect(scene.woken).toEqual(isFound ? [key] : []);
      const ended = scene.sync(key);
      if (parts.fails !== undefined) expect(String(await rejection(ended))).toContain(parts.fails);
      else await ended;
      const calls = scene.calls.map(({ verb, name, body, preconditions }) => ({ verb, name, body, preconditions }));
      const write =
        parts.does === "delete"
          ? { verb: "delete", preconditions: { resourceVersion: "1" } }
          : { verb: "patch", body: patch };
      const read = { verb: "get", name: "kube-apiserver-legacy-service-account-token-tracking" };
      expect(calls).toMatchObject([
        ...(isFound ? [read] : []),
        ...(parts.does === undefined ? [] : [{ ...write, name: "token-secret-1" }]),
      ]);
      expect(scene.decisions.map(({ sentence }) => sentence).join()).toContain(parts.says ?? "");
    });
  }
});

test("a token that was deleted meanwhile is not an error; nor is a changed one that is to be deleted", async () => {
  const scene = sceneOf({ name: "", invalidSince: "2022-12-29", from: "2023-01-01" });
  await scene.sync("default/other");
  expect(scene.calls).toEqual([]);
  const refuse = (code: number, reason: string): void => {
    scene.refuse = ({ verb }) => (verb === "get" ? undefined : refusal(code, reason, "no"));
  };
  for (const [code, reason] of [
    [404, "NotFound"],
    [409, "Conflict"],
  ] as const) {
    refuse(code, reason);
    await scene.sync(key);
    expect(scene.calls.map(({ verb }) => verb)).toEqual(["get", "delete"]);
  }
  refuse(403, "Forbidden");
  expect(await rejection(scene.sync(key))).toMatchObject({ code: 403 });
});

test("changes do not enqueue tokens: they are checked once a day; the period is a year", () => {
  const scene = sceneOf({ name: "" });
  const secret = secretOf({ name: "" });
  scene.notify(Secrets, { type: "added", object: secret, initial: false });
  scene.notify(Secrets, { type: "updated", before: secret, object: secret });
  expect(scene.woken).toEqual([]);
  expect(legacyServiceaccountTokenCleaner.scans?.map(({ everyMs }) => everyMs)).toEqual([86_400_000]);
  expect(legacyServiceaccountTokenCleaner.rules.map(({ chooses }) => chooses).join()).toContain("(a year)");
});

describe("a pod names a Secret", () => {
  const ref = { secretRef: { name: "a" } };
  const containers = [{ name: "main", image: "main:1" }];
  for (const [name, spec] of Object.entries({
    "to pull images": { containers, imagePullSecrets: [{ name: "a" }, {}] },
    "in the environment": {
      containers: [{ name: "main", env: [{ name: "X", valueFrom: { secretKeyRef: { name: "a", key: "x" } } }] }],
    },
    "as an init container's environment": { containers, initContainers: [{ name: "init", envFrom: [ref] }] },
    "as an ephemeral container's environment": { containers, ephemeralContainers: [{ name: "debug", envFrom: [ref] }] },
    "for Azure files": volumes({ azureFile: { secretName: "a", shareName: "s" } }),
    "for CephFS": volumes({ cephfs: { monitors: [], ...ref } }),
    "for Cinder": volumes({ cinder: { volumeID: "v", ...ref } }),
    "for a flex volume": volumes({ flexVolume: { driver: "d", ...ref } }),
    "in a projected volume": volumes({ projected: { sources: [{ secret: { name: "a" } }, { downwardAPI: {} }] } }),
    "for RBD": volumes({ rbd: { monitors: [], image: "i", ...ref } }),
    "as a volume": volumes({ secret: { secretName: "a" } }),
    "for ScaleIO": volumes({ scaleIO: { gateway: "g", system: "s", ...ref } }),
    "for iSCSI": volumes({ iscsi: { targetPortal: "t", iqn: "i", lun: 0, ...ref } }),
    "for StorageOS": volumes({ storageos: ref }),
    "for CSI": volumes({ csi: { driver: "d", nodePublishSecretRef: { name: "a" } } }),
  })) {
    test(name, () => {
      expect([...secretNamesOf(podOf(spec))]).toEqual(["a"]);
    });
  }

  test("or none", () => {
    expect([...secretNamesOf(podOf({ containers, volumes: [{ name: "x", emptyDir: {} }] }))]).toEqual([]);
  });
});
