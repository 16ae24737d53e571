/** What the registry knows of a kind: the parts that are code, and those that are data. */
import type { Random } from "../../../platform/random.ts";
import type { FieldError } from "../../meta/field-errors.ts";
import type { ApiObject, Fields } from "../../meta/object.ts";
import type { NameRule } from "../../validation/names.ts";

/** What the server knows of who asks. */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
}

/** What the functions of a kind may ask of the server. */
export interface StrategyContext {
  /** Tells the client something beside its answer. */
  readonly warn: (text: string) => void;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly random: Random;
  /** Whether nothing of the request is kept. */
  readonly dryRun: boolean;
  /** Who asks. */
  readonly user: UserInfo;
  /** The addresses and ports that Services have. */
  readonly takenAddresses: () => Set<unknown>;
  readonly takenNodePorts: () => Set<unknown>;
  /** The labels of the request's namespace. */
  readonly namespaceLabels: () => Readonly<Record<string, string>>;
}

/** The parts of a kind that are code. Objects handed in may be changed unless it says otherwise. */
export interface KindRules {
  /** Why no objects of this kind can be made here. */
  readonly notMade?: string;
  /** Fills in what the client left out; also runs before each update. */
  defaults?(object: ApiObject): void;
  /**
   * Whether a new object, before it is prepared, is stored with less than it is read with: its next update is a write, even of
   * nothing.
   */
  filledWhenRead?(object: ApiObject): boolean;
  /** After defaults, before validation: drops what a client may not set, sets what it need not. */
  prepareCreate?(object: ApiObject, surroundings: StrategyContext): void;
  /** After validation, of a new object and of one that is updated: gives out what there is only one of. */
  allocate?(object: ApiObject, surroundings: StrategyContext): void;
  prepareUpdate?(object: ApiObject, old: ApiObject): void;
  prepareStatus?(object: ApiObject, old: ApiObject, surroundings: StrategyContext): void;
  /** Must change nothing. `version` is the apiVersion of the request. */
  validate?(object: ApiObject, version: string): FieldError[];
  validateUpdate?(object: ApiObject, old: ApiObject, version: string): FieldError[];
  /** What is wrong before anything else is looked at; may still fill in what the client left out. */
  begin?(object: ApiObject, old: ApiObject | undefined, surroundings: StrategyContext): FieldError[];
  /** What a client is told of an object that is taken as it is. */
  warnings?(object: ApiObject, old?: ApiObject): string[];
  /** `validateUpdate` says all there is to say of an update; otherwise `validate` looks at it first. */
  readonly wholeUpdate?: boolean;
  /** An update is looked at as such first, and as a new object would be after that. */
  readonly updateFirst?: boolean;
  /** New objects are looked at without their metadata first, and metadata only where nothing else is wrong. */
  readonly metadataLast?: boolean;
  /** What is wrong with a new object beyond `validate`. */
  validateCreate?(object: ApiObject, version: string, surroundings: StrategyContext): FieldError[];
  /** Subresources by which one part of an object is written. */
  readonly parts?: Readonly<Record<string, PartRules>>;
  validateStatus?(object: ApiObject, old: ApiObject): FieldError[];
  /** The grace period of a deletion, in seconds; undefined: the object goes at once. */
  gracePeriod?(object: ApiObject, asked: number | undefined): number;
}

/** A subresource that writes one part of the spec and leaves the rest. */
export interface PartRules {
  /** The spec of `old` with the part of it that was sent. */
  spec(sent: ApiObject, old: ApiObject): Fields;
  /** All that is wrong; `whole` is what is wrong with the object as any update of it is looked at. */
  errors(object: ApiObject, old: ApiObject, whole: readonly FieldError[]): readonly FieldError[];
}

export interface Behaviour {
  readonly rules: KindRules;
  /** Its generation counts annotations too. */
  readonly generationOfAnnotations: boolean;
  /** Objects carry metadata.generation, and it counts changes of everything but metadata and status. */
  readonly generation: boolean;
  /** A new object may bring its status with it. */
  readonly keepsNewStatus: boolean;
  /** DELETE answers the object instead of a Status. */
  readonly returnsDeleted: boolean;
  readonly createOnUpdate: boolean;
  /** A PUT without a resourceVersion replaces whatever is there. */
  readonly unconditionalUpdate: boolean;
  /** Its generation stays 1. */
  readonly fixedGeneration: boolean;
  /** How an update looks at metadata beyond what is done for all kinds: as an update, as a new object, or as that before or after. */
  readonly metadataInUpdate: "none" | "whole" | "update" | "whole first" | "whole last";
  readonly garbage: "delete" | "orphan" | "unsupported";
  readonly nameRule: NameRule;
}
