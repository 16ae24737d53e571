/** The same user's actions, against kube-controller-manager 1.36.3 and our CronJob controller. */
import { cronJobs } from "./suites/cronjob.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(cronJobs);
