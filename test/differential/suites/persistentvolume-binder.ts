/** Claims and volumes, with their protection. Scripts act as provisioners and schedulers; pods are not bound to nodes. */
import { PersistentVolumeClaims, PersistentVolumes } from "../../../src/api/kinds.ts";
import { definePersistentVolumeBinder } from "../../../src/controllers/persistentvolume-binder/persistentvolume-binder.ts";
import { persistentVolumeProtection } from "../../../src/controllers/persistentvolume-protection/persistentvolume-protection.ts";
import { persistentVolumeClaimProtection } from "../../../src/controllers/persistentvolumeclaim-protection/persistentvolumeclaim-protection.ts";
import { type Allowed, ownFieldManager } from "../differences.ts";
import { randomScript } from "../scripts/persistentvolume-binder/grammar.ts";
import { scripts } from "../scripts/persistentvolume-binder/index.ts";
import type { Suite } from "../suite.ts";

/** Time between two resyncs of pending claims and volumes. */
const periodMs = 2000;

const countedUp: Allowed = {
  id: "the count of an Event",
  category: "noise",
  upstream: "pkg/controller/volume/persistentvolume/pv_controller_base.go:resync",
  why: "waiting claims are checked every two seconds, and record it each time",
  matches: ({ what }) => what === "patch Event 200",
};

const twice: Allowed = {
  id: "a write is repeated",
  category: "noise",
  upstream: "pkg/controller/volume/persistentvolume/pv_controller_base.go:storeObjectUpdate",
  why: "upstream syncs claims and volumes in two workers, which may write the same concurrently, and both sides may be behind the protection controllers: the server rejects the second write",
  matches: ({ what }) => /^update persistentvolume\S* (404|409)$/.test(what),
};

const statusAside: Allowed = {
  id: "the status in the body of an update of a volume",
  category: "noise",
  upstream: "pkg/controller/volume/persistentvolume/pv_controller.go:updateBindVolumeToClaim",
  why: "whole objects are sent, and the server ignores their status; whether the phase was written before is random if upstream's two workers process a volume concurrently",
  matches: ({ what, path }) => what === "update persistentvolumes 200" && path.startsWith(".body.status"),
};

const podsInAnyOrder: Allowed = {
  id: "the pods that a claim waits for, in different order",
  category: "noise",
  upstream: "pkg/controller/volume/persistentvolume/pv_controller.go:findPodsByPVCKey",
  why: "upstream lists them in the order of a Go set, ours by name",
  matches: ({ what, theirs, ours }) =>
    what === "create Event 201" &&
    [theirs, ours].every((one) => one === undefined || JSON.stringify(one).includes("waiting for pods ")),
};

export const volumeBinding: Suite = {
  name: "persistentvolume-binder",
  oracle:
    "persistentvolume-binder-controller,persistentvolume-protection-controller,persistentvolumeclaim-protection-controller",
  oracleFlags: [`--pvclaimbinder-sync-period=${periodMs / 1000}s`],
  ours: [definePersistentVolumeBinder({ periodMs }), persistentVolumeClaimProtection, persistentVolumeProtection],
  kinds: [{ kind: PersistentVolumeClaims }, { kind: PersistentVolumes }],
  // Longer than two periods, so that what one resync leaves to the next one is done.
  quietMs: 2 * periodMs + 600,
  scripts,
  random: randomScript,
  seeds: { short: 4, long: 100 },
  width: 16,
  differences: [ownFieldManager, countedUp, twice, statusAside, podsInAnyOrder],
};
