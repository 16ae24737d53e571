/** The same user's actions, played to kube-controller-manager 1.36.3 and to our controller of Endpoints. */
import { endpointsSuite } from "./suites/endpoints.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(endpointsSuite);
