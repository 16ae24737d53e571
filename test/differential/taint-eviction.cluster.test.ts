/** The same taints, against kube-controller-manager 1.36.3 and our taint eviction. */
import { taintEvictions } from "./suites/taint-eviction.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(taintEvictions);
