/** `-f URL`, with servers on loopback. */
import { afterAll, describe, expect, test } from "bun:test";
import * as http from "node:http";
import { fetchText, shownUrl, type WebIo } from "../../../plugin/manifests/manifest-url.ts";
import { readManifests } from "../../../plugin/manifests/manifests.ts";
import { realTimeline } from "../../../src/platform/real-timeline.ts";
import type { Timeline } from "../../../src/platform/timeline.ts";
import { listening, type Listening, rawServer } from "../../platform/servers.ts";
import { fakeIo } from "../../support/fake-io.ts";
import { rejection } from "../../support/rejection.ts";

const pod = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n";
const opened: Listening[] = [];
afterAll(() => {
  for (const server of opened) server.close();
});

interface Site {
  readonly url: string;
  /** Requests in order of arrival: `GET /web.yaml authorization`. */
  readonly requests: string[];
}

async function site(respond: http.RequestListener): Promise<Site> {
  const requests: string[] = [];
  const server = http.createServer((request, response) => {
    requests.push(`${request.method} ${request.url} ${request.headers.authorization ?? ""}`.trim());
    respond(request, response);
  });
  const open = await listening(server);
  opened.push(open);
  return { url: `http://127.0.0.1:${open.port}`, requests };
}

const timeline = realTimeline();
/** Delays are skipped: no test depends on their length, only on their order. */
const hasty: Timeline = { ...timeline, after: (_ms, actor, fn) => timeline.after(0, actor, fn) };
/** The time limit never expires, and retry delays are skipped. */
const patient: Timeline = {
  ...timeline,
  after: (ms, actor, fn) => (ms <= 1000 ? timeline.after(0, actor, fn) : () => undefined),
};

function ioWith(environment: WebIo["environment"] = {}, time: Timeline = patient): WebIo & { errText(): string } {
  const io = fakeIo();
  return { ...io, environment, timeline: time };
}

const messageOf = async (url: string, io: WebIo = ioWith()): Promise<string> =>
  (await rejection(fetchText(url, io))).message;

describe("-f URL", () => {
  test("reads the objects at the URL, and names it as their place", async () => {
    const { url, requests } = await site((_, response) => response.end(`${pod}---\n${pod.replace("a\n", "b\n")}`));
    const found = await readManifests([`${url}/web.yaml`], { io: ioWith() });
    expect(found.map(({ file, line, object }) => [file, line, object.metadata.name])).toEqual([
      [`${url}/web.yaml`, 1, "a"],
      [`${url}/web.yaml`, 6, "b"],
    ]);
    expect(requests).toEqual(["GET /web.yaml"]);
  });

  test("follows at most ten redirects, only to http and https", async () => {
    const { url, requests } = await site((request, response) => {
      const left = Number(request.url?.slice(1));
      if (request.url === "/file") response.writeHead(302, { location: "file:///etc/passwd" }).end();
      else if (left === 0) response.end(pod);
      else response.writeHead(left % 2 === 0 ? 301 : 307, { location: `/${left - 1}` }).end();
    });
    expect(await fetchText(`${url}/10`, ioWith())).toBe(pod);
    expect(requests).toHaveLength(11);
    expect(await messageOf(`${url}/11`)).toBe(`cannot read ${url}/11: it redirects more than 10 times`);
    expect(await messageOf(`${url}/file`)).toContain("it redirects to something that is not an http or https URL");
  });

  test("sends credentials only to the server for which they were given, and never shows them", async () => {
    const other = await site((_, response) => response.writeHead(404).end());
    const { url, requests } = await site((_, response) => {
      response.writeHead(302, { location: `${other.url}/x?token=abc` }).end();
    });
    const secret = `${url.replace("//", "//me:s%C3%A9same@")}/web.yaml?token=abc`;
    const message = await messageOf(secret);
    expect(message).toBe(`cannot read ${url}/web.yaml?…: ${new URL(other.url).host} answered 404 (not found)`);
    expect(requests).toEqual([`GET /web.yaml?token=abc Basic ${Buffer.from("me:sésame").toString("base64")}`]);
    expect(other.requests).toEqual(["GET /x?token=abc"]);
    expect(shownUrl("https://me:pass@[half")).not.toContain("pass");
  });

  test("tries a server that fails three times, and any other once", async () => {
    const statuses = [500, 503, 200];
    const failing = await site((_, response) => response.writeHead(statuses.shift() ?? 500).end(pod));
    expect(await fetchText(`${failing.url}/a`, ioWith())).toBe(pod);
    expect(await messageOf(`${failing.url}/b`)).toContain("answered 500");
    expect(failing.requests).toHaveLength(6);
    const refusing = await site((_, response) => response.writeHead(403).end());
    expect(await messageOf(`${refusing.url}/c`)).toContain("answered 403 (not allowed)");
    expect(refusing.requests).toHaveLength(1);
  });

  test("gives up if the response is too large or too slow", async () => {
    const endless = await site((_, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write("#".repeat(1 << 20)));
      };
      response.on("drain", more);
      response.on("error", () => undefined);
      more();
    });
    expect(await messageOf(`${endless.url}/big.yaml`)).toBe(
      `cannot read ${endless.url}/big.yaml: it is larger than 32 MiB`,
    );
    const silent = await site(() => undefined);
    const io = { ...fakeIo(), timeline: hasty };
    expect(await messageOf(`${silent.url}/slow.yaml`, io)).toBe(
      `cannot read ${silent.url}/slow.yaml: it took longer than 60 s`,
    );
    const stuck = await site((_, response) => response.write(pod));
    expect(await messageOf(`${stuck.url}/slow.yaml`, { ...io, environment: {} })).toContain("it took longer than 60 s");
  });

  test("uses the proxy of the environment", async () => {
    const proxy = await site((_, response) => response.end(pod));
    const io = ioWith({ HTTP_PROXY: proxy.url, NO_PROXY: "other.test" });
    expect(await fetchText("http://manifests.test/web.yaml?a=b", io)).toBe(pod);
    expect(proxy.requests).toEqual(["GET http://manifests.test/web.yaml?a=b"]);
  });

  const page = "<!DOCTYPE html>\n<html><body>Sign in</body></html>\n";
  const rows = [
    { name: "no server", url: "http://127.0.0.1:1/a.yaml", says: "connection refused" },
    { name: "no such host", url: "http://nowhere.invalid/a.yaml", says: "host" },
    { name: "not a URL", url: "https://", says: "cannot read https://: it is not a URL" },
  ];
  test.each(rows)("reports in one line: $name", async ({ url, says }) => {
    const message = await messageOf(url);
    expect(message).toStartWith(`cannot read ${url}: `);
    expect(message).toContain(says);
    expect(message).not.toContain("\n");
  });

  test("reports that a web page, or a broken connection, is not a manifest", async () => {
    const login = await site((_, response) => response.end(page));
    const error = await rejection(fetchText(`${login.url}/a.yaml`, ioWith()));
    expect(String(error)).toContain(
      `127.0.0.1:${new URL(login.url).port} answered with a web page, not with YAML or JSON`,
    );
    const broken = await rawServer("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\napiVersion", "break");
    opened.push(broken);
    expect(await messageOf(`http://127.0.0.1:${broken.port}/a.yaml`)).toContain("cannot read http://127.0.0.1:");
    const text = await site((_, response) => response.end("hello\n"));
    const wrong = await rejection(readManifests([`${text.url}/a.yaml?t=1`], { io: ioWith() }));
    expect((wrong as { next?: unknown }).next).toEqual([
      `${text.url}/a.yaml?…, document 1, line 1: it is not an object: a manifest begins with apiVersion and kind`,
    ]);
  });
});
