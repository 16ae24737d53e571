/** What kind of answer a client takes. Source: apiserver v0.36 endpoints/handlers/negotiation/negotiate.go. */
import { notAcceptable, refusal } from "./refusal.ts";

/** What an object can be shown as beside itself; `""` is itself. */
export type ShownAs = "" | "PartialObjectMetadata" | "PartialObjectMetadataList" | "Table";

const representations = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];
const watched = ["application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"];
const shown: ReadonlySet<string> = new Set(["PartialObjectMetadata", "PartialObjectMetadataList", "Table"]);

/** The first of the client's wishes that can be met. @throws StatusError 406 where none can. */
export function acceptedAs(accept: string): ShownAs {
  if (accept === "") return "";
  let plain = false;
  for (const clause of accept.split(",")) {
    const [media = "", ...parameters] = clause.split(";").map((part) => part.trim());
    if (media !== "application/json" && media !== "*/*" && media !== "application/*") continue;
    plain = true;
    const as = parameters.find((parameter) => parameter.startsWith("as="))?.slice(3);
    if (as === undefined) return "";
    if (shown.has(as)) return as as ShownAs;
  }
  if (plain) throw notAcceptable(representations);
  const message = `406: Not Acceptable\n\nAvailable representations: ${[...representations, ...watched].join(", ")}`;
  throw refusal(406, "NotAcceptable", message, {});
}
