/** The same user's actions, against kube-controller-manager 1.36.3 and our ServiceCIDR controller. */
import { serviceCidrs } from "./suites/service-cidr.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(serviceCidrs);
