import { expect, test } from "bun:test";
import { UserError } from "../../../plugin/cli/user-error.ts";
import { controllersNamed } from "../../../plugin/names/controller-names.ts";

/** What the user reads about a word that names no controller. */
function errorFor(word: string): readonly string[] {
  try {
    controllersNamed([word], { calledAs: "kubectl reconcile", controllerFiles: new Map() });
    return [];
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [error.message, ...error.next];
  }
}

test.each(["docs/max-pods.ts", "lib/quotas.mjs"])("a path to a file needs a dot in front: %s", (word) => {
  expect(errorFor(word)).toEqual([`unknown controller "${word}"`, `for a file of controllers, give ./${word}`]);
});

test("a word that is close to a name leads to it", () => {
  expect(errorFor("replicaste")[1]).toBe("did you mean replicaset?");
});
