import { beforeEach, describe, expect, test } from "bun:test";
import { Pods, ReplicaSets } from "../../../src/api/kinds.ts";
import {
  createPod,
  deletePod,
  generateNamePrefix,
  podFromTemplate,
} from "../../../src/controller/workload/pod-control.ts";
import type { Decision } from "../../../src/controller/api/rule.ts";
import { replicaset } from "../../../src/controllers/replicaset/replicaset.ts";
import { rejection } from "../../support/rejection.ts";
import { refusal, type Scene, syncScene } from "../../support/sync-context.ts";
import { podOf, replicaSetOf } from "../../support/workloads.ts";

const owner = { kind: ReplicaSets, object: replicaSetOf() };
const because: Decision = { controller: "replicaset", sync: 1, seq: 0, rule: "scale-up", facts: {}, sentence: "" };

let scene: Scene;
beforeEach(() => {
  scene = syncScene(replicaset);
});

describe("podFromTemplate", () => {
  test("copies the template's labels, annotations, finalizers and spec, and makes the owner the controller", () => {
    const template = {
      metadata: {
        name: "ignored",
        labels: { app: "web" },
        annotations: { note: "x" },
        finalizers: ["example.com/keep"],
      },
      spec: { containers: [{ name: "web", image: "web:1" }] },
    };
    expect(JSON.stringify(podFromTemplate(template, owner))).toBe(
      '{"kind":"Pod","apiVersion":"v1","metadata":{"generateName":"web-","namespace":"shop","labels":{"app":"web"},' +
        '"annotations":{"note":"x"},"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web","uid":"uid-web",' +
        '"controller":true,"blockOwnerDeletion":true}],"finalizers":["example.com/keep"]},' +
        '"spec":{"containers":[{"name":"web","image":"web:1"}]},"status":{}}',
    );
  });

  test("leaves out empty fields", () => {
    const { metadata } = podFromTemplate(
      { metadata: { labels: { app: "web" }, annotations: {}, finalizers: [] } },
      owner,
    );
    expect(Object.keys(metadata)).toEqual(["generateName", "namespace", "labels", "ownerReferences"]);
  });
});

describe("generateNamePrefix", () => {
  const longest = "a".repeat(253);
  const rows: readonly { name: string; prefix: string }[] = [
    { name: "web", prefix: "web-" },
    { name: "web.v1", prefix: "web.v1-" },
    { name: longest, prefix: `${longest}-` },
    { name: `${longest}a`, prefix: `${longest}a` },
    { name: "Web", prefix: "Web" },
  ];
  for (const { name, prefix } of rows) {
    test(`of ${name.length > 20 ? `${name.length} letters` : name}`, () =>
      expect(generateNamePrefix(name)).toBe(prefix));
  }
});

describe("createPod", () => {
  const pod = podFromTemplate(owner.object.spec?.template, owner);

  test("reports the pod's name in an Event of the owner", async () => {
    const created = await createPod(scene.context("shop/web"), pod, { owner, because });
    expect(scene.calls).toMatchObject([{ verb: "create", because }]);
    expect(scene.events).toEqual([
      {
        type: "Normal",
        reason: "SuccessfulCreate",
        message: `Created pod: ${created.metadata.name}`,
        about: "ReplicaSet web",
      },
    ]);
  });

  test("reports a refusal in the server's words and throws it unchanged", async () => {
    const quota = refusal(403, "Forbidden", 'pods "web-1" is forbidden: exceeded quota: small');
    scene.refuse = () => quota;
    expect(await rejection(createPod(scene.context("shop/web"), pod, { owner, because }))).toBe(quota);
    expect(scene.events).toEqual([
      { type: "Warning", reason: "FailedCreate", message: `Error creating: ${quota.message}`, about: "ReplicaSet web" },
    ]);
  });

  test("records no Event in a namespace that is being deleted", async () => {
    const terminating = refusal(403, "Forbidden", "namespace is being terminated", "NamespaceTerminating");
    scene.refuse = () => terminating;
    expect(await rejection(createPod(scene.context("shop/web"), pod, { owner, because }))).toBe(terminating);
    expect(scene.events).toEqual([]);
  });

  test("does not send a pod without labels: its owner would never find it", async () => {
    const bare = podFromTemplate({ spec: { containers: [] } }, owner);
    expect((await rejection(createPod(scene.context("shop/web"), bare, { owner, because }))).message).toContain(
      "no labels",
    );
    expect(scene.calls).toEqual([]);
    expect(scene.events).toEqual([]);
  });
});

describe("deletePod", () => {
  const pod = podOf("web-a");

  test("reports the pod's name in an Event of the owner", async () => {
    scene.put(Pods, pod);
    await deletePod(scene.context("shop/web"), pod, { owner, because });
    expect(scene.calls).toMatchObject([{ verb: "delete", name: "web-a", because }]);
    expect(scene.events).toMatchObject([{ type: "Normal", reason: "SuccessfulDelete", message: "Deleted pod: web-a" }]);
  });

  test("decides that a pod is already deleted, without an Event", async () => {
    expect(await rejection(deletePod(scene.context("shop/web"), pod, { owner, because }))).toMatchObject({ code: 404 });
    expect(scene.events).toEqual([]);
  });

  test("reports a refusal, and throws it with the text of the condition", async () => {
    scene.refuse = () => refusal(403, "Forbidden", "no rights");
    const deleting = deletePod(scene.context("shop/web"), pod, { owner, because });
    expect((await rejection(deleting)).message).toContain("unable to delete pods: no rights");
    expect(scene.events).toMatchObject([
      { type: "Warning", reason: "FailedDelete", message: "Error deleting: no rights" },
    ]);
  });
});
