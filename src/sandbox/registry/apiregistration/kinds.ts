/** The strategies of apiregistration.k8s.io and apiextensions.k8s.io. */
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { apiServiceStrategy } from "./api-service.ts";
import { definitionStrategy } from "./custom-resource-definition.ts";

/** By resource. */
export const apiStrategies: Readonly<Record<string, RESTStrategy>> = {
  "customresourcedefinitions.apiextensions.k8s.io": definitionStrategy,
  "apiservices.apiregistration.k8s.io": apiServiceStrategy,
};
