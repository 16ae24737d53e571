/** ServiceAccounts. Source: kubernetes v1.36 pkg/registry/core/serviceaccount/strategy.go. */
import { fieldsIn, type ApiObject } from "../../meta/object.ts";
import type { KindRules } from "../strategy/kind-rules.ts";

/** Secrets are named, and nothing more is kept of them. */
function onlyNames(account: ApiObject): void {
  if (!Array.isArray(account["secrets"])) return;
  account["secrets"] = fieldsIn(account["secrets"]).map(({ name }) => (name === undefined ? {} : { name }));
}

export const serviceAccountRules: KindRules = { prepareCreate: onlyNames, prepareUpdate: onlyNames };
