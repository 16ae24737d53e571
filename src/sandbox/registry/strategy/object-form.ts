/**
 * What a resource needs if its objects are described by a schema instead of a Go type: how they are read, converted, selected and shown.
 * All other resources are read by their `Struct`. Source: apiextensions-apiserver v0.36 pkg/apiserver/customresource_handler.go.
 */
import type { StatusError } from "../../../api/status-error.ts";
import type { Literals } from "../../meta/json.ts";
import type { ClientConfig } from "../../webhook/client-config.ts";
import type { ApiObject, Fields } from "../../meta/object.ts";

/** The fields of a body as an object, or why they are not one. */
export type ObjectRead =
  | {
      readonly value: Fields;
      /** Strict decoding errors, in order. */
      readonly strict: readonly string[];
    }
  | { readonly problem: string };

/** A table column, and the field that it shows. */
export interface PathColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
  /** A JSONPath without braces: `.spec.replicas`. */
  readonly path: string;
}

/** The fields of an object that its Scale shows, as paths of keys. */
export interface ScalePaths {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  /** The path of the selector, a string; undefined if there is none. */
  readonly labelSelector: readonly string[] | undefined;
}

/** A webhook that converts the objects of a kind. */
export interface ConversionWebhook {
  readonly client: ClientConfig;
  /** The versions of ConversionReview that it accepts, in order of preference. */
  readonly versions: readonly string[];
  /** The `apiVersion` at which objects are stored. */
  readonly storedVersion: string;
}

/** The objects of one version of a kind. */
export interface ObjectForm {
  /** Reads fields that a client sent or that a patch produced, and sets defaults; takes them over. */
  read(fields: Fields, literals: Literals): ObjectRead;
  /** The refusal of an object of another kind or version. */
  anotherKind(own: { readonly kind: string; readonly apiVersion: string }, object: Fields): StatusError;
  /** An object of any version, converted to this one; the object itself is not changed. @throws StatusError if it cannot be converted. */
  convert(object: ApiObject): ApiObject;
  /** The object at the storage version. Takes it over. @throws StatusError if it cannot be converted. */
  stored(object: ApiObject): ApiObject;
  /** Replaces `convert` and `stored`, which then accept only objects already at their version. */
  readonly conversionWebhook: ConversionWebhook | undefined;
  /** The result of a webhook's conversion to this version, without unknown fields. Takes it over. */
  received(object: ApiObject): ApiObject;
  /** All table columns except the name. */
  readonly columns: readonly PathColumn[];
  /** Selectable fields, besides name and namespace: `spec.host`. */
  readonly selectableFields: readonly string[];
  /** Undefined: there is no scale subresource. */
  readonly scale: ScalePaths | undefined;
  /** Sent as a `Warning` with every response. */
  readonly deprecation: string | undefined;
  readonly listKind: string;
  /** The schemas for `/openapi/v3`, by name. */
  openApi(): readonly (readonly [name: string, schema: Fields])[];
  /** Why no objects can currently be created; undefined if they can. */
  readonly refusesCreate: string | undefined;
}
