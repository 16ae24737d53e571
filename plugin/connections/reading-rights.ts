/** Whether the user may list and watch what a command needs; what is missing is reported before anything else happens. */
import { type Kind, resourceOf } from "../../src/api/kind.ts";
import type { Client } from "../../src/client/api/verbs.ts";
import { formatRight, reviewRights, type Right } from "../../src/modes/preflight/rights.ts";
import { namespaceExists } from "../names/missing-namespace.ts";
import { wrapWords } from "../cli/style.ts";
import { UserError } from "../cli/user-error.ts";

/** Whose rights are checked, and where. */
export interface ReadingScope {
  readonly client: Client;
  /** Undefined: all. */
  readonly namespace: string | undefined;
  readonly user: string | undefined;
  readonly columns?: number | undefined;
}

/**
 * The kinds that the user may not both list and watch.
 * @throws StatusError, TransportError; UserError, StatusError 404 for a namespace that does not exist.
 */
export async function unreadable(
  kinds: readonly Kind[],
  { client, namespace }: ReadingScope,
): Promise<readonly Right[]> {
  const rights = kinds.flatMap((kind) =>
    ["list", "watch"].map((verb) => ({
      verb,
      group: kind.group,
      resource: kind.plural,
      ...(kind.namespaced && namespace !== undefined && { namespace }),
    })),
  );
  const namespaced = kinds.some((kind) => kind.namespaced);
  const [{ missing }] = await Promise.all([
    reviewRights(client, rights),
    namespaced && namespace !== undefined ? namespaceExists(client, namespace) : undefined,
  ]);
  return missing;
}

/** @throws UserError that names the missing rights. */
export async function refuseUnreadable(kinds: readonly Kind[], scope: ReadingScope): Promise<void> {
  const once = kinds.filter(
    (kind, index) => kinds.findIndex((other) => resourceOf(other) === resourceOf(kind)) === index,
  );
  const missing = await unreadable(once, scope);
  const [first] = missing;
  if (first === undefined) return;
  const { namespace, user, columns } = scope;
  const who = user === undefined ? "" : ` as user ${user}`;
  const where = namespace === undefined ? "in all namespaces" : `in namespace ${namespace}`;
  const count = `${missing.length} of ${once.length * 2} rights are missing`;
  const named = missing.map((right) => formatRight(right, namespace));
  const rest = missing.length === 1 ? [] : wrapWords(named, columns === undefined ? undefined : columns - 4, " · ");
  throw new UserError(`not allowed to ${formatRight(first, first.namespace)} ${where}${who} (${count})`, [
    ...rest.map((line) => `  ${line}`),
    namespace === undefined
      ? "-n NAMESPACE asks for one namespace only"
      : "kubectl auth can-i --list shows what is allowed",
  ]);
}
