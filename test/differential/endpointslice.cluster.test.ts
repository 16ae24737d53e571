/** The same user's actions, played to kube-controller-manager 1.36.3 and to our controller of EndpointSlices. */
import { endpointSlice } from "./suites/endpointslice.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(endpointSlice);
