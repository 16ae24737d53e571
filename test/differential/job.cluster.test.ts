/** The same user actions, run against kube-controller-manager 1.36.3 and against our Job controller. */
import { jobs } from "./suites/job.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(jobs);
