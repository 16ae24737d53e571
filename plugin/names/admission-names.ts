/** Resolves the user's words to admission plugins. */
import { admissionPlugins, idlePlugins } from "../../src/sandbox/context/admission-plugins.ts";
import { nearest } from "../cli/nearest.ts";
import { UserError } from "../cli/user-error.ts";

/** The named plugins, in lists or one by one. @throws UserError for one that kube-apiserver does not have, with the most similar one. */
export function pluginsNamed(lists: readonly string[]): readonly string[] {
  const words = lists.flatMap((list) => list.split(",")).filter((word) => word !== "");
  for (const word of words) {
    if ([...admissionPlugins, ...idlePlugins].includes(word)) continue;
    const lower = new Map([...admissionPlugins, ...idlePlugins].map((name) => [name.toLowerCase(), name]));
    const near = nearest(word.toLowerCase(), [...lower.keys()]);
    throw new UserError(`unknown admission plugin ${JSON.stringify(word)}`, [
      near === undefined
        ? `those that do something here: ${admissionPlugins.join(", ")}`
        : `did you mean ${lower.get(near)}?`,
    ]);
  }
  return words;
}
