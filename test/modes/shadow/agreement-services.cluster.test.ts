/** Shadow beside the real controllers of Services: Endpoints, their EndpointSlices, and the slices that mirror Endpoints. */
import { endpoints } from "../../../src/controllers/endpoints/endpoints.ts";
import { endpointslice } from "../../../src/controllers/endpointslice/endpointslice.ts";
import { randomScript } from "../../differential/scripts/endpoints/grammar.ts";
import { tries } from "../../support/long.ts";
import { describeCasts, part, slowly } from "./casts.ts";
import { serviceMutants } from "./service-mutants.ts";

describeCasts([
  {
    title: "controllers of Services",
    owners: ["endpoints-controller", "endpointslice-controller"],
    kcmFlags: slowly,
    apiServerFlags: ["--service-cluster-ip-range=10.0.0.0/16,fd00::/108"],
    playing: { rounds: tries(6, 20), objects: 4 },
    parts: [
      part({
        controller: endpoints,
        script: randomScript,
        // The API server deletes the Endpoints of a deleted Service itself.
        without: /^delete (web|api), or recreate/,
        shows: ["create endpoints", "update endpoints"],
      }),
      part({
        controller: endpointslice,
        script: randomScript,
        // Which of several new slices replaces an old one is random in the owner.
        without: /^set \{"spec":\{"(selector|ports)"/,
        shows: ["create endpointslices.discovery.k8s.io", "update endpointslices.discovery.k8s.io"],
      }),
    ],
    mutants: serviceMutants,
  },
]);
