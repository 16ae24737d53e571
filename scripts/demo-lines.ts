/** What the demo prints: decisions as they are made, and each pod's lifecycle as one line when it is complete. */
import { wrapWords } from "../plugin/cli/style.ts";
import type { StageEvent } from "../src/trace/events.ts";

/** `+` something was created, `-` something was deleted, `!` something failed; a decision has none. */
export interface DemoLine {
  readonly sign: "+" | "-" | "!" | " ";
  readonly name: string;
  readonly text: string;
}

interface PodStory {
  readonly createdAt: number;
  readonly node?: string;
  readonly placedAt?: number;
  readonly runningAt?: number;
}

/** Shown by their pods' lines, or unimportant for the story. */
const leftOut = new Set([
  "steady",
  "wait",
  "status",
  "progress-check",
  "deployment-revision",
  "place",
  "accept",
  "report",
  "stop",
  "remove",
  "heartbeat",
  "node-status",
]);

/** The width of the demo's object names: `web-6444769cf-tpcx7`. */
const nameWidth = 20;

/** Turns stage events into lines of two signs, a name and a text. */
export class DemoLines {
  #startedAt = 0;
  /** What was printed in this step; a sync with the same outcome reports it again. */
  #printed = new Set<string>();
  #pods = new Map<string, PodStory>();
  #stopping = new Map<string, number>();

  /** Starts a step; times are counted from here. */
  begin(at: number): void {
    this.#startedAt = at;
    this.#printed.clear();
  }

  accept(event: StageEvent): readonly DemoLine[] {
    if (event.stage === "write") return this.#written(event);
    return event.stage === "decision" ? this.#decided(event) : [];
  }

  #written(event: StageEvent & { readonly stage: "write" }): readonly DemoLine[] {
    const { of, verb, key, status, subresource, controller, at } = event;
    if (of.kind !== "Pod" || status >= 300 || subresource !== undefined) return [];
    // The scheduler may have placed it before the response of its creation arrived.
    if (verb === "create" && !this.#pods.has(key)) this.#pods.set(key, { createdAt: at });
    if (verb === "delete" && controller === "kubelet") {
      const since = this.#stopping.get(key) ?? at;
      this.#stopping.delete(key);
      return [
        this.#line("-", key, [
          ["deleted", since],
          ["gone", at],
        ]),
      ];
    }
    if (verb === "delete") this.#stopping.set(key, at);
    return [];
  }

  #decided(event: StageEvent & { readonly stage: "decision" }): readonly DemoLine[] {
    const { controller, key, rule, facts, sentence, at } = event;
    if (controller === "scheduler" && rule === "place") {
      const story = this.#pods.get(key) ?? { createdAt: at };
      this.#pods.set(key, { ...story, node: String(facts["node"]), placedAt: at });
    }
    if (controller === "kubelet" && rule === "report") return this.#reported(key, facts, at);
    // Between its start and its end, a rollout reports its progress at each sync.
    if (rule === "progress" && facts["verdict"] !== "complete") return [];
    if (leftOut.has(rule) || controller === "node-heartbeat") return [];
    const name = nameOf(key);
    if (this.#printed.has(`${name} ${sentence}`)) return [];
    this.#printed.add(`${name} ${sentence}`);
    return [{ sign: " ", name, text: sentence }];
  }

  #reported(key: string, facts: Readonly<Record<string, unknown>>, at: number): readonly DemoLine[] {
    const happened = (facts["happened"] as readonly string[]).join(", ");
    if (happened === "") return [];
    const story = this.#pods.get(key);
    if (/ended|killed/.test(happened)) return [{ sign: "!", name: nameOf(key), text: happened }];
    if (story === undefined) {
      return facts["ready"] === true ? [{ sign: "+", name: nameOf(key), text: `${happened}, ready` }] : [];
    }
    if (facts["phase"] === "Running") this.#pods.set(key, { ...story, runningAt: story.runningAt ?? at });
    if (facts["ready"] !== true) return [];
    this.#pods.delete(key);
    const way: [string, number][] = [
      ["created", story.createdAt],
      [`on ${story.node ?? "?"}`, story.placedAt ?? at],
      ["running", story.runningAt ?? at],
      ["ready", at],
    ];
    return [this.#line("+", key, way)];
  }

  /** `created 0.01 s · on node-2 0.02 s · running 0.24 s · ready 0.24 s` */
  #line(sign: DemoLine["sign"], key: string, way: readonly (readonly [what: string, at: number])[]): DemoLine {
    const parts = way.map(([what, at]) => `${what} ${(Math.max(0, at - this.#startedAt) / 1000).toFixed(2)} s`);
    return { sign, name: nameOf(key), text: parts.join(" · ") };
  }
}

function nameOf(key: string): string {
  return key.slice(key.indexOf("/") + 1);
}

/** A sentence wrapped to `columns`. */
export function paragraph(text: string, columns: number | undefined): readonly string[] {
  return wrapWords(text.split(" "), columns);
}

/** The text of a line, with what does not fit into `columns` on the following lines. */
export function textOf({ sign, name, text }: DemoLine, columns: number | undefined): readonly string[] {
  const head = `  ${sign} ${name.padEnd(nameWidth)} `;
  const rest = " ".repeat(head.length);
  const width = columns === undefined ? undefined : columns - head.length;
  return wrapWords(text.split(" "), width).map((line, index) => (index === 0 ? head : rest) + line);
}
