/** Rules shared by the endpoints controllers. */
import { type Facts, type Rule, rule } from "../../api/rule.ts";

interface LeftAloneFacts extends Facts {
  readonly why: "its type is ExternalName" | "it has no selector";
}

/** The rule for Services whose endpoints are not managed by controllers. */
export const leftAlone: Rule<LeftAloneFacts> = rule<LeftAloneFacts>({
  id: "left-alone",
  looksAt: ["spec.type", "spec.selector"],
  chooses:
    "Endpoints of a Service without a selector are managed by its user; a Service of type ExternalName has none.",
  sentence: ({ why }) => `${why} → leave its endpoints alone`,
  example: { why: "it has no selector" },
  source: "syncService",
});
