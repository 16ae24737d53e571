/** The same claims and volumes, handled by kube-controller-manager 1.36.3 and by our PersistentVolume binder. */
import { volumeBinding } from "./suites/persistentvolume-binder.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(volumeBinding);
