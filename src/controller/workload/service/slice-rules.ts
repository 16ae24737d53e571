/** What the rules about EndpointSlices have in common, whatever the slices are made from. */
import { pluralize } from "../../../api/pluralize.ts";
import type { EndpointPort, EndpointSlice } from "../../../api/types.ts";
import { type Facts, type Rule, rule } from "../../api/rule.ts";

/** `3 endpoints`. */
export const endpointsText = (count: number): string => pluralize(count, "endpoint");

interface BehindFacts extends Facts {
  readonly slices: number;
}

/** Nothing is written while the cache lacks the last writes. `what`: what is retried, with its verb, such as `the Service is`. */
export function cacheBehindRule(what: string): Rule<BehindFacts> {
  return rule<BehindFacts>({
    id: "cache-behind",
    looksAt: ["generations of the EndpointSlices that this controller wrote", "the same in the cache"],
    chooses: `While the cache does not show the controller's own last writes, ${what} retried with back-off.`,
    sentence: ({ slices }) => `the cache has ${pluralize(slices, "slice")}, older than the last writes → retry`,
    example: { slices: 2 },
    source: "endpointslice_tracker.go StaleSlices",
  });
}

/** A slice to be deleted. */
export interface UnwantedSlice {
  readonly slice: EndpointSlice;
  /** Before the arrow of a sentence. */
  readonly why: string;
}

/** The slices, to be deleted for one reason. */
export function unwantedSlices(why: string, slices: readonly EndpointSlice[]): readonly UnwantedSlice[] {
  return slices.map((slice) => ({ slice, why }));
}

/** `http 8080/TCP`. */
export function portText({ name = "", port, protocol }: EndpointPort): string {
  return `${name === "" ? "" : `${name} `}${port}/${protocol}`;
}

/** A new slice. */
export interface SliceCreateFacts extends Facts {
  readonly addressType: string;
  readonly endpoints: number;
  readonly ports: readonly string[];
}

/** `3 endpoints at http 8080/TCP`. */
export const endpointsAt = ({ endpoints, ports }: Pick<SliceCreateFacts, "endpoints" | "ports">): string =>
  `${endpointsText(endpoints)} at ${ports.length === 0 ? "no port" : ports.join(", ")}`;

/** How the endpoints of a slice change. */
export interface SliceUpdateFacts extends Facts {
  readonly slice: string;
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
  /** It was to be deleted, and is filled with other endpoints instead. */
  readonly reused: boolean;
}

/** `["1 endpoint more", "2 endpoints changed"]`. */
export const endpointChanges = ({
  added,
  removed,
  changed,
}: Pick<SliceUpdateFacts, "added" | "removed" | "changed">): readonly string[] => [
  ...(added > 0 ? [`${endpointsText(added)} more`] : []),
  ...(removed > 0 ? [`${endpointsText(removed)} less`] : []),
  ...(changed > 0 ? [`${endpointsText(changed)} changed`] : []),
];

/** `update web-x7k2p, instead of creating a slice`. */
export const updateText = ({ slice, reused }: Pick<SliceUpdateFacts, "slice" | "reused">): string =>
  `update ${slice}${reused ? ", instead of creating a slice" : ""}`;

/** A slice to be deleted. */
export interface SliceDeleteFacts extends Facts {
  readonly slice: string;
  readonly why: string;
}
