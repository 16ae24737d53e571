/** Claims: their creation and owners, and the outcome for pods whose claims are missing or being deleted. */
import type { Script, Step } from "../../play.ts";
import type { Stage } from "../../stage.ts";
import {
  allEnd,
  allReady,
  claimsOn,
  claimTemplate,
  create,
  ends,
  patch,
  ready,
  removeClaim,
  replicas,
  retentionOf,
  spec,
  toPod,
} from "./acts.ts";

const policies = ["Retain", "Delete"] as const;

const allHaveClaims = async (stage: Stage): Promise<boolean> => (await claimsOn(stage)).length === 2;

/** A sequence of scalings and deletions under each policy. */
function retained(whenDeleted: string, whenScaled: string, parallel: boolean): Script {
  const unordered = { order: false };
  return {
    name: `claims with whenDeleted ${whenDeleted} and whenScaled ${whenScaled}, ${parallel ? "Parallel" : "OrderedReady"}`,
    steps: [
      create({ replicas: 2, claims: ["data"], retention: [whenDeleted, whenScaled], parallel }),
      ...(parallel ? [allReady] : [ready("db-0"), ready("db-1")]),
      replicas(1, unordered),
      allEnd,
      replicas(2, unordered),
      allReady,
      replicas(0, unordered),
      allEnd,
    ],
  };
}

const changePolicy = (to: readonly [string, string]): Step =>
  spec(`set whenDeleted ${to[0]}, whenScaled ${to[1]}`, retentionOf(to), { order: false });

export const claims: readonly Script[] = [
  ...policies.flatMap((whenDeleted) =>
    policies.flatMap((whenScaled) => [false, true].map((parallel) => retained(whenDeleted, whenScaled, parallel))),
  ),
  {
    name: "the retention policy changes",
    steps: [
      create({ replicas: 2, claims: ["data"] }),
      ready("db-0"),
      ready("db-1"),
      changePolicy(["Delete", "Retain"]),
      changePolicy(["Delete", "Delete"]),
      changePolicy(["Retain", "Delete"]),
      replicas(1, { order: false }),
      changePolicy(["Delete", "Delete"]),
      changePolicy(["Retain", "Retain"]),
      ends("db-1"),
    ],
  },
  {
    name: "claims have the fields of their templates and the labels of the selector",
    steps: [
      create({
        replicas: 1,
        labels: { app: "db", tier: "set" },
        spec: {
          volumeClaimTemplates: [
            {
              metadata: { name: "data", labels: { tier: "claim", kept: "yes" }, annotations: { note: "x" } },
              spec: {
                accessModes: ["ReadWriteOnce"],
                volumeMode: "Block",
                storageClassName: "fast",
                resources: { requests: { storage: "1024Mi" } },
              },
            },
          ],
        },
        podSpec: {
          volumes: [
            { name: "data", emptyDir: {} },
            { name: "tmp", emptyDir: {} },
          ],
        },
      }),
    ],
  },
  {
    name: "existing claims are used",
    steps: [
      {
        name: "create claims, then the set",
        async act(stage) {
          for (const n of [0, 1]) await stage.create("persistentvolumeclaims", { ...claimTemplate(`data-db-${n}`) });
          await create({ replicas: 2, claims: ["data"], retention: ["Delete", "Retain"] }).act(stage);
        },
      },
      ready("db-0"),
      ready("db-1"),
    ],
  },
  {
    name: "pods are not created if their claims are rejected",
    steps: [
      {
        name: "create a quota of one claim",
        act: (stage) => stage.create("resourcequotas", quota("persistentvolumeclaims", 1)),
      },
      create({ replicas: 2, claims: ["data"] }),
      ready("db-0"),
      { name: "delete the quota", act: (stage) => stage.remove("resourcequotas", "limit"), until: allHaveClaims },
    ],
  },
  {
    name: "claims are created even if the pods are rejected",
    steps: [
      { name: "create a quota of one pod", act: (stage) => stage.create("resourcequotas", quota("pods", 1)) },
      create({ replicas: 3, claims: ["data"], retention: ["Delete", "Delete"], parallel: true }),
    ],
  },
  {
    name: "a missing claim of a pending pod is created again",
    steps: [
      create({ replicas: 1, claims: ["data"] }),
      removeClaim("data-db-0"),
      toPod("annotate db-0", "db-0", (stage, { metadata }) =>
        stage.patch("pods", metadata.name, { metadata: { annotations: { touched: "1" } } }),
      ),
    ],
  },
  {
    name: "a pod is not created while its claim is terminating",
    steps: [
      create({ replicas: 1, claims: ["data"] }),
      ready("db-0"),
      replicas(0, { order: false }),
      ends("db-0"),
      {
        name: "delete its claim, which has a finalizer",
        act: (stage) => stage.remove("persistentvolumeclaims", "data-db-0"),
      },
      replicas(1, { order: false }),
    ],
  },
  {
    // Nothing wakes the set when the claim is gone: neither side watches claims for that.
    name: "a pod is not created while its claim belongs to an earlier pod, nor once that claim is gone, but at the next event",
    steps: [
      create({ replicas: 2, claims: ["data"], retention: ["Retain", "Delete"], parallel: true }),
      allReady,
      replicas(1, { order: false }),
      ends("db-1"),
      replicas(2, { order: false }),
      { ...removeClaim("data-db-1"), waitMs: 3000 },
      patch("annotate the set", { metadata: { annotations: { touched: "1" } } }, { order: false }),
    ],
  },
  {
    name: "a claim with another controller is not changed",
    steps: [
      create({ replicas: 1, claims: ["data"] }),
      {
        name: "set another controller",
        async act(stage) {
          const uid = "7f2b1c9e-0000-4000-8000-000000000001";
          const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "other", uid, controller: true }];
          await stage.patch("persistentvolumeclaims", "data-db-0", { metadata: { ownerReferences } });
        },
      },
      changePolicy(["Delete", "Retain"]),
      ready("db-0"),
    ],
  },
  {
    name: "a pod lacks the volume of its claim, because the set was recreated with claims",
    steps: [
      create({ replicas: 1 }),
      ready("db-0"),
      {
        name: "delete the set and orphan its pod",
        async act(stage) {
          await stage.remove("statefulsets", "db", { propagationPolicy: "Background" });
          await stage.patch("pods", "db-0", { metadata: { ownerReferences: null } });
        },
      },
      // The volumes of a pod are immutable, so the update is rejected repeatedly.
      create({ replicas: 1, claims: ["data"] }),
    ],
  },
];

function quota(resource: string, most: number): object {
  return { metadata: { name: "limit" }, spec: { hard: { [resource]: String(most) } } };
}
