import { afterEach, describe, expect, test } from "bun:test";
import { ConfigMaps, Events, Pods, Secrets } from "../../../src/api/kinds.ts";
import type { ConfigMap, Event, Pod, Secret } from "../../../src/api/types.ts";
import { embeddedScene, type EmbeddedScene } from "../../support/embedded-scene.ts";
import { podOf, type PodParts } from "../../support/pods.ts";

let scene: EmbeddedScene;
afterEach(() => scene.stop());

async function letPass(ms: number): Promise<void> {
  scene.timeline.after(ms, "test", () => undefined);
  await scene.run(ms);
}

/** The pod, two seconds after it was created on a new cluster. */
async function podWith(spec: NonNullable<PodParts["spec"]>): Promise<Pod> {
  scene = await embeddedScene({ nodes: 1 });
  await scene.during(scene.you.create(Pods, podOf("pod", { spec })));
  return later(2000);
}

async function later(ms: number): Promise<Pod> {
  await letPass(ms);
  return scene.during(scene.you.get(Pods, { namespace: "default", name: "pod" }));
}

const create = (
  kind: typeof ConfigMaps | typeof Secrets,
  name: string,
  data: Record<string, string>,
): Promise<unknown> =>
  scene.during(scene.you.create<ConfigMap | Secret>(kind, { metadata: { namespace: "default", name }, data }));

const statesOf = ({ status }: Pod): Record<string, string> =>
  Object.fromEntries(
    [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].map(({ name, state }) => [
      name,
      state?.running !== undefined
        ? "running"
        : state?.terminated !== undefined
          ? "ended"
          : [state?.waiting?.reason, state?.waiting?.message].filter((text) => text !== undefined).join(": "),
    ]),
  );

async function warnings(): Promise<readonly string[]> {
  const { items } = await scene.during(scene.you.list<Event>(Events, { namespace: "default" }));
  return items.filter(({ type }) => type === "Warning").map(({ reason = "", message = "" }) => `${reason}: ${message}`);
}

const container = (name: string, more: object = {}): { name: string; image: string } => ({ name, image: "i", ...more });
const env = (source: object): object => ({ env: [{ name: "A", valueFrom: source }] });

describe("a container whose environment needs", () => {
  test.each([
    { what: "a ConfigMap", more: { envFrom: [{ configMapRef: { name: "cfg" } }] }, says: 'configmap "cfg" not found' },
    { what: "a Secret", more: { envFrom: [{ secretRef: { name: "sec" } }] }, says: 'secret "sec" not found' },
    {
      what: "a key of a Secret",
      more: env({ secretKeyRef: { name: "sec", key: "k" } }),
      says: 'secret "sec" not found',
    },
  ])("$what that does not exist waits, beside others that start", async ({ more, says }) => {
    const pod = await podWith({ containers: [container("held", more), container("other")] });
    expect(statesOf(pod)).toEqual({ held: `CreateContainerConfigError: ${says}`, other: "running" });
    expect(pod.status?.phase).toBe("Pending");
    expect(await warnings()).toEqual([`Failed: Error: ${says}`]);
  });

  test("a key waits until the object has it", async () => {
    scene = await embeddedScene({ nodes: 1 });
    await create(ConfigMaps, "cfg", { other: "x" });
    const held = container("held", env({ configMapKeyRef: { name: "cfg", key: "k" } }));
    await scene.during(scene.you.create(Pods, podOf("pod", { spec: { containers: [held] } })));
    expect(statesOf(await later(2000))).toEqual({
      held: "CreateContainerConfigError: couldn't find key k in ConfigMap default/cfg",
    });
    const cfg = await scene.during(scene.you.get<ConfigMap>(ConfigMaps, { namespace: "default", name: "cfg" }));
    await scene.during(scene.you.update<ConfigMap>(ConfigMaps, { ...cfg, data: { k: "v" } }));
    const pod = await later(5000);
    expect(statesOf(pod)).toEqual({ held: "running" });
    expect(pod.status?.phase).toBe("Running");
  });

  test("what is optional, or published in every namespace, starts", async () => {
    const more = {
      envFrom: [{ configMapRef: { name: "cfg", optional: true } }, { configMapRef: { name: "kube-root-ca.crt" } }],
    };
    expect(statesOf(await podWith({ containers: [container("c", more)] }))).toEqual({ c: "running" });
  });

  test("something holds back only what comes after an init container", async () => {
    const more = { envFrom: [{ configMapRef: { name: "cfg" } }] };
    const spec = { initContainers: [container("first", more)], containers: [container("main")] };
    expect(statesOf(await podWith(spec))).toEqual({
      first: 'CreateContainerConfigError: configmap "cfg" not found',
      main: "PodInitializing",
    });
    await create(ConfigMaps, "cfg", {});
    expect(statesOf(await later(5000))).toEqual({ first: "ended", main: "running" });
  });
});

describe("a pod with a volume of", () => {
  const containers = [container("c")];
  test.each([
    { what: "a ConfigMap", source: { configMap: { name: "cfg" } }, lacks: 'configmap "cfg" not found' },
    { what: "a Secret", source: { secret: { secretName: "sec" } }, lacks: 'secret "sec" not found' },
    {
      what: "a projected source",
      source: { projected: { sources: [{ secret: { name: "sec", optional: true } }, { configMap: { name: "cfg" } }] } },
      lacks: 'configmap "cfg" not found',
    },
  ])("$what that does not exist starts no container before it does", async ({ source, lacks }) => {
    const pod = await podWith({ containers, volumes: [{ name: "v", ...source }] });
    expect(statesOf(pod)).toEqual({ c: "ContainerCreating" });
    expect(await warnings()).toEqual([`FailedMount: MountVolume.SetUp failed for volume "v" : ${lacks}`]);
    await create(ConfigMaps, "cfg", {});
    await create(Secrets, "sec", {});
    expect(statesOf(await later(5000))).toEqual({ c: "running" });
  });

  test("is removed although it never started", async () => {
    await podWith({ containers, volumes: [{ name: "v", configMap: { name: "cfg" } }] });
    await scene.during(scene.you.delete(Pods, { namespace: "default", name: "pod" }));
    await letPass(5000);
    expect((await scene.during(scene.you.list<Pod>(Pods, { namespace: "default" }))).items).toEqual([]);
  });
});
