/** Which rights are checked, and with how many requests. */
import { expect, test } from "bun:test";
import type { Client } from "../../../src/client/api/verbs.ts";
import { type Right, reviewRights } from "../../../src/modes/preflight/rights.ts";

const rightsOf = (count: number): readonly Right[] =>
  Array.from({ length: count }, (_, at) => ({ verb: "get", group: "", resource: `things${at}` }));

/** A client of which only reviews are used: some resources are allowed. */
function reviewing(allowed: (resource: string) => boolean): { readonly client: Client; readonly asked: string[] } {
  const asked: string[] = [];
  const review = (_: unknown, { spec }: { spec: { resourceAttributes: { verb: string; resource: string } } }) => {
    const { verb, resource } = spec.resourceAttributes;
    asked.push(`${verb} ${resource}`);
    return Promise.resolve({ spec, status: { allowed: allowed(resource) } });
  };
  return { client: { review } as unknown as Client, asked };
}

test("many rights of somebody who may do everything are one request", async () => {
  const { client, asked } = reviewing(() => true);
  expect(await reviewRights(client, rightsOf(31))).toMatchObject({ missing: [], byEverything: true });
  expect(asked).toEqual(["* *"]);
});

test("many rights of others are checked one by one", async () => {
  const { client, asked } = reviewing((resource) => resource !== "*" && resource !== "things7");
  const rights = rightsOf(31);
  expect(await reviewRights(client, rights)).toEqual({ required: rights, missing: [rights[7] as Right] });
  expect(asked).toHaveLength(32);
});

test("few rights are checked one by one", async () => {
  const { client, asked } = reviewing(() => true);
  expect(await reviewRights(client, rightsOf(30))).toEqual({ required: rightsOf(30), missing: [] });
  expect(asked).not.toContain("* *");
});
