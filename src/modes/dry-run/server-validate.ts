/**
 * Sends each write of a dry run to the API server as a server-side dry run, and reports what the server, its webhooks
 * and its policies would reject or change. Only writes that can be validated independently are sent: an object created
 * in the dry run does not exist on the server, so writes to it cannot be validated.
 */
import { controllerNamedBy } from "../../api/own-field-manager.ts";
import { generatedPrefix } from "../../api/generated-name.ts";
import { fieldChanges } from "../../api/field-changes.ts";
import { type ObjectKey, objectKey } from "../../api/key.ts";
import type { StoredObject } from "../../api/object.ts";
import { controllerOf } from "../../api/owner-references.ts";
import { StatusError } from "../../api/status-error.ts";
import { type ApiRequest, readAll, type Transport, wholeBody } from "../../api/transport.ts";
import { parseResponse } from "../../client/api/responses.ts";
import { normalizeForDiff } from "../../views/normalize-for-diff.ts";

/** The result for one write, or for several. */
export interface Validation {
  readonly is: "refused" | "changed" | "accepted" | "not sent" | "not judged";
  /** One sentence. */
  readonly text: string;
  /** What was rejected: its uid in the dry run, and that of its controller. */
  readonly refused?: {
    readonly uid: string;
    readonly owner?: string;
    readonly message: string;
    readonly count: number;
  };
}

/** A write that the sandbox accepted, with its response. */
export interface SentWrite {
  /** The writer's field manager. */
  readonly by: string;
  readonly request: ApiRequest;
  readonly stored: StoredObject | undefined;
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** Passes on successful writes through the transport to `into`. */
export function recordingWrites(transport: Transport, by: string, into: (write: SentWrite) => void): Transport {
  return {
    async send(request) {
      const response = await transport.send(request);
      if (request.method === "GET" || response.status >= 300) return response;
      const bytes = await readAll(response.body);
      const value = JSON.parse(decoder.decode(bytes)) as StoredObject;
      into({ by, request, stored: value.kind === "Status" ? undefined : value });
      return { status: response.status, header: (name) => response.header(name), body: wholeBody(bytes) };
    },
  };
}

interface Sendable {
  readonly by: string;
  readonly name: string;
  readonly request: ApiRequest;
  readonly stored: StoredObject | undefined;
  count: number;
}

/**
 * Sends what can be sent, equal writes once.
 * @param transport sends writes only as dry runs
 * @param exists whether the object exists on the cluster: it was in the snapshot
 */
export async function validateOnServer(
  transport: Transport,
  writes: readonly SentWrite[],
  exists: (uid: string) => boolean,
): Promise<readonly Validation[]> {
  const { sendable, unsent } = sorted(writes, exists);
  const validations = await Promise.all(sendable.map((each) => validate(transport, each)));
  const accepted = sendable.filter((_, index) => validations[index]?.is === "accepted").length;
  const notable = validations.filter(({ is }) => is !== "accepted" && is !== "not judged");
  const foreign = sendable.filter((_, index) => validations[index]?.is === "not judged");
  const summary = `server: ${accepted} of ${sendable.length - foreign.length} distinct writes accepted unchanged`;
  const left = unsent > 0 ? `; ${unsent} more were not sent: their objects do not exist there yet` : "";
  const others = validations.find(({ is }) => is === "not judged");
  const notes: Validation[] =
    others === undefined ? [] : [{ is: "not judged", text: foreignText(foreign, others.text) }];
  return [...notable, ...notes, { is: "accepted", text: `${summary}${left}` }];
}

/** The request was made as the user, who lacks the rights of the controllers and does not need them. */
function foreignText(writes: readonly Sendable[], message: string): string {
  const controllers = [...new Set(writes.map(({ by }) => controllerNamedBy(by) ?? by))].sort();
  const what = writes.length === 1 ? "1 write" : `${writes.length} writes`;
  const user = /User "([^"]*)"/.exec(message)?.[1] ?? "you";
  return `server: ${what} of ${controllers.join(", ")} not validated: user ${user} has no right to make them; on the cluster the controllers do`;
}

function sorted(
  writes: readonly SentWrite[],
  exists: (uid: string) => boolean,
): { readonly sendable: readonly Sendable[]; readonly unsent: number } {
  const sendable = new Map<string, Sendable>();
  let unsent = 0;
  for (const { by, request, stored } of writes) {
    const isCreate = request.method === "POST" && !/\/(binding|eviction)$/.test(request.path);
    const uid = stored?.metadata.uid ?? deletedUid(request);
    if (isBookkeeping(request) || (!isCreate && uid === "" && request.method !== "DELETE")) continue;
    if (!isCreate && uid !== "" && !exists(uid)) {
      unsent++;
      continue;
    }
    const plain = withoutVersion(request);
    const body = plain.body === undefined ? "" : decoder.decode(plain.body);
    const name = `${plain.method} ${plain.path} ${body}`;
    const there = sendable.get(name);
    if (there === undefined)
      sendable.set(name, { by, name: nameOf(request, stored), request: plain, stored, count: 1 });
    else there.count++;
  }
  return { sendable: [...sendable.values()], unsent };
}

/** The server responds to some deletions with a Status; the request may contain the uid. */
function deletedUid({ method, body }: ApiRequest): string {
  if (method !== "DELETE" || body === undefined) return "";
  const { preconditions } = JSON.parse(decoder.decode(body)) as { readonly preconditions?: { readonly uid?: string } };
  return preconditions?.uid ?? "";
}

/** Events, heartbeats, and writes of the simulated kubelet and scheduler. */
function isBookkeeping({ path }: ApiRequest): boolean {
  return /\/(events|leases)(\/|$)/.test(path) || /\/pods\/[^/]+\/(status|binding)$/.test(path);
}

/** The resourceVersion of the dry run would cause a conflict. */
function withoutVersion(request: ApiRequest): ApiRequest {
  if (request.body === undefined) return request;
  const value = JSON.parse(decoder.decode(request.body)) as {
    metadata?: { resourceVersion?: string };
    preconditions?: { resourceVersion?: string };
  };
  if (value.metadata?.resourceVersion === undefined && value.preconditions?.resourceVersion === undefined)
    return request;
  delete value.metadata?.resourceVersion;
  delete value.preconditions?.resourceVersion;
  return { ...request, body: encoder.encode(JSON.stringify(value)) };
}

const verbs: Readonly<Record<string, string>> = { POST: "create", PUT: "update", PATCH: "patch", DELETE: "delete" };

function nameOf({ method, path }: ApiRequest, stored: StoredObject | undefined): string {
  const verb = verbs[method] ?? method;
  if (stored === undefined) return `${verb} ${path.split("/").slice(-2).join(" ")}`;
  const { namespace, name } = stored.metadata;
  const prefix = generatedPrefix(stored.metadata);
  const key: ObjectKey = objectKey(namespace, prefix === undefined ? name : `${prefix}…`);
  const subresource = /\/(status|scale)$/.exec(path)?.[1];
  return `${verb} ${stored.kind ?? ""}${subresource === undefined ? "" : `/${subresource}`} ${key}`;
}

/** Rejected by authorization. Source: apiserver v0.36 endpoints/handlers/responsewriters/errors.go. */
const wantOfRights = /User "[^"]*" cannot \w+ resource/;

/** The server's message for an unknown path. Source: apimachinery v0.36 api/errors NewGenericServerResponse. */
const noSuchResource = "the server could not find the requested resource";

async function validate(transport: Transport, { by, name, request, stored, count }: Sendable): Promise<Validation> {
  const what = count > 1 ? `${name} (${count} times)` : name;
  try {
    // Compared completely, even if the sender only used its metadata.
    const { metadataSuffices: _, ...whole } = request;
    const { value } = await parseResponse(await transport.send({ ...whole, signal: new AbortController().signal }));
    const changed =
      stored === undefined ? [] : differences(stored, value as StoredObject, request.path.endsWith("/status"));
    if (changed.length === 0) return { is: "accepted", text: what };
    return {
      is: "changed",
      text: `server: ${what} would be changed by the server at ${changed.slice(0, 5).join(", ")}`,
    };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const isMissing = error.code === 404 && error.status.details?.kind === "namespaces";
    if (isMissing)
      return { is: "not sent", text: `server: ${what} cannot be validated: its namespace does not exist there yet` };
    if (error.code === 404 && error.message === noSuchResource) {
      return { is: "not sent", text: `server: ${what} cannot be validated: its kind is not served there yet` };
    }
    if (controllerNamedBy(by) !== undefined && wantOfRights.test(error.message)) {
      return { is: "not judged", text: error.message };
    }
    const owner = stored === undefined ? undefined : controllerOf(stored)?.uid;
    return {
      is: "refused",
      text: `! server: ${what} would be refused: ${error.message}`,
      ...(stored !== undefined && {
        refused: { uid: stored.metadata.uid, ...(owner !== undefined && { owner }), message: error.message, count },
      }),
    };
  }
}

/** Paths at which the server's response differs from the sandbox's, except generated fields; for a status write, in the status only. */
function differences(ours: StoredObject, theirs: StoredObject, isStatus: boolean): readonly string[] {
  const plain = (object: StoredObject): unknown => {
    const { status, ...form } = normalizeForDiff({ group: "", kind: ours.kind ?? "" }, object, {});
    if (isStatus) return { status };
    const metadata = form["metadata"] as { name?: string; generateName?: string };
    if (generatedPrefix(metadata) !== undefined) delete metadata.name;
    return form;
  };
  return fieldChanges(plain(ours), plain(theirs)).map(({ path }) => path);
}
