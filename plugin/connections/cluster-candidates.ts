/** What completion offers from the kubeconfig and from the cluster. Slow or failing lookups offer nothing. */
import { Namespaces, Nodes } from "../../src/api/kinds.ts";
import type { ConfigFlags } from "../../src/client/config/rest-config.ts";
import { discover } from "../../src/client/api/discovery.ts";
import { loadKubeconfig } from "../../src/client/config/kubeconfig.ts";
import type { Client } from "../../src/client/api/verbs.ts";
import { realHost } from "../../src/platform/host.ts";
import type { Candidate, Typing } from "../cli/command.ts";
import { connectAs } from "./connection.ts";
import type { Io } from "../cli/io.ts";
import { kindNamed, namesObject } from "../names/object-names.ts";

const patienceMs = 1500;
/** The maximum number of objects that are offered. */
const mostObjects = 500;

async function named(of: "contexts" | "clusters" | "users", { values }: Typing): Promise<readonly Candidate[]> {
  const { kubeconfig: path } = values;
  const kubeconfig = await loadKubeconfig(realHost(), path === undefined ? {} : { kubeconfig: path });
  return [...kubeconfig[of].keys()].sort().map((value) => ({ value, about: "" }));
}

type Complete = (io: Io, typing: Typing) => Promise<readonly Candidate[]>;

/** The contexts of the kubeconfig. */
export const contextCandidates: Complete = (_, typing) => named("contexts", typing);
/** The clusters of the kubeconfig. */
export const clusterCandidates: Complete = (_, typing) => named("clusters", typing);
/** The users of the kubeconfig. */
export const userCandidates: Complete = (_, typing) => named("users", typing);

/** The flags typed so far that select the cluster. */
function accessOf({ values }: Typing): ConfigFlags {
  const { insecureSkipTlsVerify: insecure, requestTimeout: _timeout, asGroup, ...texts } = values;
  return {
    ...texts,
    ...(asGroup !== undefined && { asGroup: [asGroup] }),
    ...(insecure !== undefined && { insecureSkipTlsVerify: insecure !== "false" }),
    requestTimeout: patienceMs,
  };
}

async function withClient<T>(
  io: Io,
  typing: Typing,
  read: (client: Client, namespace: string) => Promise<T>,
): Promise<T> {
  const quiet = { ...io, err: { ...io.err, write: () => undefined } };
  const connected = await connectAs(accessOf(typing), quiet, { qps: 0, burst: 1, readOnly: true });
  try {
    return await read(connected.clientFor("kubectl-reconcile"), connected.namespace);
  } finally {
    await connected.close();
  }
}

/** The namespaces of the cluster that the command line selects. */
export const namespaceCandidates: Complete = (io, typing) =>
  withClient(io, typing, async (client) => {
    const page = await client.list(Namespaces, { limit: mostObjects });
    return page.items.map(({ metadata }) => ({ value: metadata.name, about: "" }));
  });

/** The nodes of the cluster that the command line selects. */
export const nodeCandidates: Complete = (io, typing) =>
  withClient(io, typing, async (client) => {
    const page = await client.list(Nodes, { limit: mostObjects });
    return page.items.map(({ metadata }) => ({ value: metadata.name, about: "" }));
  });

/** The kinds of the cluster that can be listed, by their names in kubectl. */
export const kindCandidates: Complete = (io, typing) => withClient(io, typing, (client) => kindsOf(client));

async function kindsOf(client: Client): Promise<readonly Candidate[]> {
  const { kinds } = await discover(client);
  const listed = kinds.filter(({ verbs }) => verbs.includes("list"));
  return [...new Map(listed.map(({ plural, kind }) => [plural, kind]))]
    .map(([value, about]) => ({ value, about }))
    .sort((a, b) => (a.value < b.value ? -1 : 1));
}

/** Kinds, and after `TYPE/`, or `TYPE` and a space, the objects of the kind in the namespace. */
export const objectCandidates: Complete = (io, typing) =>
  withClient(io, typing, async (client, namespace) => {
    const { typed, before } = typing;
    const [first] = before;
    const isSpaced = first !== undefined && !namesObject(first) && !first.includes(",");
    const type = namesObject(typed) ? (typed.split("/")[0] ?? "") : isSpaced ? first : undefined;
    if (type === undefined) return kindsOf(client);
    const { kinds } = await discover(client);
    const kind = kindNamed(type, kinds, io.calledAs);
    const page = await client.list(kind, { limit: mostObjects, ...(kind.namespaced && { namespace }) });
    const prefix = namesObject(typed) ? `${type}/` : "";
    return page.items.map(({ metadata }) => ({ value: prefix + metadata.name, about: "" }));
  });
