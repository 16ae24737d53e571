/** The same user actions, run against kube-controller-manager 1.36.3 and against our HorizontalPodAutoscaler controller. */
import { autoscalers } from "./suites/horizontal-pod-autoscaler.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(autoscalers);
