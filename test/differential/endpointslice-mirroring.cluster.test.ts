/** The same user's actions, against kube-controller-manager 1.36.3 and our mirroring of Endpoints. */
import { endpointSliceMirroring } from "./suites/endpointslice-mirroring.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(endpointSliceMirroring);
