/** The same user actions, run against kube-controller-manager 1.36.3 and against our StatefulSet controller. */
import { statefulSets } from "./suites/statefulset.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(statefulSets);
