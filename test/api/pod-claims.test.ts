import { expect, test } from "bun:test";
import { claimNamesOf, holdsClaim } from "../../src/api/pod-claims.ts";
import { claimOf, podWith } from "../controllers/persistentvolumeclaim-protection/objects.ts";

test("the claims of a pod are those in its volumes, and those created for its ephemeral volumes", () => {
  expect(claimNamesOf(podWith("db-0", { claims: ["data", "logs"], ephemeral: ["tmp"] }))).toEqual([
    "data",
    "logs",
    "db-0-tmp",
  ]);
  expect(claimNamesOf(podWith("db-0", {}))).toEqual([]);
});

test("a pod uses these claims, and no others", () => {
  const pod = podWith("db-0", { claims: ["data"] });
  expect(holdsClaim(pod, claimOf("data"))).toBe(true);
  expect(holdsClaim(pod, claimOf("logs"))).toBe(false);
});
