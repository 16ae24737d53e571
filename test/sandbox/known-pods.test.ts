import { expect, test } from "bun:test";
import { onceForEqualPods } from "../../src/sandbox/registry/core/pod/known-pods.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { sendRequest, type Json } from "./support/requests.ts";

const token = (name: string): Json => ({ name, projected: {} });
const podWith = (...volumes: Json[]): never => ({ metadata: { name: "a" }, spec: { volumes } }) as never;

test("a pod like one that passed is not checked again, whatever the name of its token volume is", () => {
  let looked = 0;
  const check = onceForEqualPods(() => {
    looked++;
    return [];
  });
  const lookedAt = (pod: never): number => {
    const before = looked;
    check(pod);
    return looked - before;
  };
  expect(lookedAt(podWith(token("kube-api-access-abcde")))).toBe(1);
  expect(lookedAt(podWith(token("kube-api-access-zzzzz")))).toBe(0);
  expect(lookedAt(podWith(token("kube-api-access-")))).toBe(1);
  expect(lookedAt(podWith(token("data")))).toBe(1);
  expect(lookedAt(podWith(token("kube-api-access-abcde"), token("data")))).toBe(1);
  expect(lookedAt({ metadata: { name: "a", annotations: { a: "b" } }, spec: {} } as never)).toBe(1);
  // The claim of an ephemeral volume contains the name of the pod.
  const own = podWith({ name: "own", ephemeral: {} });
  expect([lookedAt(own), lookedAt(own)]).toEqual([1, 1]);
  // An ephemeral container must not have a list of ports, not even an empty one.
  const looking = { metadata: { name: "a" }, spec: { ephemeralContainers: [{ name: "e" }] } } as never;
  expect([lookedAt(looking), lookedAt(looking)]).toEqual([1, 1]);
});

test("problems are found again, and remembered pods expire", () => {
  const found = onceForEqualPods(({ spec }) => (spec?.["hostname"] === "-" ? ["wrong"] : []));
  const pod = (hostname: string): never => ({ metadata: { name: "a" }, spec: { hostname } }) as never;
  for (let n = 0; n < 200; n++) expect(found(pod(`host-${n}`))).toEqual([]);
  expect([found(pod("-")), found(pod("-"))]).toEqual([["wrong"], ["wrong"]]);
});

test("the API server refuses a pod that differs in a single value from an accepted one", async () => {
  const sandbox = await createSandbox({ timeline: realTimeline(), random: seededRandom(1) });
  const transport = sandbox.transport({ actor: "test" });
  const post = async (name: string, container: Json, annotations: Json = {}): Promise<number> => {
    const body = {
      metadata: { name, annotations },
      spec: { containers: [{ name: "main", image: "i", ...container }] },
    };
    return (await sendRequest(transport, "POST", "/api/v1/namespaces/default/pods", { body })).status;
  };
  const cost = (value: string): Json => ({ "controller.kubernetes.io/pod-deletion-cost": value });
  expect([await post("a", {}), await post("b", {}), await post("c", { image: "" }), await post("d", {})]).toEqual([
    201, 201, 422, 201,
  ]);
  expect([await post("e", {}, cost("1")), await post("f", {}, cost("many")), await post("g", {}, cost("1"))]).toEqual([
    201, 422, 201,
  ]);
});
