/**
 * Kinds that are served at more than one version: each is stored at one of them and converted to the requested version.
 * Source: kubernetes v1.36 pkg/apis/autoscaling, pkg/apis/events.
 */
import { canonicalize } from "../../meta/canonical.ts";
import { copyOf, isFields, type ApiObject, type Fields } from "../../meta/object.ts";
import type { Schema, Struct } from "../../../api/wire/schema.ts";
import { autoscalerOfV1, autoscalerToV1 } from "./autoscaler.ts";
import { coreEventOf, newEventOf } from "./events.ts";

interface Conversion {
  readonly storedAs: string;
  /** From the stored form; `kind` and `apiVersion` are left out. */
  toServed(stored: Fields): Fields;
  toStored(sent: Fields): Fields;
}

/** By the version that is not the storage version, and the kind. */
const conversions: Readonly<Record<string, Conversion>> = {
  "events.k8s.io/v1 Event": { storedAs: "v1", toServed: newEventOf, toStored: coreEventOf },
  "autoscaling/v1 HorizontalPodAutoscaler": {
    storedAs: "autoscaling/v2",
    toServed: autoscalerToV1,
    toStored: autoscalerOfV1,
  },
};

/** The storage version of a kind, if it differs from the given one. */
export function storedVersionOf(apiVersion: string, kind: string): string | undefined {
  return conversions[`${apiVersion} ${kind}`]?.storedAs;
}

/** A received object, at its storage version. The result may share values with it. */
export function atStoredVersion(object: ApiObject): ApiObject {
  const conversion = conversions[`${object.apiVersion} ${object.kind}`];
  if (conversion === undefined) return object;
  const { kind, apiVersion: _sent, ...rest } = object;
  const made = conversion.toStored(rest);
  return { kind, apiVersion: conversion.storedAs, metadata: {}, ...made };
}

/** A stored object at the requested version, in the server's own form. The object itself is not changed. */
export function atVersion(
  object: ApiObject,
  apiVersion: string,
  struct: Struct | undefined,
  schema: Schema,
): ApiObject {
  if (object.apiVersion === apiVersion) return object;
  const conversion = conversions[`${apiVersion} ${object.kind}`];
  const { kind, apiVersion: _stored, metadata, ...rest } = object;
  if (conversion === undefined) return { kind, apiVersion, metadata, ...rest };
  const made = copyOf(conversion.toServed({ metadata, ...rest }));
  const { metadata: shown, ...others } = made;
  const served: ApiObject = { kind, apiVersion, metadata: isFields(shown) ? shown : {}, ...others };
  if (struct !== undefined) canonicalize(served, struct, schema);
  return served;
}
