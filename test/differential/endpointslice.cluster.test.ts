/** The same user actions, run against kube-controller-manager 1.36.3 and against our EndpointSlice controller. */
import { endpointSlice } from "./suites/endpointslice.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(endpointSlice);
