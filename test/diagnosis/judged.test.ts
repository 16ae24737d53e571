import { expect, test } from "bun:test";
import { Deployments, DeviceClasses, Pods } from "../../src/api/kinds.ts";
import { findingsOf, judged, type Ref } from "../../src/diagnosis/diagnosis.ts";

test("a common cause of several objects is found once", () => {
  const web: Ref = { kind: Deployments, namespace: "shop", name: "web" };
  const gpu: Ref = { kind: DeviceClasses, namespace: "", name: "gpu" };
  const pod = (name: string): Ref => ({ kind: Pods, namespace: "shop", name });
  const findings = [
    { at: gpu, why: "there is none" },
    { at: pod("web-1"), why: "not scheduled" },
    { at: gpu, why: "there is none", since: 1 },
    { at: pod("web-2"), why: "not scheduled" },
    { at: gpu, why: "it is another matter" },
  ];
  const diagnosis = judged(web, { says: "0 of 2", reached: false, findings, seen: [], unseen: [] });
  expect(findingsOf(diagnosis)).toEqual([0, 1, 3, 4].map((index) => findings[index] as (typeof findings)[number]));
});
