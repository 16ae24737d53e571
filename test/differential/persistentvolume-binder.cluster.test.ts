/** The same claims and volumes, against kube-controller-manager 1.36.3 and our binder. */
import { volumeBinding } from "./suites/persistentvolume-binder.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(volumeBinding);
