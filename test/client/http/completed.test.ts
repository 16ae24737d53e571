import { expect, test } from "bun:test";
import { TransportError } from "../../../src/api/transport.ts";
import { requestLine, withCompleted } from "../../../src/client/http/completed.ts";
import { seededRandom } from "../../../src/platform/random.ts";
import { virtualTimeline } from "../../../src/platform/virtual-timeline.ts";
import { rejection } from "../../support/rejection.ts";
import { fakeTransport, get } from "../transports.ts";

test("each request is reported in a line, without credentials and body", async () => {
  const lines: string[] = [];
  const inner = fakeTransport(({ path }) => {
    if (path === "/gone") throw new TransportError("the connection was closed");
    return { status: path === "/api" ? 200 : 403 };
  });
  const timeline = virtualTimeline(0, seededRandom(1));
  const server = "https://a:6443/prefix";
  const transport = withCompleted(inner, {
    timeline,
    onCompleted: (request) => lines.push(requestLine(server, request)),
  });
  const secret = { headers: { authorization: "Bearer hunter2" }, body: new TextEncoder().encode("hunter2") };
  await transport.send(get("/api", { ...secret, query: [["labelSelector", "a=b"]] }));
  await transport.send({ ...get("/api/v1/pods", secret), method: "POST" });
  expect(await rejection(transport.send(get("/gone", secret)))).toBeInstanceOf(TransportError);
  expect(lines).toEqual([
    "GET https://a:6443/prefix/api?labelSelector=a%3Db 200 in 0 ms",
    "POST https://a:6443/prefix/api/v1/pods 403 in 0 ms",
    "GET https://a:6443/prefix/gone failed (the connection was closed) in 0 ms",
  ]);
});
