/** `explain CONTROLLER [RULE]`: shows the rules of a controller. */
import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import type { Rule } from "../../../src/controller/api/rule.ts";
import { type Candidate, choice, type Command, command } from "../../cli/command.ts";
import type { Io } from "../../cli/io.ts";
import { controllerCandidates, controllerNamed } from "../../names/controller-names.ts";
import { nearest } from "../../cli/nearest.ts";
import { pluralize, styleOf, type Style, wrapWords } from "../../cli/style.ts";
import { UserError } from "../../cli/user-error.ts";

/** `explain`. */
export const explainCommand: Command = command({
  name: "explain",
  about: "Explain a controller: every rule that it decides by, or one of them",
  description:
    "Prints the rules of a controller in the order in which a sync applies them: what each looks at, what it chooses, the " +
    "sentence that `run` and `trace` print when it applies (here with made-up facts), and the function of Kubernetes that it is " +
    "faithful to.\n\n" +
    "A rule is named as those commands print it.",
  arguments: { name: "<controller>", about: "name, short name or alias" },
  secondArgument: { name: "[rule]", about: "one of its rules" },
  argumentCandidates: (io, before) => candidates(before, io),
  options: { output: choice("-o, --output <format>", "text, or json", ["text", "json"], { default: "text" }) },
  examples: [
    { comment: "Every rule of the Deployment controller", line: "explain deployment" },
    { comment: "One rule, as `run` prints it", line: "explain replicaset scale-down" },
  ],
  complete({ arguments: [name = "", id], options }, io) {
    const definition = controllerNamed(name, io);
    const rule = id === undefined ? undefined : ruleNamed(definition, id, io.calledAs);
    return { definition, rule, json: options.output === "json" };
  },
  run({ definition, rule: only, json }, { io }) {
    const rules = only === undefined ? definition.rules : [only];
    if (json) {
      const data = rules.map(asData);
      const printed = only === undefined ? { controller: definition.name, rules: data } : data[0];
      io.out.write(`${JSON.stringify(printed, null, 2)}\n`);
    } else {
      const style = styleOf(io.out);
      const head = only === undefined ? [...wrapWords(heading(definition), style.columns), ""] : [];
      const blocks = rules.map((rule) => block(rule, style).join("\n"));
      io.out.write(`${[...head, blocks.join("\n\n")].join("\n")}\n`);
    }
    return Promise.resolve(0);
  },
});

/** Completion: controllers first, then the rules of the named one. */
function candidates(before: readonly string[], io: Io): readonly Candidate[] {
  const [named] = before;
  if (named === undefined) return controllerCandidates().filter(({ value }) => value !== "all");
  return controllerNamed(named, io).rules.map(({ id, chooses }) => ({ value: id, about: chooses }));
}

/** @throws UserError that suggests the nearest known rule. */
function ruleNamed({ name, rules }: ControllerDefinition, id: string, calledAs: string): Rule {
  const wanted = id.toLowerCase();
  const found = rules.find((rule) => rule.id === wanted);
  if (found !== undefined) return found;
  const ids = rules.map((rule) => rule.id);
  const near = nearest(wanted, ids);
  throw new UserError(`unknown rule ${JSON.stringify(id)} of ${name}`, [
    near === undefined ? `known are: ${ids.join(", ")}` : `did you mean ${near}?`,
    `\`${calledAs} explain ${name}\` explains them all`,
  ]);
}

interface RuleData {
  readonly id: string;
  readonly chooses: string;
  readonly looksAt: readonly string[];
  readonly example?: { readonly facts: unknown; readonly sentence: string };
  readonly source?: string;
}

function asData({ id, chooses, looksAt, example, source, ...rule }: Rule): RuleData {
  const shown = example === undefined ? {} : { example: { facts: example, sentence: rule.sentence(example) } };
  return { id, chooses, looksAt, ...shown, ...(source !== undefined && { source }) };
}

function heading({ name, purpose, rules, source }: ControllerDefinition): string[] {
  const upstream = source === undefined ? "" : `; upstream ${source}`;
  return `${name} ${purpose}. ${pluralize(rules.length, "rule")}, in the order of a sync${upstream}`.split(" ");
}

const labels = ["looks at", "says", "upstream"] as const;
const labelWidth = Math.max(...labels.map((label) => label.length)) + 2;

/** The rule's id and what it chooses, then a labelled line for each other field. */
function block(rule: Rule, { columns, colour }: Style): string[] {
  const { id, chooses, looksAt, example, source } = asData(rule);
  const indent = "  ";
  const set = (label: (typeof labels)[number], text: string): string[] => {
    const room = columns === undefined ? undefined : columns - indent.length - labelWidth;
    return wrapWords(text.split(" "), room).map((line, index) => {
      return `${indent}${colour.dim((index === 0 ? label : "").padEnd(labelWidth))}${line}`;
    });
  };
  const room = columns === undefined ? undefined : columns - indent.length;
  return [
    colour.cyan(id),
    ...wrapWords(chooses.split(" "), room).map((line) => indent + line),
    ...set("looks at", looksAt.join("; ")),
    ...(example === undefined ? [] : set("says", example.sentence)),
    ...(source === undefined ? [] : set("upstream", source)),
  ];
}
