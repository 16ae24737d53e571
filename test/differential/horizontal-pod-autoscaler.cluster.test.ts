/** The same user's actions, against kube-controller-manager 1.36.3 and our horizontal-pod-autoscaler controller. */
import { autoscalers } from "./suites/horizontal-pod-autoscaler.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(autoscalers);
