/** The same user's actions, played to kube-controller-manager 1.36.3 and to our controller of ResourceClaims. */
import { resourceClaims } from "./suites/resourceclaim.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(resourceClaims);
