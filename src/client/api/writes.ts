/** Sends a write and emits one event for it, however it ends. */
import { messageOf } from "../../api/error-message.ts";
import type { FieldChange } from "../../api/field-changes.ts";
import { objectKey } from "../../api/key.ts";
import type { Kind } from "../../api/kind.ts";
import { StatusError } from "../../api/status-error.ts";
import type { ApiRequest } from "../../api/transport.ts";
import { objectsIn, resultOfWrite } from "../../api/write-result.ts";
import type { WriteEvent } from "../../trace/events.ts";
import { maskChanges } from "../../trace/mask.ts";
import { parseResponse } from "./responses.ts";
import type { RequestContext } from "./requests.ts";

/** A write, with what its event contains. */
export interface Write {
  readonly verb: WriteEvent["verb"];
  readonly kind: Kind;
  readonly namespace: string | undefined;
  /** Empty for a collection, and if the server generates the name. */
  readonly name: string;
  readonly subresource?: string;
  readonly request: ApiRequest;
  /** The resourceVersion that the write is based on. */
  readonly before: string;
  /** Whether the server refuses it unless the object is at `before`. */
  readonly conditional: boolean;
  readonly fieldManager: string;
  /** Called only if the bus has listeners. */
  readonly changes: () => readonly FieldChange[];
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

interface Outcome {
  readonly status: number;
  readonly body?: unknown;
  readonly error?: unknown;
}

/** @throws StatusError, TransportError, or the signal's reason. */
export async function send(context: RequestContext, write: Write): Promise<unknown> {
  const start = context.timeline.now();
  let status = 0;
  try {
    const response = await context.transport.send(write.request);
    ({ status } = response);
    const { value } = await parseResponse(response);
    report(context, write, start, { status, body: value });
    return value;
  } catch (error) {
    // A response with a lost body counts as no response.
    report(context, write, start, { status: error instanceof StatusError ? error.code : 0, error });
    throw error;
  }
}

function report(context: RequestContext, write: Write, start: number, outcome: Outcome): void {
  const { bus } = context;
  if (!bus.on) return;
  const event = eventOf(write, { sentAt: start, ms: context.timeline.now() - start }, outcome);
  bus.emit(context.wouldBe === true ? { ...event, wouldBe: true } : event);
}

/** Optional fields are assigned one by one: spreading each into the literal took longer than everything else. */
function eventOf(write: Write, { sentAt, ms }: Pick<WriteEvent, "sentAt" | "ms">, outcome: Outcome): WriteEvent {
  const { kind, subresource } = write;
  const of = { group: kind.group, kind: kind.kind };
  const { decision } = write.request;
  const result = resultOfWrite(outcome.body);
  const name = write.name === "" && write.verb === "create" ? result.name : write.name;
  const event: Writable<WriteEvent> = {
    stage: "write",
    verb: write.verb,
    fieldManager: write.fieldManager,
    of,
    key: objectKey(write.namespace, name),
    uid: result.uid,
    before: write.before,
    conditional: write.conditional,
    resourceVersion: result.resourceVersion,
    deletes: result.deletes,
    status: outcome.status,
    sentAt,
    ms,
    changes: maskChanges(of, write.changes()),
  };
  if (decision !== undefined) {
    event.controller = decision.controller;
    event.sync = decision.sync;
    event.decision = decision.seq;
  }
  if (subresource !== undefined) event.subresource = subresource;
  if (name !== write.name) event.generatedName = true;
  if (write.verb === "deletecollection") Object.assign(event, objectsIn(outcome.body));
  if (outcome.error !== undefined) event.error = messageOf(outcome.error);
  return event;
}
