/** A missing namespace is an error: a watch in it would stay silent forever. */
import { Namespaces } from "../../src/api/kinds.ts";
import { isForbidden, isNotFound } from "../../src/api/status-error.ts";
import type { Client } from "../../src/client/api/verbs.ts";
import { distance } from "../cli/nearest.ts";
import { UserError } from "../cli/user-error.ts";

/** A missing namespace; `Connected.translateError` adds on which server. */
export class MissingNamespace extends UserError {
  readonly namespace: string;

  constructor(namespace: string, next: readonly string[], cause: unknown) {
    super(`there is no namespace ${namespace}`, next, { cause });
    this.namespace = namespace;
  }
}

/**
 * Whether the namespace is known to exist: false if the user may not read it.
 * @throws MissingNamespace if it does not exist, with the one that may have been meant.
 */
export async function namespaceExists(client: Client, namespace: string): Promise<boolean> {
  try {
    await client.get(Namespaces, { namespace: "", name: namespace });
    return true;
  } catch (error) {
    if (isForbidden(error)) return false;
    if (!isNotFound(error)) throw error;
    const near = await nearestNamespace(client, namespace);
    throw new MissingNamespace(namespace, near === undefined ? [] : [`did you mean ${near}?`], error);
  }
}

async function nearestNamespace(client: Client, namespace: string): Promise<string | undefined> {
  try {
    const { items } = await client.list(Namespaces, { limit: 500 });
    const names = items.map(({ metadata }) => metadata.name);
    const away = (name: string): number => (name.startsWith(namespace) ? 1 : distance(name, namespace));
    return names.filter((name) => away(name) <= 2).sort((a, b) => away(a) - away(b))[0];
  } catch {
    // It may be forbidden; then there is no suggestion.
    return undefined;
  }
}
