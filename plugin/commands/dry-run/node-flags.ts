/** Parses and checks the nodes of `--node-down` and `--drain`. */
import { Nodes, Pods } from "../../../src/api/kinds.ts";
import { isForbidden } from "../../../src/api/status-error.ts";
import type { Client } from "../../../src/client/api/verbs.ts";
import type { RequestedChange } from "../../../src/modes/dry-run/apply.ts";
import { distance } from "../../cli/nearest.ts";
import { UserError } from "../../cli/user-error.ts";

/** The node names as given by the user: `node-1` or `node/node-1`. */
export interface NodeFlags {
  readonly nodesDown: readonly string[];
  readonly drains: readonly string[];
}

const form = /^(?:(?:nodes?|no)\/)?([a-z0-9](?:[-a-z0-9.]*[a-z0-9])?)$/;

function nodeName(text: string): string {
  return form.exec(text)?.[1] ?? "";
}

/** @throws UserError for words that do not name a node, and for a node given in both options. */
export function validateNodeFlags({ nodesDown, drains }: NodeFlags): void {
  for (const [option, texts] of [
    ["--node-down", nodesDown],
    ["--drain", drains],
  ] as const) {
    const wrong = texts.find((text) => nodeName(text) === "");
    if (wrong !== undefined) {
      const next = wrong.includes(",")
        ? `repeat it for each: ${wrong
            .split(",")
            .map((each) => `${option} ${each}`)
            .join(" ")}`
        : "it takes the name of a node";
      throw new UserError(`${option} ${wrong} cannot be read`, [next]);
    }
  }
  const both = nodesDown.map(nodeName).find((name) => drains.map(nodeName).includes(name));
  if (both !== undefined)
    throw new UserError(`--node-down and --drain name the same node, ${both}`, ["a silent node cannot be drained"]);
}

/** The names of the nodes, without duplicates. */
export function nodeNames({ nodesDown, drains }: NodeFlags): readonly string[] {
  return uniqueNames([...nodesDown, ...drains]);
}

/** The changes of the nodes, in order. */
export function nodeChanges({ nodesDown, drains }: NodeFlags): readonly RequestedChange[] {
  const change =
    (is: "silence" | "drain") =>
    (name: string): RequestedChange => ({
      is,
      kind: Nodes,
      namespace: "",
      name,
    });
  return [...uniqueNames(nodesDown).map(change("silence")), ...uniqueNames(drains).map(change("drain"))];
}

function uniqueNames(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.map(nodeName))];
}

const namedNodes = 6;

/** @throws UserError for a missing node, which suggests similar names or the first few nodes. */
export function refuseMissingNodes(
  flags: NodeFlags,
  { there, where }: { readonly there: readonly string[]; readonly where: string },
): void {
  const missing = nodeNames(flags).find((name) => !there.includes(name));
  if (missing === undefined) return;
  throw new UserError(`there is no node ${missing} ${where}`, [adviceFor(missing, there)]);
}

function adviceFor(missing: string, there: readonly string[]): string {
  if (there.length === 0) return "there are no nodes at all";
  const away = (name: string): number =>
    name.startsWith(missing) || missing.startsWith(name) ? 1 : distance(name, missing);
  const near = there.filter((name) => away(name) <= 2).sort((a, b) => away(a) - away(b) || (a < b ? -1 : 1));
  if (near.length > 0) return `did you mean ${near.slice(0, namedNodes).join(", ")}?`;
  const left = there.length - namedNodes;
  return `there are: ${[...there].sort().slice(0, namedNodes).join(", ")}${left > 0 ? ` and ${left} more` : ""}`;
}

/**
 * The namespaces of the pods on the cluster's nodes. All nodes are included, because pods that move need room on them.
 * @throws UserError for a missing node, and if nodes or pods may not be listed.
 */
export async function namespacesOnNodes(client: Client, flags: NodeFlags): Promise<readonly string[]> {
  const names = nodeNames(flags);
  if (names.length === 0) return [];
  const nodes = await listed("nodes", client.list(Nodes));
  const there = nodes.map(({ metadata }) => metadata.name);
  refuseMissingNodes(flags, { there, where: "on the cluster" });
  const pods = await Promise.all(
    names.map((name) => listed("pods", client.list(Pods, { fieldSelector: `spec.nodeName=${name}` }))),
  );
  return [...new Set(pods.flat().flatMap(({ metadata }) => metadata.namespace ?? []))].sort();
}

async function listed<T>(plural: string, page: Promise<{ readonly items: readonly T[] }>): Promise<readonly T[]> {
  try {
    return (await page).items;
  } catch (error) {
    if (!isForbidden(error)) throw error;
    throw new UserError(
      `not allowed to list ${plural} of the whole cluster: the effects of a node cannot be predicted`,
      ["--node-down and --drain need the rights to list nodes, and pods in all namespaces"],
      { cause: error },
    );
  }
}
