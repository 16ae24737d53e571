/** The same user's actions, against kube-controller-manager 1.36.3 and our Endpoints controller. */
import { endpointsSuite } from "./suites/endpoints.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(endpointsSuite);
