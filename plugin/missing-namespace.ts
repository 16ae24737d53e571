/** A namespace that is not there is an error: what is watched in it is quiet for ever. */
import { Namespaces } from "../src/api/kind.ts";
import { isForbidden, isNotFound } from "../src/api/status-error.ts";
import type { Client } from "../src/client/verbs.ts";
import { distance } from "./controller-names.ts";
import { UserError } from "./user-error.ts";

/**
 * Whether the namespace is known to be there: false where the user may not ask.
 * @throws UserError for one that is not there, with the one that may have been meant; StatusError 404, which `Connected.explain`
 * puts into words, where none is like it.
 */
export async function namespaceExists(client: Client, namespace: string): Promise<boolean> {
  try {
    await client.get(Namespaces, { namespace: "", name: namespace });
    return true;
  } catch (error) {
    if (isForbidden(error)) return false;
    if (!isNotFound(error)) throw error;
    const near = await nearestNamespace(client, namespace);
    if (near === undefined) throw error;
    throw new UserError(`there is no namespace ${namespace}`, [`did you mean ${near}?`], { cause: error });
  }
}

async function nearestNamespace(client: Client, namespace: string): Promise<string | undefined> {
  try {
    const { items } = await client.list(Namespaces, { limit: 500 });
    const names = items.map(({ metadata }) => metadata.name);
    const away = (name: string): number => (name.startsWith(namespace) ? 1 : distance(name, namespace));
    return names.filter((name) => away(name) <= 2).sort((a, b) => away(a) - away(b))[0];
  } catch {
    // It may not be allowed; then there is no advice.
    return undefined;
  }
}
