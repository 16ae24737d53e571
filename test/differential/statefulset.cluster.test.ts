/** The same user's actions, played to kube-controller-manager 1.36.3 and to our StatefulSet controller. */
import { statefulSets } from "./suites/statefulset.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(statefulSets);
