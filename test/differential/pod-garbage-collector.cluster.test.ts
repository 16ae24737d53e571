/** The same pods and nodes, before kube-controller-manager 1.36.3 and before our garbage collection of pods. */
import { podGarbageCollection } from "./suites/pod-garbage-collector.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(podGarbageCollection);
