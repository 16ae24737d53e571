/** The same user actions, run against kube-controller-manager 1.36.3 and against our Endpoints controller. */
import { endpointsSuite } from "./suites/endpoints.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(endpointsSuite);
