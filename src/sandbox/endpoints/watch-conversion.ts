/** Watches of custom resources that a webhook converts: frames of stored objects are converted to the requested version. */
import { messageOf } from "../../api/error-message.ts";
import { StatusError } from "../../api/status-error.ts";
import type { ApiBody } from "../../api/transport.ts";
import { convertedObjects } from "../context/conversion.ts";
import type { RequestScope } from "../context/server.ts";
import type { ApiObject } from "../meta/object.ts";
import { internal } from "../meta/refusal.ts";
import { bytesOf, type Format } from "../serialization/encoding.ts";
import { Entry } from "../storage/entry.ts";

interface Frame {
  readonly type: string;
  readonly object: ApiObject;
}

/**
 * Converts the frames of `body`, which have whole objects as stored, to another format. An object that cannot be converted ends the watch
 * with an ERROR event.
 */
export function convertedBody(scope: RequestScope, body: ApiBody, format: Format): ApiBody {
  let isFirst = true;
  let isEnded = false;
  const shown = (object: ApiObject): string => {
    const own = isFirst ? (format.first ?? format) : format;
    isFirst = false;
    return own.text(new Entry(object, Number(object.metadata.resourceVersion)));
  };
  return {
    async next() {
      const piece = isEnded ? undefined : await body.next();
      if (piece === undefined) return undefined;
      const lines = new TextDecoder().decode(piece).split("\n").slice(0, -1);
      // The server's own frames.
      const frames = lines.map((line) => JSON.parse(line) as Frame);
      try {
        const objects = await atServedVersion(scope, frames.filter(isChange));
        const next = objects.values();
        const written = frames.map((frame, index) => {
          const object = isChange(frame) ? next.next().value : undefined;
          return object === undefined ? lines[index] : `{"type":"${frame.type}","object":${shown(object)}}`;
        });
        return bytesOf(`${written.join("\n")}\n`);
      } catch (error) {
        isEnded = true;
        body.cancel();
        const { status } = error instanceof StatusError ? error : internal(messageOf(error));
        return bytesOf(`{"type":"ERROR","object":${JSON.stringify(status)}}\n`);
      }
    },
    cancel: (reason) => body.cancel(reason),
  };
}

const isChange = ({ type }: Frame): boolean => type === "ADDED" || type === "MODIFIED" || type === "DELETED";

async function atServedVersion({ server, served }: RequestScope, frames: readonly Frame[]): Promise<ApiObject[]> {
  const { form, apiVersion } = served;
  const objects = frames.map(({ object }) => object);
  return form === undefined ? objects : await convertedObjects(server, { form, objects, apiVersion });
}
