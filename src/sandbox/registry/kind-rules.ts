/** What the registry knows of a kind: the parts that are code, and those that are data. */
import type { Random } from "../../platform/random.ts";
import type { FieldError } from "../field-errors.ts";
import type { ApiObject } from "../object.ts";

/** What the functions of a kind may ask of the server. */
export interface Surroundings {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly random: Random;
  /** The addresses and ports that Services have. */
  readonly takenAddresses: () => Set<unknown>;
  readonly takenNodePorts: () => Set<unknown>;
}

/** The parts of a kind that are code. Objects handed in may be changed unless it says otherwise. */
export interface KindRules {
  /** Fills in what the client left out; also runs before each update. */
  defaults?(object: ApiObject): void;
  /** After defaults, before validation: drops what a client may not set, sets what it need not. */
  prepareCreate?(object: ApiObject, surroundings: Surroundings): void;
  /** After validation: gives out what there is only one of. */
  allocate?(object: ApiObject, surroundings: Surroundings): void;
  prepareUpdate?(object: ApiObject, old: ApiObject): void;
  prepareStatus?(object: ApiObject, old: ApiObject): void;
  /** Must change nothing. */
  validate?(object: ApiObject): FieldError[];
  validateUpdate?(object: ApiObject, old: ApiObject): FieldError[];
  validateStatus?(object: ApiObject, old: ApiObject): FieldError[];
  /** The grace period of a deletion, in seconds; undefined: the object goes at once. */
  gracePeriod?(object: ApiObject, asked: number | undefined): number;
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
  readonly garbage: "delete" | "orphan" | "unsupported";
  readonly nameRule: "subdomain" | "label" | "segment";
}
