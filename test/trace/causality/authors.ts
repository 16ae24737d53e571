/** Determines from an API server's audit log which request stored which version: the truth with which links are compared. */
import type { DecisionId } from "../../../src/api/transport.ts";
import type { AuditEvent } from "../../support/audit-log.ts";

/** A request that changed something. */
export interface Author {
  readonly id: string;
  /** `you`, `kube-scheduler`, or the field manager of one of our controllers. */
  readonly agent: string;
  readonly verb: string;
  readonly kind: string;
  readonly key: string;
  readonly subresource: string;
  /** The resourceVersion in the response; empty if the response is not the object. */
  readonly resourceVersion: string;
  /** The decision that sent it, if it came from one of our syncs. */
  readonly decision: DecisionId | undefined;
  /** When the request was received, and when its response was sent, according to the server's log. */
  readonly receivedAt: string;
  readonly respondedAt: string;
  /** Whether it certainly stored the version of its response: a create, or an update of an older version. */
  readonly sure: boolean;
}

/** The known properties of our own requests, by audit ID. */
export type Senders = ReadonlyMap<string, { readonly agent: string; readonly decision: DecisionId | undefined }>;

interface Meta {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly { readonly kind: string; readonly name: string }[];
}

interface ResponseObject {
  readonly kind?: string;
  readonly metadata?: Meta;
  readonly details?: { readonly uid?: string };
}

const verbs: ReadonlySet<string> = new Set(["create", "update", "patch", "delete"]);
/** Subresources whose responses are not the changed object, or do not show all of its versions. */
const silent: ReadonlySet<string> = new Set(["binding", "eviction", "scale"]);

export class Authors {
  readonly #byVersion = new Map<string, Author[]>();
  readonly #silent = new Map<string, Author[]>();
  readonly #removers = new Map<string, Author[]>();
  readonly #owners = new Map<string, Set<string>>();

  constructor(events: readonly AuditEvent[], senders: Senders) {
    for (const event of events) {
      const code = event.responseStatus?.code ?? 0;
      if (event.stage !== "ResponseComplete" || !verbs.has(event.verb) || code >= 300) continue;
      if (!event.requestURI.includes("dryRun=")) this.#add(event, senders);
    }
  }

  #add(event: AuditEvent, senders: Senders): void {
    const response = (event.responseObject ?? {}) as ResponseObject;
    const sender = senders.get(event.auditID);
    const { resource = "", subresource = "", namespace = "" } = event.objectRef ?? {};
    const name = event.objectRef?.name ?? response.metadata?.name ?? "";
    const meta = silent.has(subresource) || response.kind === "Status" ? undefined : response.metadata;
    const author: Author = {
      id: event.auditID,
      agent: sender?.agent ?? event.userAgent?.split("/")[0] ?? event.user.username,
      verb: event.verb,
      kind: resource,
      key: namespace === "" || resource === "namespaces" ? name : `${namespace}/${name}`,
      subresource,
      resourceVersion: meta?.resourceVersion ?? "",
      decision: sender?.decision,
      receivedAt: event.requestReceivedTimestamp,
      respondedAt: event.stageTimestamp,
      sure: event.verb === "create" || (event.verb === "update" && sentVersion(event) !== undefined),
    };
    const object = `${resource} ${author.key}`;
    this.#noteOwners(object, meta);
    if (meta?.resourceVersion !== undefined && !isIdle(event, meta)) {
      append(this.#byVersion, `${object} ${meta.resourceVersion}`, author);
    }
    if (author.verb === "delete" || silent.has(subresource)) append(this.#silent, object, author);
    const uid = meta?.uid ?? response.details?.uid ?? "";
    if (uid !== "" && (response.kind === "Status" || isGone(meta))) append(this.#removers, uid, author);
  }

  #noteOwners(object: string, meta: Meta | undefined): void {
    if (meta === undefined) return;
    const owners = this.#owners.get(object) ?? new Set();
    this.#owners.set(object, owners);
    if ((meta.ownerReferences ?? []).length === 0) owners.add("");
    for (const { kind, name } of meta.ownerReferences ?? []) owners.add(`${kind} ${name}`);
  }

  /**
   * The requests that can have stored this version of an object of a resource; nearly always one. A version that no response contains is an
   * intermediate result of a request whose response does not show all of its changes.
   */
  of(resource: string, key: string, resourceVersion: string): readonly Author[] {
    const authors = this.#byVersion.get(`${resource} ${key} ${resourceVersion}`);
    return authors === undefined ? (this.#silent.get(`${resource} ${key}`) ?? []) : likely(authors);
  }

  /** The requests that can have removed the object with this UID. */
  ofRemoval(uid: string): readonly Author[] {
    return this.#removers.get(uid) ?? [];
  }

  /** All owners that the object has ever had, such as `ReplicaSet web`, and `""` if it was ever without one. */
  ownersOf(resource: string, key: string): ReadonlySet<string> {
    return this.#owners.get(`${resource} ${key}`) ?? new Set();
  }
}

/**
 * Whether a request stored nothing: an update that sent the version of its response, or a delete that another one overtook between the
 * server's read of the object and its write. The response is then the object as read, which shows no deletion.
 * Source: kubernetes v1.36 staging/src/k8s.io/apiserver/pkg/registry/generic/registry/store.go updateForGracefulDeletionAndFinalizers.
 */
function isIdle(event: AuditEvent, { resourceVersion, deletionTimestamp }: Meta): boolean {
  if (event.verb === "delete") return deletionTimestamp === undefined;
  return event.verb !== "create" && sentVersion(event) === resourceVersion;
}

function sentVersion(event: AuditEvent): string | undefined {
  return (event.requestObject as ResponseObject | undefined)?.metadata?.resourceVersion;
}

/** Of several responses with one version only the first can be its author's: later requests arrived when the version already existed. */
function likely(all: readonly Author[]): readonly Author[] {
  const sure = all.filter((author) => author.sure);
  if (sure.length > 0) return sure;
  return all.filter(({ receivedAt }) => !all.some(({ respondedAt }) => respondedAt < receivedAt));
}

function isGone(meta: Meta | undefined): boolean {
  return (
    meta?.deletionTimestamp !== undefined &&
    (meta.finalizers ?? []).length === 0 &&
    (meta.deletionGracePeriodSeconds ?? 0) === 0
  );
}

function append(into: Map<string, Author[]>, name: string, author: Author): void {
  into.set(name, [...(into.get(name) ?? []), author]);
}
