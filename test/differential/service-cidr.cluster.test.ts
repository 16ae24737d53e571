/** The same user's actions, played to kube-controller-manager 1.36.3 and to our controller of ServiceCIDRs. */
import { serviceCidrs } from "./suites/service-cidr.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(serviceCidrs);
