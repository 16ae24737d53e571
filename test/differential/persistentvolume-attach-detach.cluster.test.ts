/** The same pods, nodes and volumes, handled by kube-controller-manager 1.36.3 and by our attach-detach controller. */
import { attachDetach } from "./suites/persistentvolume-attach-detach.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(attachDetach);
