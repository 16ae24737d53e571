/** The same user actions, run against kube-controller-manager 1.36.3 and against our EndpointSlice mirroring controller. */
import { endpointSliceMirroring } from "./suites/endpointslice-mirroring.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(endpointSliceMirroring);
