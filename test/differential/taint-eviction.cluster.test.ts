/** The same taints, handled by kube-controller-manager 1.36.3 and by our taint eviction controller. */
import { taintEvictions } from "./suites/taint-eviction.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(taintEvictions);
