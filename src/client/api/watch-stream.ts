import { TransportError, type ApiBody } from "../../api/transport.ts";
import { FrameSplitter } from "./frames.ts";
import type { WatchFrame, WatchStream } from "./lister-watcher.ts";

/** The frames of a watch's body; one `next` resolves with all frames that one chunk completes. */
export function watchStream<T>(
  body: ApiBody,
  options: { readonly withoutManagedFields?: () => boolean } = {},
): WatchStream<T> {
  const splitter = new FrameSplitter<T>(options);
  let bytes = 0;
  return {
    async next(): Promise<readonly WatchFrame<T>[] | undefined> {
      for (;;) {
        const chunk = await body.next();
        if (chunk === undefined) {
          if (splitter.cut) throw new TransportError("the watch was cut inside an event");
          return undefined;
        }
        bytes += chunk.length;
        const frames = splitter.push(chunk);
        if (frames.length > 0) return frames;
      }
    },
    get bytes() {
      return bytes;
    },
    cancel: (reason) => body.cancel(reason),
  };
}
