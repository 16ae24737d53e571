/** The same user's actions, played to kube-controller-manager 1.36.3 and to our CronJob controller. */
import { cronJobs } from "./suites/cronjob.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(cronJobs);
