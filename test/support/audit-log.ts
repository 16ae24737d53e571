/** Reads an API server's audit log: the requests, their users and bodies. Differential tests compare both sides by it. */
import { createReadStream, existsSync, statSync } from "node:fs";

/** An event of `audit.k8s.io/v1`, with the fields that tests read. The policy is in scripts/control-plane/up.sh. */
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
  /** The body sent: an object, a patch or delete options. */
  readonly requestObject?: unknown;
  readonly responseObject?: unknown;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
}

/** A write and its response. */
export interface Effect {
  /** Position among the effects of the log. */
  readonly index: number;
  /** The first word of the user agent, without its version: `kube-controller-manager`, `kubectl-reconcile`. */
  readonly agent: string;
  /** The last part of the user agent; for kube-controller-manager it is the controller: `replicaset-controller`. */
  readonly component: string;
  readonly user: string;
  readonly verb: "create" | "update" | "patch" | "delete" | "deletecollection";
  /** The resource with its group and subresource: `pods`, `replicasets.apps`, `replicasets.apps/status`. */
  readonly resource: string;
  readonly namespace: string;
  /** The server's generated name if the request had none. */
  readonly name: string;
  readonly dryRun: boolean;
  /** The query parameters. */
  readonly query: Readonly<Record<string, string>>;
  readonly request: unknown;
  readonly response: unknown;
  readonly code: number;
  readonly reason: string;
  /** When the server received the request, in ms since 1970, cut to whole milliseconds. */
  readonly at: number;
}

const writes: ReadonlySet<string> = new Set(["create", "update", "patch", "delete", "deletecollection"]);

/** An audit log that is still being written: each `read` returns all events so far and parses only the new ones. */
export interface AuditLog {
  read(): Promise<readonly AuditEvent[]>;
}

/**
 * A missing file is an empty log. An incomplete last line is left for the next read. Reading throws if the file has become shorter, because
 * events after that point are lost.
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

/** Parses a log's text, one JSON object per line. */
export function parseAuditLog(text: string): AuditEvent[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as AuditEvent);
}

/** The writes among `events` that have a response, in the order of the responses. Reviews are left out, because they store nothing. */
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
 * Effects in the order in which they were stored. The log is in the order of the responses, and a controller may react to a write before
 * its response is logged. An effect without a resourceVersion keeps its place.
 */
export function asStored(effects: readonly Effect[]): readonly Effect[] {
  let newest = 0;
  const versioned = effects.map((effect) => {
    // A Status has no resourceVersion.
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
  const response = event.responseObject as { metadata?: { name?: string } } | undefined;
  return response?.metadata?.name ?? "";
}
