/**
 * Opens a watch. Source: apiserver v0.36 storage/cacher/cacher.go Watch; apimachinery v0.36 apis/meta/internalversion/defaults.go: a watch
 * without a version, or from 0, starts with the objects as if it had requested these with `sendInitialEvents`.
 */
import type { ApiBody } from "../../api/transport.ts";
import { below } from "../../platform/random.ts";
import { canonicalize } from "../meta/canonical.ts";
import type { Format } from "../serialization/encoding.ts";
import { revisionOf, type ListOptions } from "../options/list-options.ts";
import { expired, refusal } from "../meta/refusal.ts";
import { selects } from "../options/selection.ts";
import { child, type Fields } from "../meta/object.ts";
import type { RequestScope } from "../context/server.ts";
import type { Entry } from "../storage/entry.ts";
import { errorBody, watchBody } from "../context/watch.ts";

/** A watch without timeoutSeconds ends after this time, and up to as much again. */
const minTimeoutMs = 1_800_000;

/** The body of a watch. @throws StatusError for a resourceVersion that cannot be parsed. */
export function openWatch(scope: RequestScope, options: ListOptions, format: Format, actor: string): ApiBody {
  const { server, collection } = scope;
  const requested = revisionOf(options.resourceVersion, false);
  const { selection } = options;
  const current = server.store.revision;
  const sendsState = options.sendInitialEvents ?? requested === 0;
  if (options.sendInitialEvents === true && requested > current) {
    const version = BigInt(options.resourceVersion);
    return errorBody(
      refusal(504, "Timeout", `Timeout: Too large resource version: ${version}, current: ${current}`),
      format,
    );
  }
  // No other server can be ahead: the client has seen an earlier sandbox, and must relist at once.
  if (!sendsState && requested > current) {
    return errorBody(
      expired(`resource version ${requested} is of another sandbox, which is gone: this one is at ${current}`),
      format,
    );
  }
  if (!sendsState && requested > 0 && !collection.watchCache.covers(requested)) {
    return errorBody(expired(`too old resource version: ${requested} (${collection.watchCache.compacted})`), format);
  }
  const initial: Entry[] = [];
  if (sendsState) {
    for (const entry of collection.range({ namespace: selection.namespace }))
      if (selects(selection, entry)) initial.push(entry);
  }
  const timeoutMs =
    options.timeoutSeconds === undefined || options.timeoutSeconds <= 0
      ? minTimeoutMs + below(server.random, minTimeoutMs)
      : options.timeoutSeconds * 1000;
  return watchBody(
    {
      collection,
      selection,
      format,
      initial,
      from: sendsState || requested === 0 ? current : requested,
      initialEventsEnd: sendsState && options.bookmarks,
      bookmarks: options.bookmarks,
      timeoutMs,
      revision: () => server.store.revision,
      bookmark: (revision, initialEventsEnd) => bookmarkOf(scope, { format, revision, initialEventsEnd }),
    },
    { timeline: server.timeline, actor, open: server.watches },
  );
}

/** Kinds whose replicas are always written: the real server has them as plain numbers. */
const countsReplicas = new Set(["ReplicaSet", "Deployment", "StatefulSet", "ReplicationController"]);

interface Bookmark {
  readonly format: Format;
  readonly revision: number;
  readonly initialEventsEnd: boolean;
}

/** A bookmark's object: an empty one of the kind, as the real server writes it. */
function bookmarkOf(scope: RequestScope, { format, revision, initialEventsEnd }: Bookmark): Fields {
  const { kind, apiVersion, struct } = scope.served;
  const metadata: Fields = { resourceVersion: String(revision) };
  if (initialEventsEnd) metadata["annotations"] = { "k8s.io/initial-events-end": "true" };
  const [form, version] = format.name.split(" ");
  if (form === "partial") return { kind: "PartialObjectMetadata", apiVersion: version, metadata };
  const object: Fields = { kind, apiVersion, metadata };
  if (struct !== undefined) canonicalize(object, struct, scope.server.registry.schema);
  if (countsReplicas.has(kind)) child(object, "spec")["replicas"] = 0;
  return object;
}
