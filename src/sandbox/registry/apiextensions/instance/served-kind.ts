/**
 * A served kind, built from its definition. Source: apiextensions-apiserver v0.36 pkg/apiserver/customresource_handler.go
 * getOrCreateServingInfoFor.
 */
import type { ResourceData } from "../../../../api/wire/format.ts";
import type { ApiObject } from "../../../meta/object.ts";
import type { Struct } from "../../../../api/wire/schema.ts";
import { isTrue } from "../../../meta/conditions.ts";
import { shortHash } from "../../../../platform/content-hash.ts";
import type { ObjectForm } from "../../strategy/object-form.ts";
import type { RESTStrategy } from "../../strategy/rest-strategy.ts";
import {
  definitionOf,
  namesOf,
  type Definition,
  type DefinitionNames,
  type DefinitionVersion,
} from "../definition/definition.ts";
import type { ReadMetadata } from "../schema/objectmeta.ts";
import { structuralOf } from "../schema/structural.ts";
import { formOf, rereadBy, type KindForms } from "./form.ts";
import { rulesOf } from "./rules.ts";
import { instanceStrategy } from "./strategy.ts";
import { structsOf } from "./struct.ts";

/** One served version of a kind. */
export interface ServedVersion {
  readonly name: string;
  readonly apiVersion: string;
  readonly form: ObjectForm;
  readonly struct: Struct | undefined;
  /** The resource first, then its subresources. */
  readonly entries: readonly [ResourceData, ...ResourceData[]];
}

/** A kind with everything that a registry needs to serve it. */
export interface ServedKind {
  readonly group: string;
  readonly names: DefinitionNames;
  readonly namespaced: boolean;
  readonly strategy: RESTStrategy;
  readonly versions: readonly ServedVersion[];
  readonly structs: readonly Struct[];
  /** Rereads an object, stored under another schema, by the current one. */
  reread(object: ApiObject): ApiObject;
}

/** The kind that a definition defines, under its accepted names. */
export function servedKindOf(object: ApiObject, readMetadata: ReadMetadata): ServedKind {
  const definition = definitionOf(object);
  const names = namesOf(object.status?.["acceptedNames"]);
  const terminating = isTrue(object, "Terminating");
  const forms: KindForms = {
    definition,
    kind: names.kind,
    listKind: names.listKind,
    readMetadata,
    refusesCreate: terminating ? "create not allowed while custom resource definition is terminating" : undefined,
    versions: new Map(
      definition.versions.map((version) => [
        version.name,
        { version, structural: version.schema === undefined ? undefined : structuralOf(version.schema) },
      ]),
    ),
  };
  const structs: Struct[] = [];
  const versions = definition.versions
    .filter(({ served }) => served)
    .map((version): ServedVersion => {
      const apiVersion = `${definition.group}/${version.name}`;
      const name = `/${apiVersion}/${names.kind}`;
      const own = structsOf(name, forms.versions.get(version.name)?.structural);
      structs.push(...own);
      return {
        name: version.name,
        apiVersion,
        form: formOf(forms, version.name),
        struct: own.find((struct) => struct.name === name),
        entries: entriesOf({ definition, names, version, terminating }),
      };
    });
  return {
    group: definition.group,
    names,
    namespaced: definition.scope === "Namespaced",
    strategy: strategyOf(forms),
    versions,
    structs,
    reread: (stored) => rereadBy(forms, stored),
  };
}

function strategyOf(forms: KindForms): RESTStrategy {
  return instanceStrategy((apiVersion) => {
    const name = apiVersion.slice(apiVersion.indexOf("/") + 1);
    const own = forms.versions.get(name);
    const form = formOf(forms, name);
    return {
      structural: own?.structural,
      schema: own?.version.schema,
      scale: form.scale,
      rules: rulesOf(own?.version.schema),
      convert: (object) => form.convert(object),
    };
  });
}

interface Listed {
  readonly definition: Definition;
  readonly names: DefinitionNames;
  readonly version: DefinitionVersion;
  readonly terminating: boolean;
}

const allVerbs = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const endingVerbs = ["delete", "deletecollection", "get", "list", "watch"];
const partVerbs = ["get", "patch", "update"];

/** Discovery entries. Source: customresource_discovery_controller.go. */
function entriesOf({ definition, names, version, terminating }: Listed): [ResourceData, ...ResourceData[]] {
  const namespaced = definition.scope === "Namespaced";
  const { plural, singular, kind, shortNames, categories } = names;
  const storage = definition.versions.find((each) => each.storage)?.name ?? "";
  const whole: ResourceData = {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs: terminating ? endingVerbs : allVerbs,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    storageVersionHash: shortHash(`${definition.group}/${storage}/${names.kind}`),
  };
  // Group and version come before the kind, as in Go's APIResource.
  const part = (name: string, of: Pick<ResourceData, "kind"> & Partial<ResourceData>): ResourceData => ({
    name: `${plural}/${name}`,
    singularName: "",
    namespaced,
    ...of,
    verbs: partVerbs,
  });
  return [
    whole,
    ...(version.hasStatus ? [part("status", { kind })] : []),
    ...(version.scale === undefined ? [] : [part("scale", { group: "autoscaling", version: "v1", kind: "Scale" })]),
  ];
}
