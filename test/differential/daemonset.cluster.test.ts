/** The same user's actions, played to kube-controller-manager 1.36.3 and to our DaemonSet controller. */
import { daemonSets } from "./suites/daemonset.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(daemonSets);
