/** Written scripts. */
import { ResourceClaims } from "../../../../src/api/kinds.ts";
import type { Script, Step } from "../../suite.ts";
import { going, noExecute, tolerating } from "../taint-eviction/acts.ts";
import { act, bindPod, endPod } from "../resourceclaim/acts.ts";
import {
  allocate,
  type ClaimParts,
  type Devices,
  makeClaim,
  makeSlice,
  makeUser,
  removeSlice,
  reserve,
  setDevices,
  type SliceParts,
} from "./acts.ts";

const bad = noExecute("bad");
const slice = (name: string, devices: Devices, parts: SliceParts = {}): Step =>
  act(`create slice ${name} with ${JSON.stringify({ devices, ...parts })}`, (stage) =>
    makeSlice(stage, name, devices, parts),
  );
const devices = (name: string, all: Devices, generation?: number): Step =>
  act(`set the devices of ${name} to ${JSON.stringify(all)}`, (stage) => setDevices(stage, name, all, generation));
const noMore = (name: string): Step => act(`delete slice ${name}`, (stage) => removeSlice(stage, name));
const user = (name: string, claims: readonly string[], parts: ClaimParts = {}): Step =>
  act(`create pod ${name} with the claims ${claims.join(", ")}`, async (stage) => {
    await makeUser(stage, name, { claims });
    for (const claim of claims) await makeClaim(stage, claim, { ...parts, pods: [name] });
  });

const taints: readonly Script[] = [
  {
    name: "a device is tainted: its pods are evicted, others are not",
    steps: [
      slice("s", { "gpu-0": [], "gpu-1": [], "gpu-2": [{ key: "bad", effect: "NoSchedule" }] }),
      user("web", ["a"]),
      user("two", ["b", "c"], { devices: ["gpu-1", "gpu-2"] }),
      user("shared", ["d"], { devices: ["gpu-0", "gpu-1"] }),
      act("create another user of claim d", async (stage) => {
        await makeUser(stage, "second", { claims: ["d"] });
        await makeUser(stage, "not-reserved", { claims: ["d"] });
        await reserve(stage, "d", ["shared", "second"]);
      }),
      devices("s", { "gpu-0": [], "gpu-1": [], "gpu-2": [bad] }),
      devices("s", { "gpu-0": [bad], "gpu-1": [], "gpu-2": [bad] }),
      devices("s", { "gpu-0": [], "gpu-1": [], "gpu-2": [] }),
    ],
  },
  {
    name: "a taint changes while its pod is terminating, and is removed",
    steps: [
      slice("s", { "gpu-0": [bad], "gpu-1": [] }),
      user("web", ["a"]),
      devices("s", { "gpu-0": [bad], "gpu-1": [bad] }),
      devices("s", { "gpu-0": [noExecute("bad", "very"), noExecute("worse")], "gpu-1": [bad] }),
      devices("s", { "gpu-0": [], "gpu-1": [] }),
      devices("s", { "gpu-0": [bad] }),
      act("label the claim", (stage) => stage.patch(ResourceClaims, "a", { metadata: { labels: { x: "y" } } })),
      noMore("s"),
    ],
  },
  {
    name: "a device is in slices of several generations",
    steps: [
      slice("old", { "gpu-0": [], "gpu-1": [bad] }),
      slice("elsewhere", { "gpu-0": [bad] }, { pool: "two" }),
      user("web", ["a"]),
      slice("new", { "gpu-0": [bad] }, { generation: 2 }),
      user("late", ["b"], { devices: ["gpu-1"] }),
      noMore("new"),
    ],
  },
];

const tolerations: readonly Script[] = [
  {
    name: "claims tolerate taints forever, for a time, or not at all",
    steps: [
      slice("s", { "gpu-0": [] }),
      user("any", ["any"], { tolerations: [{ operator: "Exists", effect: "NoExecute" }] }),
      user("key", ["key"], { tolerations: [tolerating("bad")] }),
      user("value", ["value"], { tolerations: [{ key: "bad", operator: "Equal", value: "x", effect: "NoExecute" }] }),
      user("other-value", ["other"], {
        tolerations: [{ key: "bad", operator: "Equal", value: "y", effect: "NoExecute" }],
      }),
      user("no-effect", ["no-effect"], { tolerations: [{ key: "bad", operator: "Exists" }] }),
      user("no-schedule", ["no-schedule"], { tolerations: [{ key: "bad", operator: "Exists", effect: "NoSchedule" }] }),
      user("long", ["long"], { tolerations: [tolerating("bad", 300)] }),
      user("short", ["short"], { tolerations: [tolerating("bad", 300), tolerating("bad", 3)] }),
      user("mixed", ["mixed"], { tolerations: [tolerating("bad", 0), tolerating("bad")] }),
      user("negative", ["negative"], { tolerations: [tolerating("bad", -1)] }),
      { ...devices("s", { "gpu-0": [noExecute("bad", "x")] }), until: going("short") },
      devices("s", { "gpu-0": [noExecute("bad", "x"), { key: "bad", effect: "NoSchedule" }] }),
      devices("s", { "gpu-0": [] }),
    ],
  },
  {
    name: "a taint was added before it was observed",
    steps: [
      slice("s", { "gpu-0": [{ ...bad, timeAdded: "2026-01-01T00:00:00Z" }] }),
      user("patient", ["patient"], { tolerations: [tolerating("bad", 3600)] }),
      user("eager", ["eager"], { tolerations: [tolerating("bad", 1_000_000_000)] }),
      devices("s", { "gpu-0": [{ ...bad, timeAdded: "2026-02-01T00:00:00Z" }] }),
      devices("s", { "gpu-0": [] }),
    ],
  },
];

const users: readonly Script[] = [
  {
    name: "a pod gets a tainted device in several ways",
    steps: [
      slice("s", { "gpu-0": [bad] }),
      act("create a pod without a node", (stage) => makeUser(stage, "web", { claims: ["a"], bound: false })),
      act("create its claim", (stage) => makeClaim(stage, "a", { pods: ["web"] })),
      act("bind it to a node", (stage) => bindPod(stage, "web")),
      act("create pods whose claims have no devices", async (stage) => {
        await makeUser(stage, "late", { claims: ["b"] });
        await makeUser(stage, "later", { claims: ["c"] });
        await stage.create(ResourceClaims, {
          metadata: { name: "b" },
          spec: { devices: { requests: [{ name: "one", exactly: { deviceClassName: "gpu.example.com" } }] } },
        });
        await makeClaim(stage, "c");
      }),
      act("allocate a device to claim b", (stage) => allocate(stage, "b", { pods: ["late"] })),
      act("reserve claim c", (stage) => reserve(stage, "c", ["later"])),
    ],
  },
  {
    name: "a waiting eviction is cancelled",
    steps: [
      slice("s", { "gpu-0": [bad], "gpu-1": [bad] }),
      user("released", ["a"], { tolerations: [tolerating("bad", 600)] }),
      user("without", ["b"], { tolerations: [tolerating("bad", 600)] }),
      user("gone", ["c"], { tolerations: [tolerating("bad", 600)] }),
      user("two", ["d", "e"], { tolerations: [tolerating("bad", 600)], devices: ["gpu-1"] }),
      act("release claim a", (stage) => reserve(stage, "a", [])),
      act("delete claim b", (stage) => stage.remove(ResourceClaims, "b")),
      act("remove pod gone", async (stage) => {
        await stage.patch("pods", "gone", { metadata: { finalizers: [] } });
        await endPod(stage, "gone");
      }),
      act("delete claim d", (stage) => stage.remove(ResourceClaims, "d")),
      devices("s", { "gpu-0": [bad] }),
    ],
  },
];

export const scripts: readonly Script[] = [...taints, ...tolerations, ...users];
