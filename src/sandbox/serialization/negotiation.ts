/** In which form a client accepts a response. Source: apiserver v0.36 endpoints/handlers/negotiation/negotiate.go. */
import { protobufType } from "./protobuf-body.ts";
import { yamlType } from "./yaml/codec.ts";
import { notAcceptable, refusal } from "../meta/refusal.ts";

/** The kinds that an object can be converted to for a response; `""` is its own. */
export type OutputKind = "" | "PartialObjectMetadata" | "PartialObjectMetadataList" | "Table";

/** The kind of a response, and its version of `meta.k8s.io`. */
export interface OutputForm {
  readonly as: OutputKind;
  readonly version: "v1" | "v1beta1";
}

const ownKind: OutputForm = { as: "", version: "v1" };

function parameterOf(parameters: readonly string[], name: string): string | undefined {
  return parameters.findLast((parameter) => parameter.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** The form that the parameters of a media range ask for; undefined for one that does not exist. Part of a kind is none. */
function formOf(parameters: readonly string[]): OutputForm | undefined {
  const parameter = (name: string): string | undefined => parameterOf(parameters, name);
  const [as, group, version] = [parameter("as"), parameter("g"), parameter("v")];
  if ((as ?? "") === "" && group === undefined && version === undefined) return ownKind;
  if (group !== "meta.k8s.io" || (version !== "v1" && version !== "v1beta1")) return undefined;
  return as !== undefined && shown.has(as) ? { as: as as OutputKind, version } : undefined;
}

const representations = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];
const watched = ["application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"];
const shown: ReadonlySet<string> = new Set(["PartialObjectMetadata", "PartialObjectMetadataList", "Table"]);

interface Clause {
  readonly media: "application/json" | "application/yaml";
  /** Undefined for a form that does not exist. */
  readonly as: OutputForm | undefined;
}

interface MediaRange {
  readonly media: Clause["media"];
  readonly parameters: readonly string[];
}

/** Supported media ranges of the Accept header, by q-value. */
function mediaRanges(accept: string): MediaRange[] {
  const ranges = accept.split(",").map((range) => range.split(";").map((part) => part.trim()));
  const weight = (range: readonly string[]): number => {
    const q = range.find((parameter) => parameter.startsWith("q="));
    return q === undefined ? 1 : Number(q.slice(2)) || 0;
  };
  return ranges
    .sort((a, b) => weight(b) - weight(a))
    .flatMap(([media = "", ...parameters]): MediaRange[] => {
      if (media === yamlType) return [{ media: yamlType, parameters }];
      return any.has(media) ? [{ media: "application/json", parameters }] : [];
    });
}

/** The forms that the client asks for, in the media types that are served, by q-value. */
function clausesOf(accept: string): Clause[] {
  if (accept === "") return [{ media: "application/json", as: ownKind }];
  return mediaRanges(accept).map(({ media, parameters }) => ({ media, as: formOf(parameters) }));
}

const any: ReadonlySet<string> = new Set(["application/json", "*/*"]);

/** What a path can be served as. */
export interface Served {
  /** It is that of a list, and can be watched. */
  readonly isList?: boolean;
  /** What it serves has a protobuf form. */
  readonly protobuf?: boolean;
}

/** The first form of the Accept header that is served. @throws StatusError 406 if none is. */
export function acceptedForm(accept: string, { isList = false, protobuf = false }: Served = {}): OutputForm {
  const clauses = clausesOf(accept);
  if (protobuf && clauses.length === 0) {
    const ranges = protobufRanges(accept).map(formOf);
    const form = ranges.find((one) => one !== undefined && one.as !== "Table");
    if (form !== undefined) return form;
    if (ranges.length > 0) throw notAcceptable(representations);
  }
  const first = clauses.find(({ as }) => as !== undefined);
  if (first?.as !== undefined) return first.as;
  if (clauses.length > 0) throw notAcceptable(representations);
  const all = isList ? [...representations, ...watched] : representations;
  const message = `406: Not Acceptable\n\nAvailable representations: ${all.join(", ")}`;
  throw refusal(406, "NotAcceptable", message, {});
}

/**
 * The media type in which a client asks for aggregated discovery; undefined if it does not. A range for the list of groups counts only
 * without one for this, in any order. Source: apiserver v0.36
 * endpoints/discovery/aggregated/{wrapper,negotiation}.go.
 */
export function aggregatedMedia(accept: string): Clause["media"] | undefined {
  return mediaRanges(accept).flatMap(({ media, parameters }) => {
    const parameter = (name: string): string | undefined => parameterOf(parameters, name);
    const isMeant =
      parameter("as") === "APIGroupDiscoveryList" &&
      parameter("g") === "apidiscovery.k8s.io" &&
      parameter("v") === "v2";
    return isMeant ? [media] : [];
  })[0];
}

/** Checks that the client accepts a document that exists in one form only. @throws StatusError 406. */
export function checkMedia(accept: string): void {
  const ranges = accept === "" ? ["application/json"] : accept.split(",");
  const isAccepted = ranges.some((range) => {
    const [media = "", ...parameters] = range.split(";").map((part) => part.trim());
    return (any.has(media) || media === yamlType) && !parameters.some((parameter) => /^(as|g|v)=/.test(parameter));
  });
  if (!isAccepted) throw notAcceptable(representations);
}

/** The parameters of each media range that is protobuf. */
function protobufRanges(accept: string): readonly (readonly string[])[] {
  const ranges = accept.split(",").map((range) => range.split(";").map((part) => part.trim()));
  return ranges.filter(([media]) => media === protobufType).map(([, ...parameters]) => parameters);
}

/** True for a client that accepts protobuf and nothing else that is served: who takes JSON as well gets that, which is faster here. */
export function needsProtobuf(accept: string): boolean {
  return accept.includes(protobufType) && mediaRanges(accept).length === 0;
}

/** True if the first accepted form that is served is YAML. */
export function prefersYaml(accept: string): boolean {
  return accept.includes(yamlType) && clausesOf(accept).find(({ as }) => as !== undefined)?.media === yamlType;
}

/** Refuses watches in YAML. @throws StatusError 406. */
export function checkWatchable(accept: string): void {
  if (prefersYaml(accept)) throw notAcceptable(watched);
}
