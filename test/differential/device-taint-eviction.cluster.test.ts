/** The same device taints, against kube-controller-manager 1.36.3 and our eviction by device taints. */
import { deviceTaintEvictions } from "./suites/device-taint-eviction.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(deviceTaintEvictions);
