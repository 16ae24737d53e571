/** Which reading an exchange gets. */
import type { WriteEvent } from "../../trace/events.ts";
import { ListReading } from "./list-reading.ts";
import type { ObserverOptions, Passed, ResponseReading } from "./reading.ts";
import { isStored } from "./stored.ts";
import { WatchReading } from "./watch-reading.ts";
import { writeEvent } from "./writes.ts";

const verbs: readonly WriteEvent["verb"][] = ["create", "update", "patch", "delete", "deletecollection"];

/** What is read of a response, and how; undefined where nothing is. */
export function readingOf(options: ObserverOptions, passed: Passed): ResponseReading | undefined {
  const { meaning, status } = passed;
  const verb = verbs.find((one) => one === meaning.verb);
  if (meaning.target === undefined) return discoveryReading(options, passed);
  if (verb !== undefined) return writeReading(options, { passed, verb });
  if (status !== 200) return undefined;
  if (meaning.verb === "watch") return new WatchReading(options, passed);
  if (meaning.verb === "list") return new ListReading(options, passed);
  return meaning.target.subresource === "" ? getReading(options, passed) : undefined;
}

/** Discovery names kinds. */
function discoveryReading({ bodies, knowledge }: ObserverOptions, { encoding }: Passed): ResponseReading {
  return {
    end({ body }) {
      // In protobuf, which hardly anyone asks for, these documents are of types that are not read.
      if (encoding === "json") knowledge.kinds.learnFrom(bodies.object(body, encoding));
      return {};
    },
  };
}

/** What a live read showed is what the next write is based on. */
function getReading({ bodies, knowledge }: ObserverOptions, { encoding, meaning }: Passed): ResponseReading {
  return {
    end({ body }) {
      const object = bodies.object(body, encoding);
      if (!isStored(object) || meaning.target === undefined) return {};
      knowledge.read(meaning.target, object);
      return { resourceVersion: object.metadata.resourceVersion };
    },
  };
}

interface PassedVerb {
  readonly passed: Passed;
  readonly verb: WriteEvent["verb"];
}

function writeReading(options: ObserverOptions, { passed, verb }: PassedVerb): ResponseReading {
  const { bodies, knowledge, bus } = options;
  const { target } = passed.meaning;
  return {
    end({ body, how, at }) {
      const answer = bodies.object(body, passed.encoding);
      const event = writeEvent({ passed, verb, bodies, knowledge, answer, how, at });
      if (event !== undefined) bus.emit(event);
      if (passed.status >= 300 || target === undefined || !isStored(answer)) return {};
      if (target.subresource === "" || target.subresource === "status") knowledge.read(target, answer);
      return { resourceVersion: answer.metadata.resourceVersion };
    },
  };
}
