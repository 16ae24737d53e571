/** Events. Source: kubernetes v1.36 pkg/apis/core/validation/events.go, legacyValidateEvent. */
import { invalid, type FieldError } from "../field-errors.ts";
import { at } from "../object.ts";
import type { KindRules } from "./kind-rules.ts";

export const eventRules: KindRules = {
  validate(event): FieldError[] {
    const about = at(event, "involvedObject", "namespace") ?? "";
    const own = event.metadata.namespace ?? "";
    if (about === "") return [];
    return about === own ? [] : [invalid("involvedObject.namespace", about, "does not match event.namespace")];
  },
};
