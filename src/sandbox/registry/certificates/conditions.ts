/**
 * The conditions and the certificate of a CertificateSigningRequest: what each subresource may write.
 * Source: kubernetes v1.36 pkg/apis/certificates/validation/validation.go, pkg/registry/certificates/certificates/strategy.go.
 */
import { pemBlocks } from "../../../api/pem.ts";
import { formatTime } from "../../../api/time.ts";
import { isCertificate } from "../../../platform/certificate-request.ts";
import { duplicate, invalid, notAllowed, notSupported, required, type FieldError } from "../../meta/field-errors.ts";
import { fieldsIn, textOf, type ApiObject, type Fields } from "../../meta/object.ts";
import { eachErrors, isEqual, seenBefore } from "../../validation/checks.ts";

const field = "status.conditions";

/** Condition types that only `approval` writes. */
const decisions = ["Approved", "Denied"] as const;
/** Condition types whose status must be True. */
const alwaysTrue: ReadonlySet<string> = new Set([...decisions, "Failed"]);

const conditionsOf = (request: ApiObject | undefined): Fields[] => fieldsIn(request?.status?.["conditions"]);
const ofType = (request: ApiObject, type: string): Fields[] =>
  conditionsOf(request).filter((condition) => condition["type"] === type);

/** What an update tolerates because the old object already has it. */
function toleratedIn(old: ApiObject | undefined): { noType: boolean; repeated: boolean; both: boolean } {
  const types = conditionsOf(old).map(({ type }) => textOf(type));
  return {
    noType: types.includes(""),
    repeated: new Set(types).size < types.length,
    both: decisions.every((type) => types.includes(type)),
  };
}

function statusErrors({ type, status }: Fields, at: string): FieldError[] {
  const values = alwaysTrue.has(textOf(type)) ? ["True"] : ["False", "True", "Unknown"];
  if (textOf(status) === "") return [required(`${at}.status`)];
  return values.includes(textOf(status)) ? [] : [notSupported(`${at}.status`, status, values)];
}

/** Validates the conditions; `old` is undefined for a new request. */
export function conditionErrors(request: ApiObject, old: ApiObject | undefined): FieldError[] {
  const tolerated = toleratedIn(old);
  const isRepeated = seenBefore();
  const decided = new Set<string>();
  return eachErrors(conditionsOf(request), field, (condition, at) => {
    const type = textOf(condition["type"]);
    if (type === "Approved" || type === "Denied") decided.add(type);
    const contradicts = (type === "Approved" || type === "Denied") && decided.size > 1 && !tolerated.both;
    return [
      ...(type === "" && !tolerated.noType ? [required(`${at}.type`)] : []),
      ...statusErrors(condition, at),
      ...(contradicts ? [invalid(field, type, "Approved and Denied conditions are mutually exclusive")] : []),
      ...(isRepeated(type) && !tolerated.repeated ? [duplicate(`${at}.type`, type)] : []),
    ];
  });
}

function certificateProblem(certificate: string): string | undefined {
  if (certificate === "") return undefined;
  const blocks = pemBlocks(Buffer.from(certificate, "base64").toString("latin1"));
  for (const { type, hasHeaders, bytes } of blocks) {
    if (type !== "CERTIFICATE") return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`;
    if (hasHeaders) return "no PEM block headers are permitted";
    if (bytes.length === 0) return "found CERTIFICATE PEM block containing 0 certificates";
    if (!isCertificate(bytes)) return "x509: malformed certificate";
  }
  return blocks.length === 0 ? "must contain at least one CERTIFICATE PEM block" : undefined;
}

const certificateOf = (request: ApiObject | undefined): string => textOf(request?.status?.["certificate"]);

/** Validates the certificate; it may be anything if it is unchanged or replaces an invalid one. */
export function certificateErrors(request: ApiObject, old: ApiObject | undefined): FieldError[] {
  const [now, before] = [certificateOf(request), certificateOf(old)];
  if (old !== undefined && (now === before || certificateProblem(before) !== undefined)) return [];
  const problem = certificateProblem(now);
  return problem === undefined ? [] : [invalid("status.certificate", "<certificate data>", problem)];
}

/** A request, and its old version. */
export interface Change {
  readonly object: ApiObject;
  readonly old: ApiObject;
}

/** Which parts of the status a path may write. */
export interface StatusRights {
  readonly decides: boolean;
  readonly issues: boolean;
}

const quoted = (type: string): string => JSON.stringify(type);

/** Changes that are not allowed: decisions are final, and each subresource writes only its own part. */
export function statusChangeErrors({ object: request, old }: Change, { decides, issues }: StatusRights): FieldError[] {
  const errors = ["Approved", "Denied", "Failed"].flatMap((type) =>
    ofType(request, type).length < ofType(old, type).length
      ? [notAllowed(field, `updates may not remove a condition of type ${quoted(type)}`)]
      : [],
  );
  if (!decides)
    errors.push(
      ...decisions.flatMap((type) => decisionErrors({ now: ofType(request, type), before: ofType(old, type), type })),
    );
  const [now, before] = [certificateOf(request), certificateOf(old)];
  if (now === before) return errors;
  if (!issues) errors.push(notAllowed("status.certificate", "updates may not set certificate content"));
  else if (before !== "")
    errors.push(notAllowed("status.certificate", "updates may not modify existing certificate content"));
  return errors;
}

/** The new and old conditions of one type. */
interface Decision {
  readonly now: readonly Fields[];
  readonly before: readonly Fields[];
  readonly type: string;
}

function decisionErrors({ now, before, type }: Decision): FieldError[] {
  if (now.length < before.length) return [];
  if (now.length > before.length) return [notAllowed(field, `updates may not add a condition of type ${quoted(type)}`)];
  return isEqual(now, before)
    ? []
    : [notAllowed(field, `updates may not modify a condition of type ${quoted(type)}\n`)];
}

/** Keeps existing decisions as they are if none is added or removed. */
export function keepDecisions(request: ApiObject, old: ApiObject): void {
  const conditions = conditionsOf(request);
  for (const type of decisions) {
    const before = ofType(old, type);
    if (before.length !== ofType(request, type).length) continue;
    let next = 0;
    for (const [index, condition] of conditions.entries())
      if (condition["type"] === type) conditions[index] = before[next++] ?? condition;
  }
  if (conditions.length > 0) request.status = { ...request.status, conditions };
}

/** Sets missing times of conditions: the transition time stays if the status does. */
export function fillTimes({ object: request, old }: Change, now: number): void {
  const time = formatTime(now);
  const isUnset = (value: unknown): boolean => value === undefined || value === null;
  const conditions = conditionsOf(request).map((condition) => {
    const same = conditionsOf(old).find(
      ({ type, status, lastTransitionTime }) =>
        type === condition["type"] && status === condition["status"] && !isUnset(lastTransitionTime),
    );
    return {
      ...condition,
      ...(isUnset(condition["lastUpdateTime"]) ? { lastUpdateTime: time } : {}),
      ...(isUnset(condition["lastTransitionTime"]) ? { lastTransitionTime: same?.["lastTransitionTime"] ?? time } : {}),
    };
  });
  if (conditions.length > 0) request.status = { ...request.status, conditions };
}
