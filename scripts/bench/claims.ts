/** Claims bound to volumes that exist already. */
import { post } from "./api-server.ts";
import { inLanes } from "./lanes.ts";
import type { Scene, Stage } from "./scenes.ts";
import { watchStates } from "./state-watch.ts";

const claims = 1000;
const lanes = 16;

/** From the first claim to the last one that is bound; the volumes are there before. */
export const claimsBound: Scene = {
  name: `${claims} claims bound`,
  controllers: ["persistentvolume-binder"],
  async warm(stage) {
    await makeVolumes(stage, claims + 1);
    await bind(stage, { first: claims, count: 1 });
  },
  play: (stage) => bind(stage, { first: 0, count: claims }),
  leaves: (namespace) => [claimsIn(namespace), volumes],
};

const volumes = "/api/v1/persistentvolumes";
const claimsIn = (namespace: string): string => `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;

/** A class of the round's own without a StorageClass: nothing else matches, and nothing provisions. */
const common = (namespace: string): object => ({
  storageClassName: namespace,
  accessModes: ["ReadWriteOnce"],
});

async function makeVolumes({ cluster, namespace }: Stage, count: number): Promise<void> {
  await inLanes({ count, lanes }, (n) =>
    post(cluster, volumes, {
      metadata: { name: `${namespace}-${n}` },
      spec: { ...common(namespace), capacity: { storage: "1Gi" }, hostPath: { path: "/tmp" } },
    }),
  );
}

/** Creates claims and resolves when all are bound, with the time that it took, in ms. */
async function bind(
  { cluster, namespace }: Stage,
  { first, count }: { readonly first: number; readonly count: number },
): Promise<number> {
  const path = claimsIn(namespace);
  const bound = await watchStates(cluster, { path, isReached: ({ status }) => status?.phase === "Bound" });
  // The claim that warmed up is bound already.
  const before = first === 0 ? 1 : 0;
  try {
    const from = performance.timeOrigin + performance.now();
    const made = inLanes({ count, lanes }, (n) =>
      post(cluster, path, {
        metadata: { name: `claim-${first + n}` },
        spec: { ...common(namespace), resources: { requests: { storage: "1Gi" } } },
      }),
    );
    const [at] = await Promise.all([bound.reached(before + count), made]);
    return at - from;
  } finally {
    bound.stop();
  }
}
