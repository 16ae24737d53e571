/** What the demo prints: decisions as they are made, and each pod's way as one line when it has come to its end. */
import type { StageEvent } from "../src/trace/events.ts";

interface PodStory {
  readonly createdAt: number;
  readonly node?: string;
  readonly placedAt?: number;
  readonly runningAt?: number;
}

/** Told of by their pods' lines, or of no weight in a story. */
const leftOut = new Set([
  "steady",
  "status",
  "place",
  "accept",
  "report",
  "stop",
  "remove",
  "heartbeat",
  "node-status",
]);

/** Turns stage events into lines; `startedAt` is the time that a step's times are counted from. */
export class DemoLines {
  startedAt = 0;
  #pods = new Map<string, PodStory>();
  #stopping = new Map<string, number>();

  accept(event: StageEvent): readonly string[] {
    if (event.stage === "write") return this.#written(event);
    return event.stage === "decision" ? this.#decided(event) : [];
  }

  #written(event: StageEvent & { readonly stage: "write" }): readonly string[] {
    const { of, verb, key, status, subresource, controller, at } = event;
    if (of.kind !== "Pod" || status >= 300 || subresource !== undefined) return [];
    if (verb === "create") this.#pods.set(key, { createdAt: at });
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

  #decided(event: StageEvent & { readonly stage: "decision" }): readonly string[] {
    const { controller, key, rule, facts, sentence, at } = event;
    if (controller === "scheduler" && rule === "place") {
      const story = this.#pods.get(key) ?? { createdAt: at };
      this.#pods.set(key, { ...story, node: String(facts["node"]), placedAt: at });
    }
    if (controller === "kubelet" && rule === "report") return this.#reported(key, facts, at);
    if (leftOut.has(rule) || controller === "node-heartbeat") return [];
    return [`    ${nameOf(key).padEnd(11)} ${sentence}`];
  }

  #reported(key: string, facts: Readonly<Record<string, unknown>>, at: number): readonly string[] {
    const happened = (facts["happened"] as readonly string[]).join(", ");
    if (happened === "") return [];
    const story = this.#pods.get(key);
    if (/ended|killed/.test(happened)) return [`  ! ${nameOf(key).padEnd(11)} ${happened}`];
    if (story === undefined) return facts["ready"] === true ? [`  + ${nameOf(key).padEnd(11)} ${happened}, ready`] : [];
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

  /** `  + web-x7k2p   created 0.01 s · on node-2 0.02 s · running 0.24 s · ready 0.24 s` */
  #line(sign: string, key: string, way: readonly (readonly [what: string, at: number])[]): string {
    const parts = way.map(([what, at]) => `${what} ${(Math.max(0, at - this.startedAt) / 1000).toFixed(2)} s`);
    return `  ${sign} ${nameOf(key).padEnd(11)} ${parts.join(" · ")}`;
  }
}

function nameOf(key: string): string {
  return key.slice(key.indexOf("/") + 1);
}
