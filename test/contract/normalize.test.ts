/** Normalized responses must still differ where it matters. */
import { describe, expect, test } from "bun:test";
import { type TimedResponse, namesOf } from "./names.ts";
import { normalized } from "./normalize.ts";

const startedAt = Date.parse("2026-01-01T12:00:00.500Z");
const [first, second] = ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"];

/** Normalizes bodies of responses that each took 10 ms, the last one `lastsMs`. */
function normalizedBodies(
  bodies: readonly unknown[],
  { sent, ordersTimes = false, lastsMs = 10 }: { sent?: unknown; ordersTimes?: boolean; lastsMs?: number } = {},
) {
  const responses: TimedResponse[] = bodies.map((body, index) => ({
    body,
    from: startedAt,
    until: startedAt + (index === bodies.length - 1 ? lastsMs : 10),
  }));
  const names = namesOf(responses, { startedAt, sent, ordersTimes });
  return responses.map(({ body, from, until }) => normalized(body, { names, from, until }));
}

const object = (metadata: object): object => ({ kind: "Pod", metadata });

describe("normalization replaces", () => {
  test("identities by their first appearance, but not those that the case chose", () => {
    expect(
      normalizedBodies([{ uid: first }, { uid: second, message: `not ${first}` }, { uid: first }], { sent: [] }),
    ).toEqual([{ uid: "UID1" }, { uid: "UID2", message: "not UID1" }, { uid: "UID1" }]);
    expect(normalizedBodies([{ uid: first }], { sent: { preconditions: { uid: first } } })).toEqual([{ uid: first }]);
  });

  test.each([
    { name: "now, cut to its second", value: "2026-01-01T12:00:00Z", stands: "TIME" },
    { name: "a second in the future", value: "2026-01-01T12:00:01Z", stands: "TIME + 1 s" },
    { name: "a minute in the future", value: "2026-01-01T12:01:00Z", stands: "TIME + 60 s" },
    { name: "before the case", value: "2026-01-01T11:59:59Z", stands: "EARLIER TIME" },
    { name: "with the digits of a MicroTime", value: "2026-01-01T12:00:00.505000Z", stands: "MICROTIME" },
    { name: "with the digits of JavaScript", value: "2026-01-01T12:00:00.505Z", stands: "TIME of 3 digits" },
  ])("a time $name", ({ value, stands }) => {
    expect(normalizedBodies([{ startTime: value }])).toEqual([{ startTime: stands }]);
  });

  test("no time that the case chose", () => {
    const startTime = "2020-01-01T00:00:00Z";
    expect(normalizedBodies([{ startTime }], { sent: { startTime } })).toEqual([{ startTime }]);
  });

  test("a creation time that changes by a marker", () => {
    const made = (creationTimestamp: string): object => object({ uid: first, creationTimestamp });
    const [, after] = normalizedBodies([made("2026-01-01T12:00:00Z"), made("2026-01-01T11:59:59Z")]);
    expect(after).toEqual(object({ uid: "UID1", creationTimestamp: "EARLIER TIME, moved" }));
  });

  test("the time of a deletion by its request and its grace period", () => {
    const gone = (deletionTimestamp: string, deletionGracePeriodSeconds: number): object =>
      object({ uid: first, deletionTimestamp, deletionGracePeriodSeconds });
    const [right, wrong] = normalizedBodies([gone("2026-01-01T12:00:30Z", 30), gone("2026-01-01T12:00:00Z", 30)]);
    expect(right).toMatchObject({ metadata: { deletionTimestamp: "TIME + 30 s" } });
    expect(wrong).toMatchObject({ metadata: { deletionTimestamp: "EARLIER TIME + 30 s" } });
  });

  test("the creation time of an object created in the second in which an earlier deletion is due", () => {
    const due = "2026-01-01T12:00:30Z";
    const gone = object({ uid: first, deletionTimestamp: due, deletionGracePeriodSeconds: 30 });
    const [deleted, made] = normalizedBodies([gone, object({ creationTimestamp: due })], { lastsMs: 40_000 });
    expect(deleted).toMatchObject({ metadata: { deletionTimestamp: "TIME + 30 s" } });
    expect(made).toMatchObject({ metadata: { creationTimestamp: "TIME" } });
  });

  test("a list's version by the versions of its objects", () => {
    const list = (resourceVersion: string): object => ({ kind: "PodList", metadata: { resourceVersion }, items: [] });
    const bodies = [object({ resourceVersion: "10" }), object({ resourceVersion: "12" })];
    const shown = normalizedBodies([
      ...bodies,
      list("9"),
      list("11"),
      list("12"),
      { ...list("1"), metadata: {} },
    ]).slice(2);
    expect(shown.map((body) => (body as { metadata: { resourceVersion?: string } }).metadata.resourceVersion)).toEqual([
      "VERSION",
      "VERSION since v1",
      "VERSION since v2",
      undefined,
    ]);
  });

  test("addresses of Services: two with the same one show it", () => {
    expect(
      normalizedBodies([{ a: "10.0.3.4", b: "10.0.3.4", c: "10.0.9.9", d: "10.0.1.1" }], { sent: { c: "10.0.9.9" } }),
    ).toEqual([{ a: "IP1", b: "IP1", c: "10.0.9.9", d: "IP2" }]);
  });

  test("generated names by their first appearance, in messages too, if their letters are valid", () => {
    const made = (name: string): object => ({ metadata: { name, generateName: "web-" } });
    const [, vowels, message] = normalizedBodies([
      made("web-bcdf2"),
      made("web-aeiou"),
      { message: 'pods "web-bcdf2" not found' },
    ]);
    expect(vowels).toMatchObject({ metadata: { name: "web-RAND2 of a strange alphabet" } });
    expect(message).toEqual({ message: 'pods "web-RAND1" not found' });
  });

  test("a Go difference by its lines", () => {
    const message = (difference: string): object => ({
      message: `[spec: Forbidden: existing ephemeral containers "e" may not be changed\n${difference}, b: Required value]`,
    });
    const [theirs, ours] = normalizedBodies([
      message('@@ -1 +1 @@\n {\n- "Image": "i",\n+ "Image": "j",\n'),
      message(""),
    ]);
    expect(theirs).toEqual(ours);
    expect(JSON.stringify(ours)).toContain("b: Required value]");
  });

  test("the object in the refusal of a patch, whatever the order of its keys", () => {
    const refused = (patched: object): object => ({
      message: `Invalid value: ${JSON.stringify(JSON.stringify(patched))}: no`,
    });
    const [a, b, other] = normalizedBodies([
      refused({ kind: "Pod", data: { k: "v" } }),
      refused({ apiVersion: "v1", kind: "Pod" }),
      refused({ kind: "Pod", data: { k: "w" } }),
    ]);
    expect(a).toEqual({ message: 'Invalid value: {"data":{"k":"v"},"kind":"Pod"}: no' });
    expect(a).not.toEqual(other);
    expect(b).toEqual({ message: 'Invalid value: {"apiVersion":"v1","kind":"Pod"}: no' });
  });

  test("an age by a marker, if it is that of an object of the case", () => {
    const row = (age: string): object => ({
      cells: [age],
      object: object({ creationTimestamp: "2026-01-01T12:00:00Z" }),
    });
    expect(normalizedBodies([row("0s"), row("5m")]).map((body) => (body as { cells: string[] }).cells[0])).toEqual([
      "AGE",
      "5m",
    ]);
  });

  test("the order of errors about one map by their keys, in the message too; those about a list keep theirs", () => {
    const refused = (...fields: readonly string[]): object => ({
      message: `LimitRange "a" is invalid: [${fields.map((field) => `${field}: no`).join(", ")}]`,
      details: { causes: fields.map((field) => ({ field, message: "no" })) },
    });
    const [theirs, ours, other, list, turned] = normalizedBodies([
      refused("spec.type", "spec.min[b]", "spec.min[10]", "spec.max[a]"),
      refused("spec.type", "spec.min[10]", "spec.min[b]", "spec.max[a]"),
      refused("spec.type", "spec.max[a]", "spec.min[10]", "spec.min[b]"),
      refused("spec.ports[1]", "spec.ports[0]"),
      refused("spec.ports[0]", "spec.ports[1]"),
    ]);
    expect(theirs).toEqual(ours);
    expect(ours).not.toEqual(other);
    expect(list).not.toEqual(turned);
  });
});
