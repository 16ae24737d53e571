/** The strategies of apiregistration.k8s.io. */
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { apiServiceStrategy } from "./api-service.ts";

/** By resource. */
export const apiStrategies: Readonly<Record<string, RESTStrategy>> = {
  "apiservices.apiregistration.k8s.io": apiServiceStrategy,
};
