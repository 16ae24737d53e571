/** Controllers of Services that have lost a behavior. */
import { type Mutant, noneReady, oneTooFew } from "./mutants.ts";

export const serviceMutants: readonly Mutant[] = [
  { controller: "endpoints", does: "counts no pod as ready", shownBy: "update endpoints", mutation: noneReady },
  {
    controller: "endpointslice",
    does: "counts no pod as ready",
    shownBy: "update endpointslices.discovery.k8s.io",
    mutation: noneReady,
  },
  {
    controller: "endpointslice",
    does: "creates one slice too few",
    shownBy: "create endpointslices.discovery.k8s.io",
    mutation: oneTooFew,
  },
];
