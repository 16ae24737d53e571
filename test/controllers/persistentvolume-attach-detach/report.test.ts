/** Reporting in nodes' statuses what is attached. Source: kubernetes v1.36 node_status_updater_test.go. */
import { beforeEach, expect, test } from "bun:test";
import { Nodes, Pods } from "../../../src/api/kinds.ts";
import { persistentVolumeAttachDetach } from "../../../src/controllers/persistentvolume-attach-detach/persistentvolume-attach-detach.ts";
import type { ReportedVolume } from "../../../src/controllers/persistentvolume-attach-detach/world.ts";
import { rejection } from "../../support/rejection.ts";
import { refusal, type Scene, syncScene } from "../../support/sync-context.ts";
import { changeNode, driverSays, nodeOf, podOf, putVolume, removePod, uniqueName } from "./objects.ts";

let scene: Scene;
beforeEach(() => {
  scene = syncScene(persistentVolumeAttachDetach);
  scene.put(Nodes, nodeOf("a"));
  for (const node of scene.cached(Nodes)) scene.notify(Nodes, { type: "added", object: node, initial: true });
  for (const name of ["disk", "other"]) putVolume(scene, name);
});

const calls = (): string[] => scene.calls.map(({ verb, kind, name }) => `${verb} ${kind} ${name}`);
const volume = (name: string, devicePath = ""): ReportedVolume => ({ name: uniqueName(name), devicePath });

/** Has the pod's volumes attached, without the write of the node's status being delivered. */
async function attach(...volumes: readonly string[]): Promise<void> {
  scene.put(Pods, podOf("web", "a", volumes));
  await scene.sync("a");
  scene.deliver();
  for (const each of volumes) driverSays(scene, [each, "a"], { attached: true });
  await scene.sync("a");
}

test("a node without a status has what is attached to it reported", async () => {
  changeNode(scene, "a", ({ metadata, spec }) => ({ metadata, ...(spec !== undefined && { spec }) }));
  await attach("disk");
  expect(scene.calls.map(({ body }) => body)).toEqual([{ status: { volumesAttached: [volume("disk")] } }]);
});

test("the report of a node that was deleted meanwhile is not repeated", async () => {
  scene.refuse = ({ verb }) => (verb === "patch" ? refusal(404, "NotFound", "gone") : undefined);
  await attach("disk");
  expect(calls()).toEqual(["patch Node a"]);
  await scene.sync("a");
  expect(calls()).toEqual([]);
});

test("a node that reports nothing is left alone when nothing is attached any more", async () => {
  scene.refuse = ({ verb }) => (verb === "patch" ? refusal(500, "InternalError", "down") : undefined);
  expect(String(await rejection(attach("disk")))).toContain("down");
  scene.refuse = () => undefined;
  removePod(scene, "web");
  changeNode(scene, "a", (node) => node);
  driverSays(scene, ["disk", "a"], { attached: false });
  await scene.sync("a");
  expect(calls()).toEqual([]);
});

const cases: readonly (readonly [string, readonly ReportedVolume[], boolean])[] = [
  ["its volumes", [volume("other"), volume("disk")], false],
  ["no volumes", [], true],
  ["fewer volumes", [volume("disk")], true],
  ["more volumes", [volume("disk"), volume("other"), volume("third")], true],
  ["as many others", [volume("disk"), volume("third")], true],
  ["other paths", [volume("disk"), volume("other", "/dev/sdb")], true],
];
for (const [what, reported, isWritten] of cases) {
  test(`a node that was added again, and reports ${what}, is ${isWritten ? "written" : "left alone"}`, async () => {
    await attach("disk", "other");
    scene.deliver();
    scene.deleteLive(Nodes, "a");
    scene.deliver();
    const node = nodeOf("a");
    scene.writeLive(Nodes, { ...node, status: { ...node.status, volumesAttached: [...reported] } });
    scene.deliver();
    await scene.sync("a");
    expect(calls()).toEqual(isWritten ? ["patch Node a"] : []);
  });
}
