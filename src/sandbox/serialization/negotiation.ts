/** Content negotiation. Source: apiserver v0.36 endpoints/handlers/negotiation/negotiate.go. */
import { protobufType } from "../../api/wire/envelope.ts";
import { yamlType } from "./yaml/codec.ts";
import { notAcceptable, refusal } from "../meta/refusal.ts";

/** The kinds that an object can be converted to for a response; `""` is its own kind. */
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

/** The form in the parameters of a media range; undefined if it does not exist or is incomplete. */
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

const any: ReadonlySet<string> = new Set(["application/json", "*/*"]);

/** `application/json;as=Table;v=v1`: a media type and its parameters. */
interface MediaRange {
  readonly media: string;
  readonly parameters: readonly string[];
}

/** Clients send the same few headers repeatedly. */
const parsed = new Map<string, readonly MediaRange[]>();
const mostParsed = 200;

/** The media ranges of an Accept header, sorted by q-value. */
function mediaRanges(accept: string): readonly MediaRange[] {
  const known = parsed.get(accept);
  if (known !== undefined) return known;
  const weight = ({ parameters }: MediaRange): number => {
    const q = parameters.find((parameter) => parameter.startsWith("q="));
    return q === undefined ? 1 : Number(q.slice(2)) || 0;
  };
  const ranges = accept.split(",").map((range): MediaRange => {
    const [media = "", ...parameters] = range.split(";").map((part) => part.trim());
    return { media, parameters };
  });
  ranges.sort((one, other) => weight(other) - weight(one));
  if (parsed.size >= mostParsed) parsed.clear();
  parsed.set(accept, ranges);
  return ranges;
}

interface Clause {
  readonly media: "application/json" | "application/yaml";
  readonly parameters: readonly string[];
}

/** The JSON and YAML ranges that the client accepts, sorted by q-value. */
function clausesOf(accept: string): readonly Clause[] {
  if (accept === "") return [{ media: "application/json", parameters: [] }];
  return mediaRanges(accept).flatMap(({ media, parameters }): Clause[] => {
    if (media === yamlType) return [{ media, parameters }];
    return any.has(media) ? [{ media: "application/json", parameters }] : [];
  });
}

/** What a path can serve. */
export interface Served {
  /** True for a path of a list, which can be watched. */
  readonly isList?: boolean;
  /** True if it has a protobuf form. */
  readonly protobuf?: boolean;
}

/** The first form in the Accept header that can be served. @throws StatusError 406 if there is none. */
export function acceptedForm(accept: string, { isList = false, protobuf = false }: Served = {}): OutputForm {
  const clauses = clausesOf(accept);
  if (protobuf && clauses.length === 0) {
    const ranges = mediaRanges(accept).filter(({ media }) => media === protobufType);
    const form = firstForm(ranges, ({ as }) => as !== "Table");
    if (form !== undefined) return form;
    if (ranges.length > 0) throw notAcceptable(representations);
  }
  const form = firstForm(clauses);
  if (form !== undefined) return form;
  if (clauses.length > 0) throw notAcceptable(representations);
  const all = isList ? [...representations, ...watched] : representations;
  const message = `406: Not Acceptable\n\nAvailable representations: ${all.join(", ")}`;
  throw refusal(406, "NotAcceptable", message, {});
}

/** The first existing form. */
function firstForm(
  ranges: readonly Pick<MediaRange, "parameters">[],
  isServed: (form: OutputForm) => boolean = () => true,
): OutputForm | undefined {
  for (const { parameters } of ranges) {
    const form = formOf(parameters);
    if (form !== undefined && isServed(form)) return form;
  }
  return undefined;
}

/**
 * The media type in which a client requests aggregated discovery; undefined if it does not. A range for the list of groups only counts if
 * there is none for this, in any order. Source: apiserver v0.36 endpoints/discovery/aggregated/{wrapper,negotiation}.go.
 */
export function aggregatedMedia(accept: string): Clause["media"] | undefined {
  return clausesOf(accept).find(({ parameters }) => {
    const parameter = (name: string): string | undefined => parameterOf(parameters, name);
    return (
      parameter("as") === "APIGroupDiscoveryList" && parameter("g") === "apidiscovery.k8s.io" && parameter("v") === "v2"
    );
  })?.media;
}

/** Checks that the client accepts a document with only one form. @throws StatusError 406. */
export function checkMedia(accept: string): void {
  const isPlain = ({ parameters }: Clause): boolean => !parameters.some((parameter) => /^(as|g|v)=/.test(parameter));
  if (!clausesOf(accept).some(isPlain)) throw notAcceptable(representations);
}

/** The value in `forms` of the first accepted media type. Default: that of any type. */
export function acceptedAmong(accept: string, forms: ReadonlyMap<string, string>): string | undefined {
  const ranges = accept === "" ? [{ media: "*/*" }] : mediaRanges(accept);
  return ranges.flatMap(({ media }) => forms.get(media) ?? [])[0];
}

/**
 * True for a client that accepts protobuf and nothing else that is served: clients that also accept JSON get that, which is faster here.
 */
export function needsProtobuf(accept: string): boolean {
  return accept.includes(protobufType) && clausesOf(accept).length === 0;
}

/** True if the first accepted form that is served is YAML. */
export function prefersYaml(accept: string): boolean {
  if (!accept.includes(yamlType)) return false;
  return clausesOf(accept).find(({ parameters }) => formOf(parameters) !== undefined)?.media === yamlType;
}

/** Rejects watches in YAML. @throws StatusError 406. */
export function checkWatchable(accept: string): void {
  if (prefersYaml(accept)) throw notAcceptable(watched);
}
