/** The same device taints, handled by kube-controller-manager 1.36.3 and by our device taint eviction controller. */
import { deviceTaintEvictions } from "./suites/device-taint-eviction.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(deviceTaintEvictions);
