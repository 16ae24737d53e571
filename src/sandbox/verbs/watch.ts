/** Opens a watch as its options ask. Source: apiserver v0.36 storage/cacher/cacher.go Watch. */
import type { ApiBody } from "../../api/transport.ts";
import { below } from "../../platform/random.ts";
import type { Format } from "../encoding.ts";
import { revisionOf, type ListOptions } from "../list-options.ts";
import { expired, refusal } from "../refusal.ts";
import { selects, type Selection } from "../selection.ts";
import type { Call } from "../server.ts";
import type { Entry } from "../store/history.ts";
import { errorBody, watchBody } from "../watch.ts";

/** A watch without timeoutSeconds ends after this time, and up to as much again. */
const minTimeoutMs = 1_800_000;

/** The body that tells the changes. @throws StatusError for a version that cannot be read. */
export function openWatch(call: Call, options: ListOptions, format: Format, actor: string): ApiBody {
  const { server, resource, collection } = call;
  const asked = revisionOf(options.resourceVersion);
  const selection = namedOnly(call, options.selection);
  const current = server.store.revision;
  const sendsState = options.sendInitialEvents ?? asked === 0;
  if (options.sendInitialEvents === true && asked > current) {
    return errorBody(refusal(504, "Timeout", `Timeout: Too large resource version: ${asked}, current: ${current}`));
  }
  if (!sendsState && asked > 0 && !collection.history.covers(asked)) {
    return errorBody(expired(`too old resource version: ${asked} (${collection.history.compacted})`));
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
      from: sendsState || asked === 0 ? current : asked,
      initialEventsEnd: options.sendInitialEvents === true && options.bookmarks,
      bookmarks: options.bookmarks,
      timeoutMs,
      revision: () => server.store.revision,
      bookmarkText: (revision, initialEventsEnd) => bookmarkText(resource, format, revision, initialEventsEnd),
    },
    { timeline: server.timeline, actor, open: server.watches },
  );
}

/** A watch of one object by its path. */
function namedOnly(call: Call, selection: Selection): Selection {
  const { name } = call;
  if (name === "") return selection;
  const { fields } = selection;
  return {
    ...selection,
    fields: {
      terms: [...fields.terms, { field: "metadata.name", equal: true, value: name }],
      matches: (object) => object.metadata.name === name && fields.matches(object),
    },
  };
}

/** An object of the kind with nothing in it, as Go prints it. */
const emptyFields: Readonly<Record<string, object>> = {
  Pod: { spec: { containers: null }, status: {} },
  ReplicaSet: {
    spec: { selector: null, template: { metadata: {}, spec: { containers: null } } },
    status: { replicas: 0 },
  },
};

function bookmarkText(
  { kind, apiVersion }: Call["resource"],
  format: Format,
  revision: number,
  initialEventsEnd: boolean,
): string {
  const metadata = {
    resourceVersion: String(revision),
    ...(initialEventsEnd ? { annotations: { "k8s.io/initial-events-end": "true" } } : {}),
  };
  if (format.name === "partial")
    return JSON.stringify({ kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata });
  return JSON.stringify({ kind, apiVersion, metadata, ...emptyFields[kind] });
}
