/** How the responses of an API server that validates each write as a dry run are used. */
import { describe, expect, test } from "bun:test";
import type { ApiRequest, Transport } from "../../../src/api/transport.ts";
import { wholeBody } from "../../../src/api/transport.ts";
import { withRefusals } from "../../../src/modes/dry-run/availability.ts";
import { type Validation, validateOnServer } from "../../../src/modes/dry-run/server-validate.ts";
import type { DryRun } from "../../../src/modes/dry-run/result.ts";
import { apply, play, webReplicaSet } from "./scene.ts";

/** Runs with a server that refuses requests to matching paths and accepts everything else unchanged. */
async function validated(
  path: RegExp,
  message: string,
): Promise<{ readonly run: DryRun; readonly validations: readonly Validation[] }> {
  const run = await play({
    requestedChanges: [apply(webReplicaSet(3)), { is: "scale", ...web, replicas: 4 }],
    keepWrites: true,
  });
  const storedByBody = new Map(run.writes.map(({ request, stored }) => [bodyOf(request), stored]));
  const transport: Transport = {
    send(request) {
      const isRefused = path.test(request.path) && request.method === "POST";
      const status = { kind: "Status", status: "Failure", reason: "Forbidden", code: 403, message };
      const stored = storedByBody.get(bodyOf(request));
      // As over HTTP if only the metadata is requested.
      const shown = request.metadataSuffices === true ? { metadata: stored?.metadata } : stored;
      const value = isRefused ? status : (shown ?? {});
      const body = wholeBody(new TextEncoder().encode(JSON.stringify(value)));
      return Promise.resolve({ status: isRefused ? 403 : 200, header: () => "application/json", body });
    },
  };
  return { run, validations: await validateOnServer(transport, run.writes, () => false) };
}

const web = {
  kind: { group: "apps", version: "v1", kind: "ReplicaSet", plural: "replicasets", namespaced: true },
  namespace: "default",
  name: "web",
} as const;

function bodyOf({ body }: ApiRequest): string {
  return body === undefined ? "" : new TextDecoder().decode(body);
}

describe("--server-validate", () => {
  test("objects that the server refuses are not available, and are reported in one line", async () => {
    const webhook = 'admission webhook "no.example.com" denied the request: no';
    const { run, validations } = await validated(/\/pods$/, webhook);
    expect(validations.filter(({ is }) => is === "refused")).toHaveLength(1);
    const availability = withRefusals(run.availability, run.state, validations);
    expect(availability).toEqual([
      {
        of: { group: "apps", kind: "ReplicaSet" },
        key: "default/web",
        available: 0,
        desired: 4,
        why: `the API server would refuse it: ${webhook}`,
        isRefused: true,
      },
    ]);
  });

  test("a response with metadata only is compared as a whole object", async () => {
    const { run, validations } = await validated(/^$/, "");
    expect(run.writes.some(({ request }) => request.metadataSuffices === true)).toBe(true);
    expect(validations.map(({ is }) => is)).toEqual(["accepted"]);
  });

  test("an applied object is not available either if the server refuses it", async () => {
    const { run, validations } = await validated(/\/replicasets$/, "too many");
    expect(withRefusals(run.availability, run.state, validations)).toMatchObject([{ isRefused: true }]);
  });

  test("permissions that controllers have and the user lacks are not a finding but a note", async () => {
    const message =
      'pods is forbidden: User "ci" cannot create resource "pods" in API group "" in the namespace "default"';
    const { run, validations } = await validated(/\/pods$/, message);
    expect(validations.map(({ is }) => is)).toEqual(["not judged", "accepted"]);
    expect(validations[0]?.text).toBe(
      "server: 1 write of replicaset not validated: user ci has no right to make them; on the cluster the controllers do",
    );
    expect(withRefusals(run.availability, run.state, validations)).toEqual(run.availability);
  });

  test("permissions that the user lacks for applied objects are a refusal", async () => {
    const message = 'replicasets is forbidden: User "ci" cannot create resource "replicasets" in API group "apps"';
    const { validations } = await validated(/\/replicasets$/, message);
    expect(validations.map(({ is }) => is)).toContain("refused");
  });
});
