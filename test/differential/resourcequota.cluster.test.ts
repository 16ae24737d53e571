/** The same user actions, run against kube-controller-manager 1.36.3 and against our ResourceQuota controller. */
import { resourceQuotas } from "./suites/resourcequota.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(resourceQuotas);
