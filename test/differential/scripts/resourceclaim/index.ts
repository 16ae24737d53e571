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
  act(`template ${name}`, (stage) => makeTemplate(stage, name, parts));
const noMore = (name: string): Step =>
  act(`template ${name} is deleted`, (stage) => stage.remove(ResourceClaimTemplates, name));
const claim = (name: string, metadata: object = {}): Step =>
  act(`claim ${name}`, (stage) => makeClaim(stage, name, metadata));
const pod = (name: string, parts: PodParts): Step =>
  act(`pod ${name}: ${JSON.stringify(parts)}`, (stage) => makePod(stage, name, parts));
const phase = (name: string, to: string): Step => act(`pod ${name}: ${to}`, (stage) => setPhase(stage, name, to));
const end = (name: string): Step => act(`pod ${name} goes`, (stage) => endPod(stage, name));
const isDeleted = (name: string): Step => act(`pod ${name} is deleted`, (stage) => stage.remove("pods", name));
const isBound = (name: string): Step => act(`pod ${name} gets a node`, (stage) => bindPod(stage, name));
const allocated = (name: string, parts: Allocation = {}): Step =>
  act(`claim ${name} is allocated: ${JSON.stringify(parts)}`, (stage) => allocate(stage, name, parts));
const itsOwn = (of: string, entry: string, parts: Allocation = {}): Step =>
  act(`the claim of ${of} for ${entry} is allocated: ${JSON.stringify(parts)}`, async (stage) =>
    allocate(stage, await generatedName(stage, of, entry), parts),
  );
const removed = (name: string): Step => act(`claim ${name} is deleted`, (stage) => stage.remove(ResourceClaims, name));
const finalizers = (name: string, ...all: readonly string[]): Step =>
  act(`finalizers of pod ${name}: ${all.join()}`, (stage) =>
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
    name: "a pod gets the claims of its templates, with what these say",
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
      act("a label for web", (stage) => stage.patch("pods", "web", { metadata: { labels: { team: "blue" } } })),
    ],
  },
  {
    name: "a pod waits for its template, and the entries behind wait, too",
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
    name: "a pod that is being deleted gets no claims, and its own go if it never had a node",
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
    name: "a pod that has ended gets its claim all the same, and loses it at once",
    steps: [
      pod("web", { entries: one }),
      phase("web", "Succeeded"),
      {
        ...template("one"),
        waitMs: 1500,
        chance: "it is made again unless it is remembered: until the cache has shown it",
      },
    ],
  },
  {
    name: "a claim whose pod was replaced goes when it is looked at, and the new pod gets its own",
    steps: [
      template("one"),
      pod("web", { entries: one, bound: true }),
      end("web"),
      pod("web", { entries: one }),
      act("a label of both claims", async (stage) => {
        for (const { metadata } of await generated(stage, "web", "gpu"))
          await stage.patch(ResourceClaims, metadata.name, { metadata: { labels: { team: "red" } } });
      }),
    ],
  },
  {
    name: "a claim that its status does not name is found",
    steps: [
      template("one"),
      pod("web", { entries: one }),
      act("its status names none", (stage) =>
        stage.patch("pods", "web/status", { status: { resourceClaimStatuses: null } }),
      ),
    ],
  },
  {
    name: "an entry that needs no claim gets none",
    steps: [
      pod("web", { entries: one }),
      act("its status says so", (stage) =>
        stage.patch("pods", "web/status", { status: { resourceClaimStatuses: [{ name: "gpu" }] } }),
      ),
      template("one"),
      isBound("web"),
    ],
  },
  {
    name: "a claim that is not the pod's own is not taken, and another made when it is tried again",
    steps: [
      claim("foreign"),
      pod("web", { entries: one }),
      act("its status names it", (stage) =>
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
    name: "a generated claim that is deleted by hand is not made again while it is remembered",
    steps: [
      template("one"),
      pod("web", { entries: one }),
      {
        ...act("its claim is deleted", async (stage) =>
          stage.remove(ResourceClaims, await generatedName(stage, "web", "gpu")),
        ),
        waitMs: 1500,
      },
      act("a label", (stage) => stage.patch("pods", "web", { metadata: { labels: { team: "blue" } } })),
    ],
  },
  {
    name: "admin access that the namespace does not grant any more",
    steps: [
      act("the namespace grants it", async (stage) => {
        const labels = { "resource.kubernetes.io/admin-access": "true" };
        await stage.patch("namespaces", stage.namespace, { metadata: { labels } });
      }),
      template("one", { spec: adminSpec }),
      pod("web", { entries: one }),
      act("and no longer", async (stage) => {
        const labels = { "resource.kubernetes.io/admin-access": null };
        await stage.patch("namespaces", stage.namespace, { metadata: { labels } });
      }),
      pod("late", { entries: one }),
    ],
  },
];

const reserving: readonly Script[] = [
  {
    name: "pods let go of a claim one by one, and the last frees its devices",
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
    name: "a generated claim goes when its pod has ended",
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
    name: "generated claims of a pod that fails on its node, and of one that goes before it has any",
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
    name: "a claim that is deleted waits for the last of its pods",
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
    name: "devices without the finalizer stay",
    steps: [
      claim("shared"),
      pod("a", { entries: named }),
      allocated("shared", { pods: ["a"], isProtected: false }),
      end("a"),
      removed("shared"),
    ],
  },
  {
    name: "a pod with a node has its claims reserved, once they are allocated",
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
    name: "a named claim that is missing keeps those behind it waiting",
    steps: [
      claim("shared"),
      allocated("shared"),
      pod("web", { entries: { disk: { claim: "missing" }, gpu: { claim: "shared" } }, bound: true }),
      claim("missing"),
    ],
  },
  {
    name: "consumers that are no pods stay, and pods that were never there do not",
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
    name: "a pod that does not refer to the claim holds it as well, until it ends",
    steps: [
      claim("shared"),
      pod("a", {}),
      allocated("shared", { pods: ["a"] }),
      end("a"),
      act("a label of the claim, by which it is looked at", (stage) =>
        stage.patch(ResourceClaims, "shared", { metadata: { labels: { team: "red" } } }),
      ),
    ],
  },
  {
    name: "the claim that a scheduler made for extended resources goes with its pod's end",
    steps: [
      pod("web", { resources: { "example.com/gpu": "1" } }),
      act("the scheduler makes its claim", async (stage) => {
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
    name: "a reservation beside others' is added, and theirs kept",
    steps: [
      claim("shared"),
      pod("a", { entries: named }),
      allocated("shared", { pods: ["a"] }),
      pod("b", { entries: named, bound: true }),
      pod("c", { entries: named }),
      act("the scheduler reserves it for c", (stage) => reserve(stage, "shared", ["c"])),
      end("a"),
      end("c"),
      end("b"),
    ],
  },
];

export const scripts: readonly Script[] = [...generating, ...reserving];
