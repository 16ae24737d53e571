/**
 * What kube-controller-manager does within a second in every cluster, whatever else it has to do: its presence shows
 * that kube-controller-manager was running, its absence that it is not.
 */
import type { Kind } from "../../../api/kind.ts";
import { ClusterRoles, ConfigMaps, Namespaces, Nodes, ServiceAccounts } from "../../../api/kinds.ts";
import type { StoredObject } from "../../../api/object.ts";
import { parseTime } from "../../../api/time.ts";
import type { Client } from "../../../client/api/verbs.ts";
import type { Unseen } from "../../../verdict/verdict.ts";
import { type Idle, joined, type Look, nothingSeen, readable, type Sign, writtenAt } from "./sign.ts";

/** An object that one of its controllers creates in each namespace. */
interface Kept {
  readonly kind: Kind;
  readonly name: string;
  readonly controller: string;
}

const keptInNamespaces: readonly Kept[] = [
  { kind: ConfigMaps, name: "kube-root-ca.crt", controller: "root-ca-certificate-publisher" },
  { kind: ServiceAccounts, name: "default", controller: "serviceaccount" },
];

/**
 * Checks the namespaces, an aggregated ClusterRole, and Nodes. Only reads; what cannot be read is reported as unseen.
 *
 * Source: kubernetes v1.36 pkg/controller/certificates/rootcacertpublisher, serviceaccount, clusterroleaggregation,
 * ttl.
 */
export async function componentWorks(client: Client, namespaces: readonly string[]): Promise<Look> {
  const looks = [...namespaces.map((name) => inNamespace(client, name)), atClusterRole(client), atNodes(client)];
  return joined(await Promise.all(looks));
}

function mayNotRead(what: string): Look {
  const unseen: Unseen = { what, why: "no right to read", isDecisive: false };
  return { ...nothingSeen, unseen: [unseen] };
}

async function inNamespace(client: Client, name: string): Promise<Look> {
  const namespace = await readable(client.getMetadata(Namespaces, { namespace: "", name }));
  if (namespace === "absent") return nothingSeen;
  if (namespace === "forbidden") return mayNotRead(`Namespace ${name}`);
  // In a terminating namespace nothing is recreated.
  if (namespace.metadata.deletionTimestamp !== undefined) return nothingSeen;
  const since = parseTime(namespace.metadata.creationTimestamp);
  return joined(await Promise.all(keptInNamespaces.map((kept) => keptIn(client, { name, since }, kept))));
}

async function keptIn(
  client: Client,
  namespace: { readonly name: string; readonly since: number },
  { kind, name, controller }: Kept,
): Promise<Look> {
  const found = await readable(client.getMetadata(kind, { namespace: namespace.name, name }));
  const what = `${kind.kind} ${namespace.name}/${name}`;
  if (found === "forbidden") return mayNotRead(what);
  const seen = [what];
  if (found !== "absent") return { ...nothingSeen, signs: signsOf(what, found), seen };
  const clause = `Namespace ${namespace.name} has had no ${kind.kind} ${name}`;
  return { ...nothingSeen, idles: [{ clause, since: namespace.since, controller }], seen };
}

/** Signs of kube-controller-manager; users write such objects too, and so do we. */
function signsOf(what: string, { metadata }: StoredObject): readonly Sign[] {
  return (metadata.managedFields ?? []).flatMap((entry) => {
    const at = writtenAt(entry);
    if (at === undefined || entry.manager !== "kube-controller-manager") return [];
    return [{ clause: `${what} was written by ${entry.manager}`, at, isOwn: false, by: entry.manager }];
  });
}

async function atClusterRole(client: Client): Promise<Look> {
  const name = "admin";
  const role = await readable(client.get(ClusterRoles, { namespace: "", name }));
  if (role === "absent") return nothingSeen;
  const what = `ClusterRole ${name}`;
  if (role === "forbidden") return mayNotRead(what);
  const isEmpty = role.aggregationRule !== undefined && (role.rules ?? []).length === 0;
  const idle: Idle = {
    clause: `${what} has had no rules`,
    since: parseTime(role.metadata.creationTimestamp),
    controller: "clusterrole-aggregation",
  };
  return { ...nothingSeen, idles: isEmpty ? [idle] : [], seen: [what] };
}

const ttlAnnotation = "node.alpha.kubernetes.io/ttl";

async function atNodes(client: Client): Promise<Look> {
  const page = await readable(client.listMetadata(Nodes, { limit: 10 }));
  if (page === "absent") return nothingSeen;
  if (page === "forbidden") return mayNotRead("nodes");
  const bare = page.items.find(({ metadata }) => metadata.annotations?.[ttlAnnotation] === undefined);
  const seen = page.items.length === 0 ? [] : [`${page.items.length} nodes`];
  if (bare === undefined) return { ...nothingSeen, seen };
  const idle: Idle = {
    clause: `Node ${bare.metadata.name} has had no annotation ${ttlAnnotation}`,
    since: parseTime(bare.metadata.creationTimestamp),
    controller: "ttl",
  };
  return { ...nothingSeen, idles: [idle], seen };
}
