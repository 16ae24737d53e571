/** The same user's actions, played to kube-controller-manager 1.36.3 and to our disruption controller. */
import { disruptions } from "./suites/disruption.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(disruptions);
