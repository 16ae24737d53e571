/** What an API server did for whom, as its audit log tells it: the bodies on both sides of a differential test. */
import { createReadStream, existsSync, statSync } from "node:fs";

/** An event of `audit.k8s.io/v1`, as far as tests read it. Written by the policy of scripts/control-plane/up.sh. */
export interface AuditEvent {
  readonly auditID: string;
  readonly stage: "RequestReceived" | "ResponseStarted" | "ResponseComplete" | "Panic";
  readonly requestURI: string;
  readonly verb: string;
  readonly user: { readonly username: string; readonly groups?: readonly string[] };
  readonly userAgent?: string;
  readonly objectRef?: {
    readonly resource?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly uid?: string;
    readonly apiGroup?: string;
    readonly apiVersion?: string;
    readonly subresource?: string;
    readonly resourceVersion?: string;
  };
  readonly responseStatus?: { readonly code?: number; readonly reason?: string; readonly message?: string };
  /** What was sent: an object, a patch, delete options. */
  readonly requestObject?: unknown;
  readonly responseObject?: unknown;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
}

/** A write and what came of it. */
export interface Effect {
  /** Position among the effects of the log. */
  readonly index: number;
  /** The first word of the user agent, without its version: `kube-controller-manager`, `kubectl-reconcile`. */
  readonly agent: string;
  /** The last part of the user agent: of kube-controller-manager's the controller, `replicaset-controller`. */
  readonly component: string;
  readonly user: string;
  readonly verb: "create" | "update" | "patch" | "delete" | "deletecollection";
  /** `pods`, `replicasets.apps`, with the subresource: `replicasets.apps/status`. */
  readonly resource: string;
  readonly namespace: string;
  /** The name the server gave, where the request had none. */
  readonly name: string;
  readonly dryRun: boolean;
  /** What stood behind the path, by name. */
  readonly query: Readonly<Record<string, string>>;
  readonly request: unknown;
  readonly response: unknown;
  readonly code: number;
  readonly reason: string;
  /** When the request came, in ms since 1970, to the microsecond. */
  readonly at: number;
}

const writes: ReadonlySet<string> = new Set(["create", "update", "patch", "delete", "deletecollection"]);

/** An audit log that is being written: each `read` answers all events so far and parses only what is new. */
export interface AuditLog {
  read(): Promise<readonly AuditEvent[]>;
}

/**
 * A log that is not there yet is an empty one; the last line is left for later while it is only half written. Reading throws where the
 * file has become shorter: what came after was lost to it.
 */
export function auditLog(path: string): AuditLog {
  const events: AuditEvent[] = [];
  let offset = 0;
  return {
    async read() {
      if (!existsSync(path)) return events;
      if (statSync(path).size < offset) throw new Error(`the audit log ${path} was begun anew: its end is not known`);
      const chunks: Buffer[] = [];
      for await (const chunk of createReadStream(path, { start: offset })) chunks.push(chunk as Buffer);
      const added = Buffer.concat(chunks);
      const end = added.lastIndexOf(0x0a) + 1;
      offset += end;
      events.push(...parseAuditLog(added.toString("utf8", 0, end)));
      return events;
    },
  };
}

/** Events of a log's text, one JSON object a line. */
export function parseAuditLog(text: string): AuditEvent[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as AuditEvent);
}

/** The writes among `events` that were answered, in the order of their answers. Reviews that store nothing are none. */
export function effectsOf(events: readonly AuditEvent[]): Effect[] {
  return events
    .filter(({ stage, verb, objectRef }) => stage === "ResponseComplete" && writes.has(verb) && isStored(objectRef))
    .map((event, index) => ({
      index,
      agent: agentOf(event.userAgent ?? ""),
      component: componentOf(event.userAgent ?? ""),
      user: event.user.username,
      verb: event.verb as Effect["verb"],
      resource: resourceOf(event.objectRef ?? {}),
      namespace: event.objectRef?.namespace ?? "",
      name: nameOf(event),
      dryRun: /[?&]dryRun=/.test(event.requestURI),
      query: Object.fromEntries(new URLSearchParams(event.requestURI.split("?")[1] ?? "")),
      request: event.requestObject,
      response: event.responseObject,
      code: event.responseStatus?.code ?? 0,
      reason: event.responseStatus?.reason ?? "",
      at: Date.parse(event.requestReceivedTimestamp.replace(/(\.\d{3})\d*Z$/, "$1Z")),
    }));
}

/**
 * Effects in the order in which they were stored: the log has them in that of their responses, and a controller may have reacted to a write
 * before its response is logged. One without a version keeps its place.
 */
export function asStored(effects: readonly Effect[]): readonly Effect[] {
  let newest = 0;
  const versioned = effects.map((effect) => {
    // A Status has no version.
    const { metadata } = (effect.response ?? {}) as { readonly metadata?: { readonly resourceVersion?: string } };
    const version = Number(metadata?.resourceVersion);
    newest = Math.max(newest, version > 0 ? version : 0);
    return { effect, version: version > 0 ? version : newest };
  });
  return versioned.toSorted((a, b) => a.version - b.version).map(({ effect }) => effect);
}

function isStored(ref: AuditEvent["objectRef"]): boolean {
  return ref !== undefined && ref.apiGroup !== "authorization.k8s.io" && ref.apiGroup !== "authentication.k8s.io";
}

/** `kube-controller-manager/v1.36.3 (linux/amd64) …` → `kube-controller-manager`. */
function agentOf(userAgent: string): string {
  return /^[^/\s]*/.exec(userAgent)?.[0] ?? "";
}

/** `… kubernetes/1f4b5a0/system:serviceaccount:kube-system:replicaset-controller` → `replicaset-controller`. */
function componentOf(userAgent: string): string {
  return /[^/:\s]*$/.exec(userAgent)?.[0] ?? "";
}

function resourceOf(ref: NonNullable<AuditEvent["objectRef"]>): string {
  const group = ref.apiGroup === undefined || ref.apiGroup === "" ? "" : `.${ref.apiGroup}`;
  const subresource = ref.subresource === undefined || ref.subresource === "" ? "" : `/${ref.subresource}`;
  return `${ref.resource ?? ""}${group}${subresource}`;
}

function nameOf(event: AuditEvent): string {
  if (event.objectRef?.name !== undefined) return event.objectRef.name;
  const answer = event.responseObject as { metadata?: { name?: string } } | undefined;
  return answer?.metadata?.name ?? "";
}
