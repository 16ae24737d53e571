/** The same taints of devices, before kube-controller-manager 1.36.3 and before our eviction by them. */
import { deviceTaintEvictions } from "./suites/device-taint-eviction.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(deviceTaintEvictions);
