/** The same pods and nodes, handled by kube-controller-manager 1.36.3 and by our pod garbage collector. */
import { podGarbageCollection } from "./suites/pod-garbage-collector.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(podGarbageCollection);
