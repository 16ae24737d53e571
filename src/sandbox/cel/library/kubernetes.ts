/** Functions and types in expressions of Kubernetes 1.36. Source: apiserver v0.36 pkg/cel/environment/base.go. */
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  intType,
  listOf,
  mapOf,
  nullType,
  optionalType,
  stringType,
  timestampType,
  typeParam,
  typeType,
  uintType,
} from "../values/types.ts";
import { authorizerFunctions } from "./authorizer.ts";
import { formatFunctions } from "./formats.ts";
import { type FunctionDecl, functionTable } from "./function.ts";
import { listFunctions } from "./lists.ts";
import { cidrType, ipType, networkFunctions } from "./networks.ts";
import { optionalFunctions } from "./optionals.ts";
import { quantityFunctions } from "./quantities.ts";
import { regexFunctions } from "./regular-expressions.ts";
import { semverFunctions } from "./versions.ts";
import { standardFunctions } from "./standard.ts";
import { stringFunctions } from "./strings.ts";
import { urlFunctions } from "./urls.ts";

/** All functions by name. */
export const kubernetesFunctions: ReadonlyMap<string, FunctionDecl> = functionTable([
  ...standardFunctions,
  ...urlFunctions,
  ...regexFunctions,
  ...listFunctions,
  ...optionalFunctions,
  ...quantityFunctions,
  ...stringFunctions,
  ...networkFunctions,
  ...formatFunctions,
  ...authorizerFunctions,
  ...semverFunctions,
]);

/** The types that have names in expressions: `type(x) == int`. */
export const kubernetesTypes: ReadonlyMap<string, CelType> = new Map(
  [
    boolType,
    bytesType,
    doubleType,
    durationType,
    intType,
    listOf(typeParam("A")),
    mapOf(typeParam("A"), typeParam("B")),
    nullType,
    stringType,
    timestampType,
    typeType,
    uintType,
    optionalType,
    ipType,
    cidrType,
  ].map((type) => [type.name, type]),
);
