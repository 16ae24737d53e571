/** CustomResourceDefinitions: stored only in copies of a cluster, since their kinds are not served. */
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";

/** CustomResourceDefinitions: creating one would promise a kind that is not served. */
export const definitionStrategy: RESTStrategy = restStrategy({
  generation: "spec",
  allowUnconditionalUpdate: false,
  refusesCreate:
    "this sandbox does not serve CustomResourceDefinitions yet: the kinds that they define could not be used; leave them out, or use a cluster",
});
