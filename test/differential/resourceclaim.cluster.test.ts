/** The same user actions, run against kube-controller-manager 1.36.3 and against our ResourceClaim controller. */
import { resourceClaims } from "./suites/resourceclaim.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(resourceClaims);
