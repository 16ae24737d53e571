/**
 * The options of `pods/log`, parsed from a query and validated. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go
 * ValidatePodLogOptions.
 */
import { parseTime } from "../../api/time.ts";
import { invalid, invalidObject, notAllowed, type FieldError } from "../meta/field-errors.ts";
import { timeProblem } from "../meta/go-time.ts";
import { badRequest } from "../meta/refusal.ts";
import { flagParam, numberParam, param, type Query } from "./list-options.ts";

/** Which part of a container's log is requested. */
export interface LogOptions {
  /** `""` for the only container. */
  readonly container: string;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly sinceSeconds: number | undefined;
  /** In ms since 1970. */
  readonly sinceTime: number | undefined;
  readonly tailLines: number | undefined;
  readonly limitBytes: number | undefined;
}

/** @throws StatusError 400 if an option cannot be parsed, 422 for invalid values and for `stream`, whose feature gate is off by default. */
export function logOptionsOf(query: Query, pod: string): LogOptions {
  const options: LogOptions = {
    container: param(query, "container") ?? "",
    follow: flagParam(query, "follow"),
    previous: flagParam(query, "previous"),
    timestamps: flagParam(query, "timestamps"),
    sinceSeconds: numberParam(query, "sinceSeconds"),
    sinceTime: timeParam(param(query, "sinceTime")),
    tailLines: numberParam(query, "tailLines"),
    limitBytes: numberParam(query, "limitBytes"),
  };
  const errors = optionErrors(options);
  if (param(query, "stream") !== undefined) errors.push(notAllowed("stream", "may not be specified"));
  if (errors.length > 0) throw invalidObject({ group: "", name: "PodLogOptions" }, pod, errors);
  return options;
}

function timeParam(text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined;
  const problem = timeProblem(text, "2006-01-02T15:04:05Z07:00");
  if (problem !== undefined) throw badRequest(problem);
  return parseTime(text);
}

function optionErrors({ tailLines, limitBytes, sinceSeconds, sinceTime }: LogOptions): FieldError[] {
  const errors: FieldError[] = [];
  const tooFew = (value: number | undefined): value is number => value !== undefined && value < 1;
  if (tailLines !== undefined && tailLines < 0)
    errors.push(invalid("tailLines", tailLines, "must be greater than or equal to 0"));
  if (tooFew(limitBytes)) errors.push(invalid("limitBytes", limitBytes, "must be greater than 0"));
  if (sinceSeconds !== undefined && sinceTime !== undefined)
    errors.push(notAllowed("", "at most one of `sinceTime` or `sinceSeconds` may be specified"));
  else if (tooFew(sinceSeconds)) errors.push(invalid("sinceSeconds", sinceSeconds, "must be greater than 0"));
  return errors;
}
