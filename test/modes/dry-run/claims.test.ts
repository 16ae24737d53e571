/** Claims in a dry run: those that certainly get no volume keep their pods waiting; the others are assumed to be bound, with the reason. */
import { describe, expect, test } from "bun:test";
import type { StoredObject } from "../../../src/api/object.ts";
import type { Pod } from "../../../src/api/types.ts";
import { emptyCluster } from "../../../src/modes/dry-run/initial-state.ts";
import type { InitialState } from "../../../src/modes/dry-run/dry-run.ts";
import type { DryRun } from "../../../src/modes/dry-run/result.ts";
import type { ToApply } from "../../../src/modes/dry-run/apply.ts";
import { ephemeralVolume } from "../../../src/controllers/ephemeral-volume/ephemeral-volume.ts";
import { replicaset } from "../../../src/controllers/replicaset/replicaset.ts";
import { apply, play, webReplicaSet } from "./scene.ts";

const object = (apiVersion: string, kind: string, name: string, more: object): StoredObject =>
  ({ apiVersion, kind, metadata: { name, uid: `${kind}-${name}`, resourceVersion: "1" }, ...more }) as StoredObject;

const storageClass = (name: string, provisioner = "disk.example.com"): StoredObject =>
  object("storage.k8s.io/v1", "StorageClass", name, { provisioner });

const volume = (spec: object, status: object = { phase: "Available" }): StoredObject =>
  object("v1", "PersistentVolume", "disk", {
    spec: { capacity: { storage: "10Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/d" }, ...spec },
    status,
  });

const claim = (spec: object): ToApply => {
  const resources = { requests: { storage: "5Gi" } };
  const whole = { accessModes: ["ReadWriteOnce"], resources, ...spec };
  return { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name: "data" }, spec: whole } as ToApply;
};

function withData(): ToApply {
  const web = webReplicaSet(1) as unknown as { spec: { template: { spec: object } } };
  const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
  const template = { ...web.spec.template, spec: { ...web.spec.template.spec, volumes } };
  return { ...web, spec: { ...web.spec, template } } as unknown as ToApply;
}

/** A cluster in which everything relevant here has been read. */
function cluster(...objects: readonly StoredObject[]): InitialState {
  const empty = emptyCluster(["default"]);
  return { ...empty, objects: [...empty.objects, ...objects], scope: { ...empty.scope, unread: new Map() } };
}

function summaryOf({ claims, availability }: DryRun): object {
  const [binding] = claims.map((each) => each.binding);
  const [first] = availability;
  return { ...binding, available: first?.available, ...(first?.why !== undefined && { pods: first.why }) };
}

const rows: readonly {
  readonly name: string;
  readonly there: readonly StoredObject[];
  readonly spec: object;
  readonly waits?: string;
  readonly because?: string;
}[] = [
  {
    name: "a class that the cluster has",
    there: [storageClass("fast")],
    spec: { storageClassName: "fast" },
    because: "StorageClass fast provisions its volume",
  },
  {
    name: "a class that the cluster lacks",
    there: [storageClass("slow")],
    spec: { storageClassName: "fast" },
    waits: "there is no StorageClass fast, and no PersistentVolume matches",
  },
  {
    name: "a class that the cluster lacks, and a volume of that name",
    there: [volume({ storageClassName: "fast" })],
    spec: { storageClassName: "fast" },
    because: "PersistentVolume disk matches",
  },
  {
    name: "no class, without a default",
    there: [storageClass("fast")],
    spec: {},
    waits: "it gets no StorageClass, and no PersistentVolume matches",
  },
  {
    name: "no class, with a default",
    there: [
      object("storage.k8s.io/v1", "StorageClass", "fast", {
        metadata: {
          ...storageClass("fast").metadata,
          annotations: { "storageclass.kubernetes.io/is-default-class": "true" },
        },
        provisioner: "disk.example.com",
      }),
    ],
    spec: {},
    because: "StorageClass fast provisions its volume",
  },
  {
    name: "the empty class",
    there: [storageClass("fast"), volume({})],
    spec: { storageClassName: "" },
    because: "PersistentVolume disk matches",
  },
  {
    name: "a volume that is too small",
    there: [volume({ capacity: { storage: "1Gi" } })],
    spec: { storageClassName: "" },
    waits: "it requests no StorageClass, and no PersistentVolume matches",
  },
  {
    name: "a volume with another access mode",
    there: [volume({ accessModes: ["ReadOnlyMany"] })],
    spec: { storageClassName: "" },
    waits: "it requests no StorageClass, and no PersistentVolume matches",
  },
  {
    name: "a volume of another claim",
    there: [volume({ claimRef: { namespace: "default", name: "other", uid: "u" } }, { phase: "Bound" })],
    spec: { storageClassName: "" },
    waits: "it requests no StorageClass, and no PersistentVolume matches",
  },
  {
    name: "a volume that is reserved for it",
    there: [volume({ claimRef: { namespace: "default", name: "data" } })],
    spec: { storageClassName: "" },
    because: "PersistentVolume disk matches",
  },
  {
    name: "a selector without a matching volume",
    there: [volume({})],
    spec: { storageClassName: "", selector: { matchLabels: { tier: "gold" } } },
    waits: "it requests no StorageClass, and no PersistentVolume matches",
  },
  {
    name: "a volume name that does not exist",
    there: [],
    spec: { volumeName: "disk" },
    waits: "there is no PersistentVolume disk",
  },
  {
    name: "a class without a provisioner",
    there: [storageClass("local", "kubernetes.io/no-provisioner")],
    spec: { storageClassName: "local" },
    waits: "no PersistentVolume matches, and StorageClass local provisions none",
  },
];

describe("a claim with", () => {
  for (const { name, there, spec, waits, because } of rows) {
    test(`${name} ${waits === undefined ? "is assumed to be bound" : "keeps its pods waiting"}`, async () => {
      const run = await play({
        initialState: cluster(...there),
        requestedChanges: [apply(claim(spec)), apply(withData())],
      });
      const field = "(.spec.volumes[0].persistentVolumeClaim.claimName)";
      expect(
        summaryOf({ ...run, availability: run.availability.filter(({ of }) => of.kind === "ReplicaSet") }),
      ).toEqual(
        waits === undefined
          ? { is: "assumed to be bound", because, available: 1 }
          : {
              is: "waits",
              why: waits,
              available: 0,
              pods: `Pod web-…: claim default/data stays Pending: ${waits} ${field}`,
            },
      );
      const pods = [...run.state.values()].filter(({ of }) => of.kind === "Pod").map(({ object: pod }) => pod as Pod);
      expect(pods.map(({ spec: of }) => (of?.nodeName ?? "") !== "")).toEqual([waits === undefined]);
    });
  }

  test("a class is assumed to be bound without a cluster", async () => {
    const wishes = [apply(claim({ storageClassName: "fast" })), apply(withData())];
    const run = await play({ initialState: emptyCluster(["default"]), requestedChanges: wishes });
    const because = "StorageClass fast was not checked: no cluster was consulted";
    expect(summaryOf(run)).toEqual({ is: "assumed to be bound", because, available: 1 });
  });

  test("a bound volume causes no finding", async () => {
    const bound = object("v1", "PersistentVolumeClaim", "data", {
      metadata: { name: "data", namespace: "default", uid: "c", resourceVersion: "1" },
      spec: { ...(claim({ storageClassName: "gone" }) as unknown as { spec: object }).spec, volumeName: "gone" },
      status: { phase: "Bound" },
    });
    const run = await play({ initialState: cluster(bound), requestedChanges: [apply(withData())] });
    expect([run.claims, run.availability[0]?.available]).toEqual([[], 1]);
  });
});

/** A ReplicaSet whose pods have an ephemeral volume. */
function withScratch(spec: object): ToApply {
  const web = webReplicaSet(2) as unknown as { spec: { template: { spec: object } } };
  const ephemeral = { volumeClaimTemplate: { spec: (claim(spec) as unknown as { spec: object }).spec } };
  const template = {
    ...web.spec.template,
    spec: { ...web.spec.template.spec, volumes: [{ name: "scratch", ephemeral }] },
  };
  return { ...web, spec: { ...web.spec, template } } as unknown as ToApply;
}

describe.each([
  { of: "requested", controllers: [replicaset, ephemeralVolume] },
  { of: "not requested", controllers: [replicaset] },
])("an ephemeral volume, whose controller is $of", ({ controllers }) => {
  const played = (...there: readonly StoredObject[]): Promise<DryRun> =>
    play({
      initialState: cluster(...there),
      controllers,
      requestedChanges: [apply(withScratch({ storageClassName: "fast" }))],
    });

  test("keeps its pods waiting if its claims get no volume", async () => {
    const run = await played();
    const why = "there is no StorageClass fast, and no PersistentVolume matches";
    const open = { key: "default/web-…-scratch", binding: { is: "waits" as const, why } };
    expect(run.claims.map(({ key, binding }) => ({ key: key.replace(/web-[a-z0-9]{5}/, "web-…"), binding }))).toEqual([
      open,
      open,
    ]);
    expect(run.availability[0]?.available).toBe(0);
    expect(run.availability[0]?.why).toMatch(
      /Pod web-….*: claim default\/web-\S+-scratch stays Pending: .* \(\.spec\.volumes\[0\]\.ephemeral\)/,
    );
  });

  test("holds up nothing if its claims are provisioned", async () => {
    const run = await played(storageClass("fast"));
    const because = "StorageClass fast provisions its volume";
    expect(run.claims.map(({ binding }) => binding)).toEqual([
      { is: "assumed to be bound", because },
      { is: "assumed to be bound", because },
    ]);
    expect(run.availability[0]?.available).toBe(2);
  });
});
