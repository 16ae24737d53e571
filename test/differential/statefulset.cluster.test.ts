/** The same user's actions, against kube-controller-manager 1.36.3 and our StatefulSet controller. */
import { statefulSets } from "./suites/statefulset.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(statefulSets);
