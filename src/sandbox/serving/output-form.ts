/** The form of a response: whole objects, only their metadata, or tables. Source: apiserver v0.36 endpoints/handlers/response.go. */
import { partialFormat, wholeFormat, type Format } from "../serialization/encoding.ts";
import { param, type Query } from "../options/list-options.ts";
import { acceptedForm, type OutputForm } from "../serialization/negotiation.ts";
import { protobufType } from "../../api/wire/envelope.ts";
import { badRequest, refusal } from "../meta/refusal.ts";
import type { RequestScope } from "../context/server.ts";
import { tableFormat, type TableOptions } from "../printers/table.ts";

/** The form that a request accepts. Writes check it first: if it is not acceptable, nothing is written. @throws StatusError 406. */
export function outputFormOf({ headers, served, server }: RequestScope, isList = false): OutputForm {
  const accept = headers["accept"] ?? "";
  const protobuf = accept.includes(protobufType) && server.protobuf.writes(served.struct);
  return acceptedForm(accept, { isList, protobuf });
}

/** The encoding of entries in a form. @throws StatusError 400 for unknown options of tables. */
export function formatOf(scope: RequestScope, { as, version }: OutputForm): Format {
  switch (as) {
    case "PartialObjectMetadata":
    case "PartialObjectMetadataList":
      return partialFormat(version);
    case "Table":
      return tableFormat(scope.served, tableOptions(scope, version));
    case "":
      return wholeFormat(scope.served, scope.server.registry.schema);
  }
}

/** The options of tables in the query. @throws StatusError 400. */
export function tableOptions(scope: RequestScope, version: string): TableOptions {
  const objects = includedObject(scope.query);
  const whole = wholeFormat(scope.served, scope.server.registry.schema);
  return {
    version,
    objects,
    now: () => scope.server.timeline.now(),
    whole: (entry) => whole.value(entry),
  };
}

/** What each row of a table includes of its object. */
function includedObject(query: Query): TableOptions["objects"] {
  const includeObject = param(query, "includeObject") ?? "";
  if (includeObject === "") return "Metadata";
  if (includeObject === "Metadata" || includeObject === "Object" || includeObject === "None") return includeObject;
  const why = `includeObject: Invalid value: ${JSON.stringify(includeObject)}: must be 'Metadata', 'Object', 'None', or empty`;
  throw badRequest(`Unable to convert to Table as requested: ${why}`);
}

/** Metadata of an object cannot be requested as a list, nor the other way round. @throws StatusError 406. */
export function checkOutputForm({ served }: RequestScope, { as }: OutputForm, isList: boolean): void {
  if (as !== (isList ? "PartialObjectMetadata" : "PartialObjectMetadataList")) return;
  const group = served.group === "" ? "core" : (served.group.split(".")[0] ?? "");
  const is = isList ? `is a list (*${group}.${served.kind}List)` : `is not a list (*${group}.${served.kind})`;
  throw refusal(406, "NotAcceptable", `you requested ${as}, but the requested object ${is}`);
}
