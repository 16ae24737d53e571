import { describe, expect, test } from "bun:test";
import { podTemplateHash } from "../../../../src/controller/workload/pod-template/hash.ts";
import golden from "./golden.json";

/** Written by scripts/pod-template with kube-controller-manager's own function. */
interface Golden {
  readonly what: string;
  readonly template: unknown;
  readonly collisions?: number;
  readonly hash: string;
  /** The hash after the template was sent to the API server, if it differs. */
  readonly sent?: string;
}
const all = golden as unknown as readonly Golden[];

describe("the hash of a pod template is kube-controller-manager's", () => {
  test("for every field of every struct, all kinds of quantities and random templates", () => {
    expect(all.length).toBeGreaterThan(700);
    const wrong = all
      .filter(({ template, collisions, hash }) => podTemplateHash(template, { collisionCount: collisions }) !== hash)
      .map(({ what }) => what);
    expect(wrong).toEqual([]);
  });

  test("also after the template was sent", () => {
    const sent = all.filter((one) => one.sent !== undefined);
    expect(sent.length).toBeGreaterThan(0);
    const wrong = all
      .filter(
        ({ template, collisions, hash, sent = hash }) =>
          podTemplateHash(template, { collisionCount: collisions, sent: true }) !== sent,
      )
      .map(({ what }) => what);
    expect(wrong).toEqual([]);
  });
});
