/** Emits the stage events of a Reflector. */
import { messageOf } from "../api/error-message.ts";
import { StatusError } from "../api/status-error.ts";
import { TransportError } from "../api/transport.ts";
import type { TraceBus } from "../trace/bus.ts";
import type { KindName, ListEvent, WatchEvent } from "../trace/events.ts";

interface ReportOptions {
  readonly bus: TraceBus;
  readonly of: KindName;
  readonly now: () => number;
}

/** The reason of a failed request, as shown in an event: `410 Expired`, `connection broke: …`. */
export function failureReason(error: unknown): string {
  if (error instanceof StatusError) return `${error.code} ${error.reason === "" ? error.message : error.reason}`;
  if (error instanceof TransportError) {
    return error.failure === "broken" ? `connection broke: ${error.message}` : error.message;
  }
  return messageOf(error);
}

/** Reports one list. Create it when the list starts. */
export class ListReport {
  #options: ReportOptions & Pick<ListEvent, "why">;
  #startedAt: number;
  #pages = 0;
  #bytes = 0;
  /**
   * The resourceVersion of the first page, from which the list is watched. A server without snapshots, such as an aggregated one, gives later
   * pages newer versions, which lack changes of objects on earlier pages. Source: client-go v0.36 tools/pager/pager.go list.
   */
  resourceVersion = "";

  constructor(options: ReportOptions & Pick<ListEvent, "why">) {
    this.#options = options;
    this.#startedAt = options.now();
  }

  page(bytes: number, resourceVersion: string): void {
    if (this.#pages === 0) this.resourceVersion = resourceVersion;
    this.#pages++;
    this.#bytes += bytes;
  }

  listed(objects: number): void {
    if (this.#options.bus.on) this.#options.bus.emit(this.#event(objects));
  }

  /** `isServed`: false if the kind is an optional one, and the server does not serve it. */
  failed({ error, objects, isServed }: { error: string; objects: number; isServed: boolean }): void {
    const { bus } = this.#options;
    if (bus.on) bus.emit({ ...this.#event(objects), error, ...(!isServed && { notServed: true }) });
  }

  #event(objects: number): ListEvent {
    const { of, why, now } = this.#options;
    return {
      stage: "list",
      of,
      why,
      objects,
      pages: this.#pages,
      bytes: this.#bytes,
      ms: now() - this.#startedAt,
      resourceVersion: this.resourceVersion,
    };
  }
}

/** Reports the start and the end of one watch. */
export class WatchReport {
  #options: ReportOptions & { readonly timeoutSeconds: number };
  #openedAt = 0;

  constructor(options: ReportOptions & { readonly timeoutSeconds: number }) {
    this.#options = options;
  }

  opened(resourceVersion: string, why: string): void {
    const { bus, of, now } = this.#options;
    this.#openedAt = now();
    if (bus.on) bus.emit({ stage: "watch", of, state: "opened", resourceVersion, why });
  }

  /** Whether the server ended the watch because of its timeout, which may be slightly early by our clock. */
  endReason(): string {
    const { timeoutSeconds, now } = this.#options;
    return now() - this.#openedAt >= (timeoutSeconds - 1) * 1000 ? "timeout by the server" : "ended by the server";
  }

  /** Reports that the watch has ended, or could not be opened. `resourceVersion`: the last one received. */
  ended({ state, resourceVersion, why }: Pick<WatchEvent, "state" | "resourceVersion" | "why">): void {
    const { bus, of } = this.#options;
    if (bus.on) bus.emit({ stage: "watch", of, state, resourceVersion, why });
  }
}
