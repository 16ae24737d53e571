import { describe, expect, test } from "bun:test";
import type { ObjectMeta } from "../../../src/api/object.ts";
import type { Pod } from "../../../src/api/types.ts";
import { claimNames, newClaims, storageMatches, withClaims } from "../../../src/controllers/statefulset/claims.ts";
import { identityMatches, isMemberOf, nameParts, withIdentity } from "../../../src/controllers/statefulset/identity.ts";
import { newPod } from "../../../src/controllers/statefulset/new-pod.ts";
import { statefulSetOf } from "../../support/workloads.ts";
import { claimingSet, ownedBySet, podAt, volumeFor } from "./objects.ts";

const named = (name: string): { metadata: { name: string } } => ({ metadata: { name } });

describe("the name of a pod", () => {
  test("has its set and its ordinal", () => {
    expect(nameParts(named("db-3"))).toEqual({ parent: "db", ordinal: 3 });
    expect(nameParts(named("db-1-12"))).toEqual({ parent: "db-1", ordinal: 12 });
    expect(nameParts(named("db-007"))).toEqual({ parent: "db", ordinal: 7 });
  });

  test("without an ordinal has neither, with one of more than 31 bits only the set", () => {
    for (const name of ["db", "db-", "db-x", "db-1x"])
      expect(nameParts(named(name))).toEqual({ parent: "", ordinal: -1 });
    expect(nameParts(named("db-2147483648"))).toEqual({ parent: "db", ordinal: -1 });
  });

  test("makes it a member only of the set of that name", () => {
    const set = statefulSetOf({ name: "db" });
    expect(
      ["db-0", "db-2147483648", "db-1-0", "other-0", "db"].map((name) => isMemberOf(set, podAt(set, name))),
    ).toEqual([true, true, false, false, false]);
  });
});

describe("the identity of a pod", () => {
  const set = statefulSetOf();
  const pod = podAt(set, 1);
  const withMeta = (metadata: object): Pod => ({ ...pod, metadata: { ...pod.metadata, ...metadata } });

  test("is name, namespace and the label of its name", () => {
    expect(identityMatches(set, pod)).toBe(true);
    const others = [
      { name: "db-x" },
      { name: "db-01", labels: { "statefulset.kubernetes.io/pod-name": "db-01" } },
      { name: "other-1", labels: { "statefulset.kubernetes.io/pod-name": "other-1" } },
      { namespace: "else" },
      { labels: {} },
      { labels: { "statefulset.kubernetes.io/pod-name": "db-2" } },
    ];
    for (const other of others)
      expect({ other, is: identityMatches(set, withMeta(other)) }).toEqual({ other, is: false });
  });

  test("is restored with its labels, and with the ordinal as another one", () => {
    const metadata: ObjectMeta = { name: "db-01", labels: { app: "db", mine: "kept" } };
    expect(withIdentity(metadata, { set, ordinal: 1 })).toEqual({
      name: "db-1",
      namespace: "shop",
      labels: {
        app: "db",
        mine: "kept",
        "statefulset.kubernetes.io/pod-name": "db-1",
        "apps.kubernetes.io/pod-index": "1",
      },
    });
  });
});

describe("a new pod", () => {
  test("has the template, a name, a hostname, the labels of its ordinal, and volumes for its claims before its own", () => {
    const set = claimingSet({
      spec: {
        serviceName: "peers",
        template: {
          metadata: { labels: { app: "db" }, annotations: { note: "x" } },
          spec: {
            containers: [],
            volumes: [
              { name: "tmp", emptyDir: {} },
              { name: "data", emptyDir: {} },
            ],
            hostname: "mine",
          },
        },
      },
    });
    expect(newPod(set, { ordinal: 2, revision: "db-6d5f" })).toEqual({
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        generateName: "db-",
        name: "db-2",
        namespace: "shop",
        labels: {
          app: "db",
          "statefulset.kubernetes.io/pod-name": "db-2",
          "apps.kubernetes.io/pod-index": "2",
          "controller-revision-hash": "db-6d5f",
        },
        annotations: { note: "x" },
        ownerReferences: [ownedBySet(set)],
      },
      spec: {
        containers: [],
        hostname: "db-2",
        subdomain: "peers",
        volumes: [
          { name: "data", persistentVolumeClaim: { claimName: "data-db-2" } },
          { name: "tmp", emptyDir: {} },
        ],
      },
      status: {},
    });
  });

  test("of a set without a Service has no subdomain", () => {
    const set = statefulSetOf({ spec: { serviceName: "" } });
    expect(newPod(set, { ordinal: 0, revision: "db-1" }).spec).toEqual({
      containers: [{ name: "db", image: "db:1" }],
      hostname: "db-0",
    });
  });
});

describe("the claims of a pod", () => {
  const set = claimingSet({
    spec: {
      selector: { matchLabels: { app: "db", tier: "set" } },
      volumeClaimTemplates: [
        {
          metadata: { name: "data", labels: { tier: "claim", kept: "yes" }, annotations: { note: "x" } },
          spec: { volumeMode: "Block" },
        },
        { metadata: { name: "log" }, spec: {}, status: { phase: "Pending" } },
      ],
    },
  });

  test("are named after their templates, the set and the ordinal", () => {
    expect(claimNames(set, 12).map(({ name }) => name)).toEqual(["data-db-12", "log-db-12"]);
  });

  test("are copies of their templates, with the labels of the selector added", () => {
    const common = { apiVersion: "v1", kind: "PersistentVolumeClaim" };
    expect(newClaims(set, 1).map(({ claim }): unknown => claim)).toEqual([
      {
        ...common,
        metadata: {
          name: "data-db-1",
          namespace: "shop",
          labels: { tier: "set", kept: "yes", app: "db" },
          annotations: { note: "x" },
        },
        spec: { volumeMode: "Block" },
      },
      {
        ...common,
        metadata: { name: "log-db-1", namespace: "shop", labels: { app: "db", tier: "set" } },
        spec: {},
        status: { phase: "Pending" },
      },
    ]);
  });

  test("have no labels if neither the template nor the selector has any", () => {
    const plain = claimingSet({ spec: { selector: { matchExpressions: [{ key: "app", operator: "Exists" }] } } });
    expect(newClaims(plain, 0)[0]?.claim.metadata).toEqual({ name: "data-db-0", namespace: "shop" });
  });
});

describe("the volumes of a pod", () => {
  const set = claimingSet();

  test("match if there is one for each claim", () => {
    expect(storageMatches(set, podAt(set, 1, { spec: volumeFor("db-1") }))).toBe(true);
    expect(storageMatches(set, podAt(set, 1, { spec: volumeFor("db-2") }))).toBe(false);
    expect(storageMatches(set, podAt(set, 1))).toBe(false);
    expect(storageMatches(set, podAt(set, 1, { spec: { volumes: [{ name: "data", emptyDir: {} }] } }))).toBe(false);
    expect(storageMatches(set, podAt(set, "db-x", { spec: volumeFor("db-x") }))).toBe(false);
    expect(storageMatches(statefulSetOf(), podAt(set, 1))).toBe(true);
  });

  test("of which two have the same name are judged by the later one", () => {
    const { volumes } = volumeFor("db-1") as { volumes: object[] };
    expect(
      storageMatches(set, podAt(set, 1, { spec: { volumes: [...volumes, { name: "data", emptyDir: {} }] } })),
    ).toBe(false);
  });

  test("are replaced if they have a claim's name", () => {
    const volumes = [
      { name: "data", emptyDir: {} },
      { name: "tmp", emptyDir: {} },
    ];
    expect(withClaims(volumes, claimNames(set, 1))).toEqual([
      { name: "data", persistentVolumeClaim: { claimName: "data-db-1" } },
      { name: "tmp", emptyDir: {} },
    ]);
    expect(withClaims(undefined, claimNames(statefulSetOf(), 1))).toEqual([]);
  });
});
