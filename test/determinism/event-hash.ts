/** Hashes every byte of the given stage events, in order: FNV-1a twice, with two offsets. */
import type { StageEvent } from "../../src/trace/events.ts";

export interface EventHash {
  readonly events: number;
  add(event: StageEvent): void;
  /** 16 hexadecimal digits. */
  digest(): string;
}

export function eventHash(): EventHash {
  let [first, second] = [0x811c9dc5, 0x01234567];
  let events = 0;
  const encoder = new TextEncoder();
  return {
    get events() {
      return events;
    },
    add(event) {
      events++;
      for (const byte of encoder.encode(JSON.stringify(event))) {
        first = Math.imul(first ^ byte, 0x01000193);
        second = Math.imul(second ^ byte, 0x01000193);
      }
    },
    digest: () => [first, second].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join(""),
  };
}
