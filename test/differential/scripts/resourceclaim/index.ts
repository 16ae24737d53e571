/** Written scripts. */
import { ResourceClaims, ResourceClaimTemplates } from "../../../../src/api/kinds.ts";
import type { Stage } from "../../stage.ts";
import type { Script, Step } from "../../suite.ts";
import {
  act,
  adminSpec,
  allocate,
  type Allocation,
  bindPod,
  consumer,
  endPod,
  foreign,
  generated,
  generatedName,
  makeClaim,
  makePod,
  makeTemplate,
  type PodParts,
  podNamed,
  reserve,
  setPhase,
  type TemplateParts,
} from "./acts.ts";

const template = (name: string, parts: TemplateParts = {}): Step =>
  act(`create template ${name}`, (stage) => makeTemplate(stage, name, parts));
const noMore = (name: string): Step =>
  act(`delete template ${name}`, (stage) => stage.remove(ResourceClaimTemplates, name));
const claim = (name: string, metadata: object = {}): Step =>
  act(`create claim ${name}`, (stage) => makeClaim(stage, name, metadata));
const pod = (name: string, parts: PodParts): Step =>
  act(`create pod ${name} with ${JSON.stringify(parts)}`, (stage) => makePod(stage, name, parts));
const phase = (name: string, to: string): Step =>
  act(`set the phase of pod ${name} to ${to}`, (stage) => setPhase(stage, name, to));
const end = (name: string): Step => act(`remove pod ${name}`, (stage) => endPod(stage, name));
const isDeleted = (name: string): Step => act(`delete pod ${name}`, (stage) => stage.remove("pods", name));
const isBound = (name: string): Step => act(`bind pod ${name}`, (stage) => bindPod(stage, name));
const allocated = (name: string, parts: Allocation = {}): Step =>
  act(`allocate claim ${name} with ${JSON.stringify(parts)}`, (stage) => allocate(stage, name, parts));
const itsOwn = (of: string, entry: string, parts: Allocation = {}): Step =>
  act(`allocate the claim of ${of} for ${entry} with ${JSON.stringify(parts)}`, async (stage) =>
    allocate(stage, await generatedName(stage, of, entry), parts),
  );
const removed = (name: string): Step => act(`delete claim ${name}`, (stage) => stage.remove(ResourceClaims, name));
const finalizers = (name: string, ...all: readonly string[]): Step =>
  act(`set the finalizers of pod ${name} to ${all.join()}`, (stage) =>
    stage.patch("pods", name, { metadata: { finalizers: all } }),
  );

const one = { gpu: { template: "one" } };
const named = { gpu: { claim: "shared" } };

const statusSays =
  (of: string, entry: string, is: (name: string | undefined) => boolean) =>
  async (stage: Stage): Promise<boolean> => {
    const there = await podNamed(stage, of);
    return is(there?.status?.resourceClaimStatuses?.find(({ name }) => name === entry)?.resourceClaimName);
  };

const generating: readonly Script[] = [
  {
    name: "a pod gets claims from its templates, with their metadata",
    steps: [
      template("one", { metadata: { labels: { team: "red" }, annotations: { note: "x" } } }),
      template("two"),
      claim("shared"),
      pod("web", { entries: { gpu: { template: "one" }, nic: { template: "two" }, disk: { claim: "shared" } } }),
      pod("other", { entries: { gpu: { template: "one" }, again: { template: "one" } } }),
      pod("plain", {}),
      pod("with-a-name-that-is-so-long-that-it-has-to-be-cut-to-make-room-for-what-is-added", {
        entries: { "an-entry-with-a-long-name": { template: "one" }, x: { template: "one" } },
      }),
      noMore("one"),
      act("label pod web", (stage) => stage.patch("pods", "web", { metadata: { labels: { team: "blue" } } })),
    ],
  },
  {
    name: "a pod waits for a missing template, and so do its later entries",
    steps: [
      template("a"),
      pod("web", {
        entries: { a: { template: "a" }, b: { template: "b" }, c: { template: "a" } },
        finalizers: [foreign],
      }),
      template("unrelated"),
      template("b"),
      isDeleted("web"),
    ],
  },
  {
    name: "a terminating pod gets no claims, and its own are deleted if it never had a node",
    steps: [
      template("one"),
      pod("web", { entries: one, finalizers: [foreign] }),
      isDeleted("web"),
      pod("late", { entries: { gpu: { template: "late" } }, finalizers: [foreign] }),
      isDeleted("late"),
      template("late"),
      finalizers("web"),
      finalizers("late"),
    ],
  },
  {
    name: "a finished pod still gets its claim, which is deleted immediately",
    steps: [
      pod("web", { entries: one }),
      phase("web", "Succeeded"),
      {
        ...template("one"),
        waitMs: 1500,
        chance: "it is created again unless it is still known, which lasts until the cache contains it",
      },
    ],
  },
  {
    name: "the claim of a replaced pod is deleted on its next sync, and the new pod gets its own",
    steps: [
      template("one"),
      pod("web", { entries: one, bound: true }),
      end("web"),
      pod("web", { entries: one }),
      act("label both claims", async (stage) => {
        for (const { metadata } of await generated(stage, "web", "gpu"))
          await stage.patch(ResourceClaims, metadata.name, { metadata: { labels: { team: "red" } } });
      }),
    ],
  },
  {
    name: "a claim that the pod's status does not name is found",
    steps: [
      template("one"),
      pod("web", { entries: one }),
      act("remove the claims from its status", (stage) =>
        stage.patch("pods", "web/status", { status: { resourceClaimStatuses: null } }),
      ),
    ],
  },
  {
    name: "an entry that needs no claim gets none",
    steps: [
      pod("web", { entries: one }),
      act("set a status without a claim", (stage) =>
        stage.patch("pods", "web/status", { status: { resourceClaimStatuses: [{ name: "gpu" }] } }),
      ),
      template("one"),
      isBound("web"),
    ],
  },
  {
    name: "a claim of another owner is not used, and one is created on the next retry",
    steps: [
      claim("foreign"),
      pod("web", { entries: one }),
      act("set it in the pod's status", (stage) =>
        stage.patch("pods", "web/status", {
          status: { resourceClaimStatuses: [{ name: "gpu", resourceClaimName: "foreign" }] },
        }),
      ),
      {
        ...template("one"),
        until: statusSays("web", "gpu", (name) => name !== undefined && name !== "foreign"),
      },
    ],
  },
  {
    name: "a generated claim that was deleted by hand is not recreated while it is still known",
    steps: [
      template("one"),
      pod("web", { entries: one }),
      {
        ...act("delete the claim", async (stage) =>
          stage.remove(ResourceClaims, await generatedName(stage, "web", "gpu")),
        ),
        waitMs: 1500,
      },
      act("label the pod", (stage) => stage.patch("pods", "web", { metadata: { labels: { team: "blue" } } })),
    ],
  },
  {
    name: "a namespace stops granting admin access",
    steps: [
      act("grant it", async (stage) => {
        const labels = { "resource.kubernetes.io/admin-access": "true" };
        await stage.patch("namespaces", stage.namespace, { metadata: { labels } });
      }),
      template("one", { spec: adminSpec }),
      pod("web", { entries: one }),
      act("revoke it", async (stage) => {
        const labels = { "resource.kubernetes.io/admin-access": null };
        await stage.patch("namespaces", stage.namespace, { metadata: { labels } });
      }),
      pod("late", { entries: one }),
    ],
  },
];

const reserving: readonly Script[] = [
  {
    name: "pods release a claim one by one, and the last one frees its devices",
    steps: [
      claim("shared"),
      pod("a", { entries: named }),
      pod("b", { entries: named }),
      pod("c", { entries: named, finalizers: [foreign] }),
      allocated("shared", { pods: ["a", "b", "c"] }),
      isBound("b"),
      phase("a", "Succeeded"),
      isDeleted("b"),
      end("b"),
      isDeleted("c"),
      finalizers("c"),
      pod("d", { entries: named }),
      allocated("shared", { pods: ["d"] }),
      phase("d", "Failed"),
    ],
  },
  {
    name: "a generated claim is deleted when its pod has finished",
    steps: [
      template("one"),
      pod("web", { entries: one }),
      itsOwn("web", "gpu", { pods: ["web"] }),
      isBound("web"),
      phase("web", "Running"),
      phase("web", "Succeeded"),
      end("web"),
    ],
  },
  {
    name: "generated claims of a pod that fails on its node, and of one that is deleted before it has a node",
    steps: [
      template("one"),
      pod("web", { entries: { gpu: { template: "one" }, nic: { template: "one" } }, bound: true }),
      itsOwn("web", "gpu"),
      itsOwn("web", "nic"),
      pod("late", { entries: one, finalizers: [foreign] }),
      itsOwn("late", "gpu", { pods: ["late"] }),
      isDeleted("late"),
      isDeleted("web"),
      phase("web", "Failed"),
    ],
  },
  {
    name: "a claim that was never reserved keeps its devices until it is deleted",
    steps: [claim("shared"), allocated("shared"), removed("shared")],
  },
  {
    name: "a deleted claim waits for the last of its pods",
    steps: [
      claim("shared"),
      pod("a", { entries: named }),
      allocated("shared", { pods: ["a"] }),
      removed("shared"),
      end("a"),
      claim("other", { finalizers: [foreign] }),
      allocated("other"),
      removed("other"),
    ],
  },
  {
    name: "devices of a claim without the finalizer are not freed",
    steps: [
      claim("shared"),
      pod("a", { entries: named }),
      allocated("shared", { pods: ["a"], isProtected: false }),
      end("a"),
      removed("shared"),
    ],
  },
  {
    name: "claims of a bound pod are reserved once they are allocated",
    steps: [
      template("one"),
      claim("shared"),
      pod("web", { entries: { gpu: { template: "one" }, disk: { claim: "shared" } }, bound: true }),
      allocated("shared"),
      itsOwn("web", "gpu"),
      pod("late", { entries: named }),
      isBound("late"),
      pod("ended", { entries: named }),
    ],
  },
  {
    name: "a missing named claim blocks the entries after it",
    steps: [
      claim("shared"),
      allocated("shared"),
      pod("web", { entries: { disk: { claim: "missing" }, gpu: { claim: "shared" } }, bound: true }),
      claim("missing"),
    ],
  },
  {
    name: "consumers other than pods are kept, nonexistent pods are removed",
    steps: [
      claim("shared"),
      pod("a", { entries: named }),
      allocated("shared", { pods: ["a"], others: [consumer("jobs", "big", "example.com"), consumer("things", "own")] }),
      end("a"),
      claim("odd"),
      pod("b", { entries: named }),
      allocated("odd", {
        pods: ["b"],
        others: [consumer("pods", "never"), { ...consumer("pods", "b"), uid: "before" }],
      }),
      claim("never"),
      allocated("never", { others: [consumer("pods", "never")] }),
    ],
  },
  {
    name: "a pod that does not refer to the claim holds its reservation, until the pod is removed",
    steps: [
      claim("shared"),
      pod("a", {}),
      allocated("shared", { pods: ["a"] }),
      end("a"),
      act("label the claim to trigger a sync", (stage) =>
        stage.patch(ResourceClaims, "shared", { metadata: { labels: { team: "red" } } }),
      ),
    ],
  },
  {
    name: "a claim for extended resources is deleted when its pod has finished",
    steps: [
      pod("web", { resources: { "example.com/gpu": "1" } }),
      act("create the claim, as the scheduler would", async (stage) => {
        const web = await podNamed(stage, "web");
        const owner = { apiVersion: "v1", kind: "Pod", name: "web", uid: web?.metadata.uid, controller: true };
        await makeClaim(stage, "web-extended", {
          annotations: { "resource.kubernetes.io/extended-resource-claim": "true" },
          ownerReferences: [owner],
        });
        await allocate(stage, "web-extended", { pods: ["web"] });
        const requestMappings = [{ containerName: "main", resourceName: "example.com/gpu", requestName: "one" }];
        const extendedResourceClaimStatus = { resourceClaimName: "web-extended", requestMappings };
        await stage.patch("pods", "web/status", { status: { extendedResourceClaimStatus } });
      }),
      isBound("web"),
      phase("web", "Running"),
      phase("web", "Succeeded"),
    ],
  },
  {
    name: "a reservation is added to existing ones, which are kept",
    steps: [
      claim("shared"),
      pod("a", { entries: named }),
      allocated("shared", { pods: ["a"] }),
      pod("b", { entries: named, bound: true }),
      pod("c", { entries: named }),
      act("reserve it for c, as the scheduler would", (stage) => reserve(stage, "shared", ["c"])),
      end("a"),
      end("c"),
      end("b"),
    ],
  },
];

export const scripts: readonly Script[] = [...generating, ...reserving];
