/** What kind of answer a client takes. Source: apiserver v0.36 endpoints/handlers/negotiation/negotiate.go. */
import { yamlType } from "./yaml/codec.ts";
import { notAcceptable, refusal } from "./refusal.ts";

/** What an object can be shown as beside itself; `""` is itself. */
export type ShownAs = "" | "PartialObjectMetadata" | "PartialObjectMetadataList" | "Table";

const representations = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];
const watched = ["application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"];
const shown: ReadonlySet<string> = new Set(["PartialObjectMetadata", "PartialObjectMetadataList", "Table"]);

interface Clause {
  readonly media: "application/json" | "application/yaml";
  /** What an object is to be shown as; undefined for something that there is not. */
  readonly as: ShownAs | undefined;
}

/** The wishes of a client that are ours to meet, the dearest first. */
function clausesOf(accept: string): Clause[] {
  if (accept === "") return [{ media: "application/json", as: "" }];
  const wishes = accept.split(",").map((wish) => wish.split(";").map((part) => part.trim()));
  const weight = (wish: readonly string[]): number => {
    const q = wish.find((parameter) => parameter.startsWith("q="));
    return q === undefined ? 1 : Number(q.slice(2)) || 0;
  };
  return wishes
    .sort((a, b) => weight(b) - weight(a))
    .flatMap(([media = "", ...parameters]): Clause[] => {
      const as = parameters.find((parameter) => parameter.startsWith("as="))?.slice(3) ?? "";
      const shownAs = as === "" || shown.has(as) ? (as as ShownAs) : undefined;
      if (media === yamlType) return [{ media: yamlType, as: shownAs }];
      return any.has(media) ? [{ media: "application/json", as: shownAs }] : [];
    });
}

const any: ReadonlySet<string> = new Set(["application/json", "*/*", "application/*"]);

/** The first of the client's wishes that can be met; `isList` where it could be watched. @throws StatusError 406 where none can. */
export function acceptedAs(accept: string, isList = false): ShownAs {
  const clauses = clausesOf(accept);
  const met = clauses.find(({ as }) => as !== undefined);
  if (met?.as !== undefined) return met.as;
  if (clauses.length > 0) throw notAcceptable(representations);
  const all = isList ? [...representations, ...watched] : representations;
  const message = `406: Not Acceptable\n\nAvailable representations: ${all.join(", ")}`;
  throw refusal(406, "NotAcceptable", message, {});
}

/** Whether the wish that is met is one for YAML. */
export function prefersYaml(accept: string): boolean {
  return accept.includes(yamlType) && clausesOf(accept).find(({ as }) => as !== undefined)?.media === yamlType;
}

/** Watches have no form in YAML. @throws StatusError 406. */
export function checkWatchable(accept: string): void {
  if (prefersYaml(accept)) throw notAcceptable(watched);
}
