/** Selects the reader for an exchange. */
import type { WriteEvent } from "../../trace/events.ts";
import { ListReader } from "./list-reader.ts";
import type { ObserverOptions, ExchangeContext, ResponseReader } from "./response-reader.ts";
import { isStored } from "./stored.ts";
import { WatchReader } from "./watch-reader.ts";
import { writeEvent } from "./writes.ts";

const verbs: readonly WriteEvent["verb"][] = ["create", "update", "patch", "delete", "deletecollection"];

/** The reader for a response; undefined if it is not read. */
export function readerOf(options: ObserverOptions, exchange: ExchangeContext): ResponseReader | undefined {
  const { meaning, status } = exchange;
  const verb = verbs.find((one) => one === meaning.verb);
  if (meaning.target === undefined) return discoveryReader(options, exchange);
  if (verb !== undefined) return writeReader(options, { exchange, verb });
  if (status !== 200) return undefined;
  if (meaning.verb === "watch") return new WatchReader(options, exchange);
  if (meaning.verb === "list") return new ListReader(options, exchange);
  return meaning.target.subresource === "" ? getReader(options, exchange) : undefined;
}

/** Learns kinds from discovery. */
function discoveryReader({ bodies, knowledge }: ObserverOptions, { encoding }: ExchangeContext): ResponseReader {
  return {
    end({ body }) {
      // The protobuf form of these documents is rarely requested, and not decoded.
      if (encoding === "json") knowledge.kinds.learnFrom(bodies.object(body, encoding));
      return {};
    },
  };
}

/** Records the object of a live read, because the next write is probably based on it. */
function getReader({ bodies, knowledge }: ObserverOptions, { encoding, meaning }: ExchangeContext): ResponseReader {
  return {
    end({ body }) {
      const object = bodies.object(body, encoding);
      if (!isStored(object) || meaning.target === undefined) return {};
      knowledge.read(meaning.target, object);
      return { resourceVersion: object.metadata.resourceVersion };
    },
  };
}

interface ExchangeOfWrite {
  readonly exchange: ExchangeContext;
  readonly verb: WriteEvent["verb"];
}

function writeReader(options: ObserverOptions, { exchange, verb }: ExchangeOfWrite): ResponseReader {
  const { bodies, knowledge, bus } = options;
  const { target } = exchange.meaning;
  return {
    end({ body, how, at }) {
      const response = bodies.object(body, exchange.encoding);
      const event = writeEvent({ exchange, verb, bodies, knowledge, response, how, at });
      if (event !== undefined) bus.emit(event);
      if (exchange.status >= 300 || target === undefined || !isStored(response)) return {};
      if (target.subresource === "" || target.subresource === "status") knowledge.read(target, response);
      return { resourceVersion: response.metadata.resourceVersion };
    },
  };
}
