/** What happens to a new object between its defaults and its checks: the API server's built-in admission, in its order. */
import type { ApiObject } from "../object.ts";
import type { Call } from "../server.ts";
import { admitIntoNamespace } from "./namespace-lifecycle.ts";
import { admitLimits } from "./limit-ranger.ts";
import { admitPriority, admitServiceAccount, admitTolerations } from "./service-account.ts";

/** May change the object. @throws StatusError, mostly 403. */
export function admitCreate(call: Call, object: ApiObject): void {
  admitIntoNamespace(call, object.metadata.name ?? "");
  if (call.resource.storage !== "pods") return;
  admitServiceAccount(call, object);
  admitTolerations(object);
  admitPriority(call, object);
  admitLimits(call, object);
}
