/**
 * AdmissionReviews: builds requests and checks responses.
 * Source: apiserver v0.36 admission/plugin/webhook/request/admissionreview.go; k8s.io/api v0.36 admission/v1.
 */
import type { AdmissionAttributes } from "../../context/attributes.ts";
import { jsonNameOf, readJson } from "../../meta/json.ts";
import { isFields, listIn, textOf, type Fields } from "../../meta/object.ts";
import type { Invocation } from "../matching/invocation.ts";
import type { VersionedObjects } from "../matching/versions.ts";
import { requestOf, shownObject } from "../matching/request.ts";

/** What a webhook sees of an operation: the objects at its matched version. */
export interface VersionedAttributes extends VersionedObjects {
  readonly attributes: AdmissionAttributes;
  readonly invocation: Invocation;
}

/** The review of an operation, at a version that the webhook accepts. */
export interface Review {
  readonly version: "v1" | "v1beta1";
  readonly uid: string;
  readonly body: string;
}

/** Undefined if the webhook accepts no known version of the review. */
export function reviewOf(
  { attributes, invocation, object, old }: VersionedAttributes,
  { uid, versions }: { readonly uid: string; readonly versions: readonly string[] },
): Review | undefined {
  const version = versions.find((each) => each === "v1" || each === "v1beta1");
  if (version === undefined) return undefined;
  const request = {
    uid,
    ...requestOf(attributes, invocation),
    object: shownObject(attributes, object),
    oldObject: old ?? null,
  };
  const body = JSON.stringify({ kind: "AdmissionReview", apiVersion: `admission.k8s.io/${version}`, request });
  return { version, uid, body: `${body}\n` };
}

/** A webhook's response. */
export interface ReviewResponse {
  readonly allowed: boolean;
  /** A Status. */
  readonly result: Fields | undefined;
  /** The bytes of a JSON patch; undefined if there is none. */
  readonly patch: Uint8Array | undefined;
  readonly patchType: string;
  readonly warnings: readonly string[];
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

/** An invalid response, with the real server's message. `wasRead` false: it was unreadable, which counts as a failed call. */
export class InvalidResponse extends Error {
  override readonly name = "InvalidResponse";
  readonly wasRead: boolean;

  constructor(message: string, wasRead = true) {
    super(message);
    this.wasRead = wasRead;
  }
}

const unread = (problem: string): InvalidResponse => new InvalidResponse(problem, false);

/** Reads and checks a webhook's response. @throws InvalidResponse */
export function responseOf(
  bytes: Uint8Array,
  { version, uid, isMutating }: Review & { readonly isMutating: boolean },
): ReviewResponse {
  const review = decoded(jsonOf(bytes), version);
  const { response } = review;
  if (!isFields(response)) throw new InvalidResponse("webhook response was absent");
  if (version === "v1") checkIdentity(review, { response, uid });
  const patch = bytesOf(response["patch"]);
  const type = response["patchType"];
  if (version === "v1") checkPatch({ patch, type }, isMutating);
  return {
    allowed: response["allowed"] === true,
    result: isFields(response["status"]) ? response["status"] : undefined,
    patch: isMutating ? patch : undefined,
    patchType: version === "v1" ? textOf(type) : "JSONPatch",
    warnings: listIn(response["warnings"]).map(textOf),
    auditAnnotations: textMap(response["auditAnnotations"]),
  };
}

const textMap = (value: unknown): Record<string, string> =>
  isFields(value) ? Object.fromEntries(Object.entries(value).map(([key, text]) => [key, textOf(text)])) : {};

/** Parses JSON. Text that does not look like an object is YAML to the real server, where nearly everything is a string. */
function jsonOf(bytes: Uint8Array): unknown {
  const start = new TextDecoder().decode(bytes.subarray(0, 64));
  if (!/^\s*[{["\d]/.test(start)) return start;
  return readJson(bytes, (problem) => `couldn't get version/kind; json parse error: ${problem}`).value;
}

/** The response, as a review of the sent version. */
function decoded(value: unknown, version: string): Fields {
  if (!isFields(value)) {
    throw unread(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonNameOf(value)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    );
  }
  const kind = textOf(value["kind"]);
  const apiVersion = textOf(value["apiVersion"]);
  if (kind === "" || apiVersion === "") return value;
  if (kind === "AdmissionReview" && apiVersion === `admission.k8s.io/${version}`) return value;
  if (kind === "AdmissionReview" && /^admission\.k8s\.io\/v1(beta1)?$/.test(apiVersion))
    throw unread(
      `converting (${apiVersion.split("/")[1]}.AdmissionReview) to (${version}.AdmissionReview): unknown conversion`,
    );
  const sent = apiVersion.split("/").at(-1) === "" ? apiVersion : apiVersion;
  throw unread(`no kind "${kind}" is registered for version "${sent}" in scheme "pkg/runtime/scheme.go:111"`);
}

/** Source: VerifyAdmissionResponse. */
function checkIdentity(review: Fields, { response, uid }: { readonly response: Fields; readonly uid: string }): void {
  const own = textOf(response["uid"]);
  if (own !== uid)
    throw new InvalidResponse(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(own)}`);
  const [apiVersion, kind] = [textOf(review["apiVersion"]), textOf(review["kind"])];
  const expected = "admission.k8s.io/v1, Kind=AdmissionReview";
  const got = `${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
  if (got !== expected) throw new InvalidResponse(`expected webhook response of ${expected}, got ${got}`);
}

interface Patched {
  readonly patch: Uint8Array | undefined;
  readonly type: unknown;
}

function checkPatch({ patch, type }: Patched, isMutating: boolean): void {
  const isTyped = type !== undefined && type !== null;
  const problem = isMutating
    ? mutatingProblem({ hasPatch: patch !== undefined, isTyped, type })
    : validatingProblem(patch !== undefined, isTyped);
  if (problem !== undefined) throw new InvalidResponse(problem);
}

function mutatingProblem({
  hasPatch,
  isTyped,
  type,
}: {
  readonly hasPatch: boolean;
  readonly isTyped: boolean;
  readonly type: unknown;
}): string | undefined {
  if (hasPatch && !isTyped) return "webhook returned response.patch but not response.patchType";
  if (!hasPatch && isTyped) return "webhook returned response.patchType but not response.patch";
  return isTyped && type === "" ? 'webhook returned invalid response.patchType of ""' : undefined;
}

function validatingProblem(hasPatch: boolean, isTyped: boolean): string | undefined {
  if (hasPatch) return "validating webhook may not return response.patch";
  return isTyped ? "validating webhook may not return response.patchType" : undefined;
}

/** Base64; undefined if there is none. @throws InvalidResponse */
function bytesOf(value: unknown): Uint8Array | undefined {
  const text = textOf(value);
  if (text === "") return undefined;
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    throw unread("illegal base64 data at input byte 0");
  }
}
