/** Sends a write and tells the bus of it, once, however it ends. */
import type { FieldChange } from "../api/field-changes.ts";
import { objectKey } from "../api/key.ts";
import type { Kind } from "../api/kind.ts";
import { StatusError, type Status } from "../api/status-error.ts";
import type { ObjectMeta } from "../api/object.ts";
import type { ApiRequest } from "../api/transport.ts";
import type { WriteEvent } from "../trace/events.ts";
import { maskChanges } from "../trace/mask.ts";
import { readAnswer } from "./answers.ts";
import type { Sender } from "./requests.ts";

export interface Write {
  readonly verb: WriteEvent["verb"];
  readonly kind: Kind;
  readonly namespace: string | undefined;
  /** Empty for a collection, and for an object whose name the server makes. */
  readonly name: string;
  readonly subresource?: string;
  readonly request: ApiRequest;
  /** The resourceVersion that the write is based on. */
  readonly before: string;
  /** The server refuses it if the object is not at `before` any more. */
  readonly conditional: boolean;
  readonly fieldManager: string;
  /** Asked only when somebody listens. */
  readonly changes: () => readonly FieldChange[];
}

interface Outcome {
  readonly status: number;
  readonly answer?: unknown;
  readonly error?: unknown;
}

/** @throws StatusError, TransportError, or the signal's reason. */
export async function send(sender: Sender, write: Write): Promise<unknown> {
  const start = sender.timeline.now();
  let status = 0;
  try {
    const response = await sender.transport.send(write.request);
    ({ status } = response);
    const { value } = await readAnswer(response);
    report(sender, write, start, { status, answer: value });
    return value;
  } catch (error) {
    // An answer whose body was lost is no answer.
    report(sender, write, start, { status: error instanceof StatusError ? error.code : 0, error });
    throw error;
  }
}

function report(sender: Sender, write: Write, start: number, outcome: Outcome): void {
  const { bus } = sender;
  if (!bus.on) return;
  const event = eventOf(write, { sentAt: start, ms: sender.timeline.now() - start }, outcome);
  bus.emit(sender.wouldBe === true ? { ...event, wouldBe: true } : event);
}

function eventOf(write: Write, times: Pick<WriteEvent, "sentAt" | "ms">, outcome: Outcome): WriteEvent {
  const { kind } = write;
  const of = { group: kind.group, kind: kind.kind };
  const { decision } = write.request;
  const result = resultOf(outcome.answer);
  const name = write.name === "" && write.verb === "create" ? result.name : write.name;
  return {
    stage: "write",
    ...(decision !== undefined && {
      controller: decision.controller,
      sync: decision.sync,
      decision: decision.seq,
    }),
    verb: write.verb,
    fieldManager: write.fieldManager,
    of,
    ...(write.subresource !== undefined && { subresource: write.subresource }),
    key: objectKey(write.namespace, name),
    ...(name !== write.name && { generatedName: true }),
    uid: result.uid,
    before: write.before,
    conditional: write.conditional,
    resourceVersion: result.resourceVersion,
    deletes: result.deletes,
    ...(write.verb === "deletecollection" && countOf(outcome.answer)),
    status: outcome.status,
    ...times,
    ...(outcome.error !== undefined && { error: messageOf(outcome.error) }),
    changes: maskChanges(of, write.changes()),
  };
}

function countOf(answer: unknown): { readonly objects?: number } {
  const items = (answer as { readonly items?: unknown } | undefined)?.items;
  return Array.isArray(items) ? { objects: items.length } : {};
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

interface Result {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly deletes: boolean;
}

/**
 * What an answer tells of its object. It is gone when it has a deletionTimestamp and neither finalizers nor a grace period
 * are left; and when the server answers a delete with a Status instead of the object.
 * Source: apiserver v0.36 pkg/registry/generic/registry/store.go (ShouldDeleteDuringUpdate, finalizeDelete).
 */
function resultOf(answer: unknown): Result {
  const object = answer as { readonly kind?: string; readonly metadata?: ObjectMeta } | undefined;
  if (object?.kind === "Status") {
    const { details, status } = object as Status;
    const uid = details?.uid ?? "";
    return { name: details?.name ?? "", uid, resourceVersion: "", deletes: status === "Success" && uid !== "" };
  }
  const meta = object?.metadata;
  return {
    name: meta?.name ?? "",
    uid: meta?.uid ?? "",
    resourceVersion: meta?.resourceVersion ?? "",
    deletes:
      meta?.deletionTimestamp !== undefined &&
      (meta.finalizers?.length ?? 0) === 0 &&
      (meta.deletionGracePeriodSeconds ?? 0) === 0,
  };
}
