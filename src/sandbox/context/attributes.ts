import type { RequestScope } from "./server.ts";
import type { ApiObject } from "../meta/object.ts";

/** A write under admission. Source: apiserver v0.36 admission/interfaces.go Attributes. */
export interface Attributes {
  readonly scope: RequestScope;
  readonly object: ApiObject;
  /** The stored object, of an update. */
  readonly old?: ApiObject | undefined;
}

/** An update under admission. */
export interface UpdateAttributes extends Attributes {
  readonly old: ApiObject;
}
