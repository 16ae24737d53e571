/** The same user actions, run against kube-controller-manager 1.36.3 and against our disruption controller. */
import { disruptions } from "./suites/disruption.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(disruptions);
