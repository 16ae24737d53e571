/** The same user's actions, against kube-controller-manager 1.36.3 and our DaemonSet controller. */
import { daemonSets } from "./suites/daemonset.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(daemonSets);
