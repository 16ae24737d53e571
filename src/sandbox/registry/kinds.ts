/** The rules of the kinds that have some of their own, by resource. */
import type { KindRules } from "./behaviour.ts";
import { namespaceRules } from "./namespace.ts";
import { podRules } from "./pod.ts";

export const kindRules: Readonly<Record<string, KindRules>> = {
  namespaces: namespaceRules,
  pods: podRules,
};
