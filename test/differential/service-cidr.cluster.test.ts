/** The same user actions, run against kube-controller-manager 1.36.3 and against our ServiceCIDR controller. */
import { serviceCidrs } from "./suites/service-cidr.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(serviceCidrs);
