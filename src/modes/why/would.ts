/** What our controllers would do with an object now: one shadow sync of each key in its chain. */
import { objectKey } from "../../api/key.ts";
import { type Kind, resourceOf } from "../../api/kind.ts";
import { Deployments, ReplicaSets } from "../../api/kinds.ts";
import type { StoredObject } from "../../api/object.ts";
import { ownVersion, type ServerVersion } from "../../api/server-version.ts";
import { isForbidden } from "../../api/status-error.ts";
import { serverVersion } from "../../client/api/server-version.ts";
import type { Client } from "../../client/api/verbs.ts";
import { type ControllerDefinition, isNamespaced } from "../../controller/api/definition.ts";
import type { Ref } from "../../diagnosis/diagnosis.ts";
import { type Got, isOwnedBy, type WouldDo } from "../../diagnosis/look.ts";
import { sleep } from "../../platform/timeline.ts";
import { reviewRights } from "../preflight/rights.ts";
import { startShadow } from "../shadow/shadow.ts";
import type { ReaderOptions } from "./options.ts";

/** Why it is unknown, for several objects, what our controllers would do. */
export const onlyForOne = "only evaluated for a single object";

/** The longest wait for the caches of a shadow. */
const longestMs = 15_000;

/**
 * If a right to list or watch what a controller reads is missing, it is not started, because its caches would never
 * fill; what it would do is then unseen. If it would do nothing, nothing is reported.
 */
export async function readWould(options: ReaderOptions, ref: Ref): Promise<Got> {
  const chain = chainOf(options.controllers, ref.kind);
  if (chain.length === 0) return { is: "would", would: [], unseen: [] };
  const names = new Intl.ListFormat("en-GB").format(chain.map(({ name }) => name));
  const what = `what our ${names} would do`;
  const unseen = (why: string): Got => ({ is: "would", would: [], unseen: [{ what, why, isDecisive: false }] });
  if (!options.evaluatesControllers) return unseen(onlyForOne);
  // A controller that works across namespaces reads all of them.
  const namespace = chain.every(isNamespaced) ? ref.namespace : "";
  const [missing, version] = await Promise.all([
    missingRight(options, chain, namespace),
    readableVersion(options.client),
  ]);
  if (missing !== undefined) return unseen(`no right to ${missing}`);
  const overdue = new AbortController();
  let over = false;
  void sleep(options.timeline, longestMs, "why shadow", { signal: overdue.signal, background: true }).then(
    () => {
      over = true;
      overdue.abort(new Error("overdue"));
    },
    () => undefined,
  );
  try {
    return { is: "would", would: await shadowSyncs({ ...options, version }, ref, chain, overdue.signal), unseen: [] };
  } catch (error) {
    if (over) return unseen(`its caches were not full after ${longestMs / 1000} s`);
    throw error;
  } finally {
    overdue.abort();
  }
}

/** The server's version; ours if the user has no right to it, which the ClusterRole system:public-info-viewer grants. */
async function readableVersion(client: Client): Promise<ServerVersion> {
  try {
    return await serverVersion(client);
  } catch (error) {
    if (isForbidden(error)) return ownVersion;
    throw error;
  }
}

/** The controllers that act on an object of the kind, or on its dependents in the chain. */
export function chainOf(controllers: readonly ControllerDefinition[], kind: Kind): readonly ControllerDefinition[] {
  return controllers.filter(({ for: of }) => of !== undefined && isInChain(kind, of));
}

/** Deployment → ReplicaSet: whose syncs concern an object of the kind. */
function isInChain(kind: Kind, of: Kind): boolean {
  if (resourceOf(of) === resourceOf(kind)) return true;
  return resourceOf(kind) === resourceOf(Deployments) && resourceOf(of) === resourceOf(ReplicaSets);
}

/** The first missing right: `list replicasets`. */
async function missingRight(
  { client }: ReaderOptions,
  controllers: readonly ControllerDefinition[],
  namespace: string,
): Promise<string | undefined> {
  const kinds = new Map(
    controllers.flatMap(({ watches }) => watches.map(({ kind }) => [resourceOf(kind), kind] as const)),
  );
  const rights = [...kinds.values()].flatMap(({ group, plural, namespaced }) =>
    ["list", "watch"].map((verb) => ({
      verb,
      group,
      resource: plural,
      ...(namespaced && namespace !== "" && { namespace }),
    })),
  );
  const first = (await reviewRights(client, rights)).missing[0];
  return first === undefined ? undefined : `${first.verb} ${first.resource}`;
}

async function shadowSyncs(
  options: ReaderOptions & { readonly version: ServerVersion },
  { namespace, name, kind: objectKind }: Ref,
  controllers: readonly ControllerDefinition[],
  signal: AbortSignal,
): Promise<readonly WouldDo[]> {
  const { transport, bus, timeline, random, serverCa, version } = options;
  const inNamespace = namespace !== "" && controllers.every(isNamespaced) && { namespace };
  const ownerOf = (): { readonly manager: undefined; readonly found: false } => ({ manager: undefined, found: false });
  const shadow = await startShadow(
    {
      controllers,
      transport,
      bus,
      timeline,
      random,
      serverCa,
      serverVersion: version,
      ...inNamespace,
      ownerOf,
    },
    signal,
  );
  const decided = new Map<number, WouldDo & { isCarriedOut: boolean }>();
  const stopListening = bus.listen((event) => {
    if (event.stage === "decision") {
      const sentence = `${event.rule}: ${event.sentence}`;
      decided.set(event.seq, { controller: event.controller, sentence, isCarriedOut: false });
    }
    // A status describes the present, not what comes next.
    if (event.stage !== "write" || event.subresource === "status" || event.decision === undefined) return;
    const decision = decided.get(event.decision);
    if (decision !== undefined) decision.isCarriedOut = true;
  });
  try {
    const own = shadow.manager.controllers.find(({ definition }) => definition.for?.kind === objectKind.kind);
    const target =
      own?.definition.for === undefined
        ? undefined
        : own.cache<StoredObject>(own.definition.for).get(objectKey(namespace, name));
    for (const running of shadow.manager.controllers) {
      const { for: kind } = running.definition;
      if (kind === undefined || target === undefined) continue;
      const { uid } = target.metadata;
      const mine = running
        .cache<StoredObject>(kind)
        .list(namespace)
        .filter((object) => object.metadata.uid === uid || isOwnedBy(object, uid));
      await shadow.syncOnce(running, new Set(mine.map(({ metadata }) => objectKey(metadata.namespace, metadata.name))));
    }
  } finally {
    stopListening();
    await shadow.stop();
  }
  // In the order of the decisions: one may cover writes before and after those of another.
  return [...decided.values()]
    .filter(({ isCarriedOut }) => isCarriedOut)
    .map(({ controller, sentence }) => ({ controller, sentence }));
}
