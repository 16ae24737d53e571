/** The same user's actions, against kube-controller-manager 1.36.3 and our EndpointSlice controller. */
import { endpointSlice } from "./suites/endpointslice.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(endpointSlice);
