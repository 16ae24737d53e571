/** The same user actions, run against kube-controller-manager 1.36.3 and against our DaemonSet controller. */
import { daemonSets } from "./suites/daemonset.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(daemonSets);
