/** What kind of answer a client takes. Source: apiserver v0.36 endpoints/handlers/negotiation/negotiate.go. */
import { yamlType } from "./yaml/codec.ts";
import { notAcceptable, refusal } from "../meta/refusal.ts";

/** What an object can be shown as beside itself; `""` is itself. */
export type ShownAs = "" | "PartialObjectMetadata" | "PartialObjectMetadataList" | "Table";

/** As what, and at which version of `meta.k8s.io`. */
export interface Shown {
  readonly as: ShownAs;
  readonly version: "v1" | "v1beta1";
}

const itself: Shown = { as: "", version: "v1" };

function parameterOf(parameters: readonly string[], name: string): string | undefined {
  return parameters.findLast((parameter) => parameter.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** How a wish's parameters want an object to be shown; undefined for what there is not. A part of the kind alone is none. */
function shownBy(parameters: readonly string[]): Shown | undefined {
  const said = (name: string): string | undefined => parameterOf(parameters, name);
  const [as, group, version] = [said("as"), said("g"), said("v")];
  if ((as ?? "") === "" && group === undefined && version === undefined) return itself;
  if (group !== "meta.k8s.io" || (version !== "v1" && version !== "v1beta1")) return undefined;
  return as !== undefined && shown.has(as) ? { as: as as ShownAs, version } : undefined;
}

const representations = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];
const watched = ["application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"];
const shown: ReadonlySet<string> = new Set(["PartialObjectMetadata", "PartialObjectMetadataList", "Table"]);

interface Clause {
  readonly media: "application/json" | "application/yaml";
  /** What an object is to be shown as; undefined for something that there is not. */
  readonly as: Shown | undefined;
}

interface Wish {
  readonly media: Clause["media"];
  readonly parameters: readonly string[];
}

/** The wishes of a client for media types that are ours, the dearest first. */
function wishesOf(accept: string): Wish[] {
  const wishes = accept.split(",").map((wish) => wish.split(";").map((part) => part.trim()));
  const weight = (wish: readonly string[]): number => {
    const q = wish.find((parameter) => parameter.startsWith("q="));
    return q === undefined ? 1 : Number(q.slice(2)) || 0;
  };
  return wishes
    .sort((a, b) => weight(b) - weight(a))
    .flatMap(([media = "", ...parameters]): Wish[] => {
      if (media === yamlType) return [{ media: yamlType, parameters }];
      return any.has(media) ? [{ media: "application/json", parameters }] : [];
    });
}

/** What objects are to be shown as, by the wishes of a client that are ours to meet. */
function clausesOf(accept: string): Clause[] {
  if (accept === "") return [{ media: "application/json", as: itself }];
  return wishesOf(accept).map(({ media, parameters }) => ({ media, as: shownBy(parameters) }));
}

const any: ReadonlySet<string> = new Set(["application/json", "*/*"]);

/** The first of the client's wishes that can be met; `isList` where it could be watched. @throws StatusError 406 where none can. */
export function acceptedAs(accept: string, isList = false): Shown {
  const clauses = clausesOf(accept);
  const met = clauses.find(({ as }) => as !== undefined);
  if (met?.as !== undefined) return met.as;
  if (clauses.length > 0) throw notAcceptable(representations);
  const all = isList ? [...representations, ...watched] : representations;
  const message = `406: Not Acceptable\n\nAvailable representations: ${all.join(", ")}`;
  throw refusal(406, "NotAcceptable", message, {});
}

/**
 * As which media type a client takes the document of all groups; undefined where it does not ask for that. A wish for the short list
 * counts only where there is none for this one, whatever their order. Source: apiserver v0.36
 * endpoints/discovery/aggregated/{wrapper,negotiation}.go.
 */
export function aggregatedMedia(accept: string): Clause["media"] | undefined {
  return wishesOf(accept).flatMap(({ media, parameters }) => {
    const said = (name: string): string | undefined => parameterOf(parameters, name);
    const isMeant = said("as") === "APIGroupDiscoveryList" && said("g") === "apidiscovery.k8s.io" && said("v") === "v2";
    return isMeant ? [media] : [];
  })[0];
}

/** That a client takes a document that has one form alone: no aggregated one. @throws StatusError 406. */
export function checkMedia(accept: string): void {
  const wishes = accept === "" ? ["application/json"] : accept.split(",");
  const met = wishes.some((wish) => {
    const [media = "", ...parameters] = wish.split(";").map((part) => part.trim());
    return (any.has(media) || media === yamlType) && !parameters.some((parameter) => /^(as|g|v)=/.test(parameter));
  });
  if (!met) throw notAcceptable(representations);
}

/** Whether the wish that is met is one for YAML. */
export function prefersYaml(accept: string): boolean {
  return accept.includes(yamlType) && clausesOf(accept).find(({ as }) => as !== undefined)?.media === yamlType;
}

/** Watches have no form in YAML. @throws StatusError 406. */
export function checkWatchable(accept: string): void {
  if (prefersYaml(accept)) throw notAcceptable(watched);
}
