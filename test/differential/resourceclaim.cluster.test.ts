/** The same user's actions, against kube-controller-manager 1.36.3 and our ResourceClaim controller. */
import { resourceClaims } from "./suites/resourceclaim.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(resourceClaims);
