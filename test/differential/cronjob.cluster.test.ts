/** The same user actions, run against kube-controller-manager 1.36.3 and against our CronJob controller. */
import { cronJobs } from "./suites/cronjob.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(cronJobs);
