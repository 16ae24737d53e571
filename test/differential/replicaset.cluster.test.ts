/** The same user actions, run against kube-controller-manager 1.36.3 and against our ReplicaSet and ReplicationController controllers. */
import { replicaSets } from "./suites/replicaset.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(replicaSets);
