/**
 * What a resource brings along when a schema says what its objects are, and no Go type: how they are read, converted, selected and
 * shown. Every other resource is read by its `Struct`. Source: apiextensions-apiserver v0.36 pkg/apiserver/customresource_handler.go.
 */
import type { StatusError } from "../../../api/status-error.ts";
import type { Literals } from "../../meta/json.ts";
import type { ClientConfig } from "../../webhook/client-config.ts";
import type { ApiObject, Fields } from "../../meta/object.ts";

/** Fields of a body as an object, or why they are none. */
export type ObjectRead =
  | {
      readonly value: Fields;
      /** Strict decoding errors, in their order. */
      readonly strict: readonly string[];
    }
  | { readonly problem: string };

/** A column of a table: what of an object it shows. */
export interface PathColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
  /** A JSONPath without braces: `.spec.replicas`. */
  readonly path: string;
}

/** Where an object has what its Scale shows, as keys. */
export interface ScalePaths {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  /** Of a selector as a text; undefined where there is none. */
  readonly labelSelector: readonly string[] | undefined;
}

/** A webhook that converts the objects of a kind. */
export interface ConversionWebhook {
  readonly client: ClientConfig;
  /** The versions of ConversionReview that it knows, the best first. */
  readonly versions: readonly string[];
  /** The `apiVersion` at which objects are stored. */
  readonly storedVersion: string;
}

/** The objects of one version of a kind. */
export interface ObjectForm {
  /** Fields that a client sent, or that a patch left, with their defaults; takes them over. */
  read(fields: Fields, literals: Literals): ObjectRead;
  /** The refusal of an object that says that it is of another kind or version. */
  anotherKind(own: { readonly kind: string; readonly apiVersion: string }, object: Fields): StatusError;
  /** An object of any version at this one; the object itself stays as it is. @throws StatusError where it cannot be converted. */
  convert(object: ApiObject): ApiObject;
  /** The object as it is stored: at the storage version. Takes it over. @throws StatusError where it cannot be converted. */
  stored(object: ApiObject): ApiObject;
  /** Converts objects instead of `convert` and `stored`, which then take only those that are at their version already. */
  readonly conversionWebhook: ConversionWebhook | undefined;
  /** What a webhook converted to this version, without fields that are unknown there. Takes it over. */
  received(object: ApiObject): ApiObject;
  /** All columns of a table but that of the name. */
  readonly columns: readonly PathColumn[];
  /** The fields by which objects can be selected, beside their name and namespace: `spec.host`. */
  readonly selectableFields: readonly string[];
  /** Undefined: the objects have no Scale. */
  readonly scale: ScalePaths | undefined;
  /** Sent as a `Warning` with every response. */
  readonly deprecation: string | undefined;
  readonly listKind: string;
  /** The schemas that `/openapi/v3` publishes, by their names. */
  openApi(): readonly (readonly [name: string, schema: Fields])[];
  /** Why no objects can be created now; undefined if they can. */
  readonly refusesCreate: string | undefined;
}
