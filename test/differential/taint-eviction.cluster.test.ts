/** The same taints, before kube-controller-manager 1.36.3 and before our eviction by taints. */
import { taintEvictions } from "./suites/taint-eviction.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(taintEvictions);
