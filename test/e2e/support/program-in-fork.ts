/** `trace -- COMMAND`: an operator in a fork, next to a live copy of it. The cluster's audit log shows what reaches the cluster. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ApiSide } from "../../support/api-side.ts";
import type { AuditEvent } from "../../support/audit-log.ts";
import { type Program, startProgram } from "./program.ts";

const operator = [process.execPath, join(import.meta.dir, "small-operator.ts")] as const;
const path = "/api/v1/namespaces/default/configmaps";

/** Defines the tests for one server. */
export function testProgramInFork(name: string, startSide: () => Promise<ApiSide>): void {
  describe(`a program in a fork of ${name}`, () => {
    let side: ApiSide;
    let atWork: Bun.Subprocess;
    let names = 0;
    beforeAll(async () => {
      side = await startSide();
      atWork = Bun.spawn([...operator], {
        env: { ...process.env, KUBECONFIG: side.kubeconfig },
        stdin: "ignore",
        stdout: "ignore",
        stderr: "inherit",
      });
      // Objects created before its watch is open are copied from its list.
      await create("first", "1");
      await until(
        "the copy at work has begun",
        async () => (await side.send("GET", `${path}/first-copy`)).status === 200,
      );
    });
    afterAll(async () => {
      atWork.kill("SIGKILL");
      await atWork.exited;
      await side.stop();
    });

    /** Our own requests since then, which should all be reads. */
    async function ours(since: number): Promise<readonly AuditEvent[]> {
      const isOurs = ({ userAgent = "" }: AuditEvent): boolean => userAgent.startsWith("kubectl-reconcile");
      return (await side.audit()).slice(since).filter(isOurs);
    }

    function isWrite({ verb, objectRef }: AuditEvent): boolean {
      return !/^(get|list|watch)$/.test(verb) && objectRef?.resource?.startsWith("selfsubject") !== true;
    }

    async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
      for (let tries = 0; tries < 600; tries++) {
        if (await holds()) return;
        await Bun.sleep(50);
      }
      throw new Error(`not within half a minute: ${what}`);
    }

    async function send(method: string, name: string, body: object): Promise<void> {
      expect((await side.send(method, path + name, body)).status).toBeLessThan(300);
    }
    const create = (name: string, size: string): Promise<void> =>
      send("POST", "", { metadata: { name, labels: { copy: "yes" } }, data: { size, colour: "red" } });
    const resize = (name: string, size: string): Promise<void> =>
      send("PUT", `/${name}`, { metadata: { name, labels: { copy: "yes" } }, data: { size, colour: "red" } });

    async function start(env: readonly string[], options: readonly string[] = []): Promise<Program> {
      const program = startProgram(["trace", "--quiet-child", ...options, "--", "env", ...env, ...operator], {
        kubeconfig: side.kubeconfig,
      });
      await program.says(/watching ConfigMap/);
      return program;
    }

    async function end(program: Program): Promise<{ readonly code: number; readonly stdout: string }> {
      program.signal("SIGINT");
      const { code, stdout, stderr } = await program.end();
      expect(stderr).toBe("");
      return { code, stdout };
    }

    test("that does what its copy does agrees with it, and writes nothing to the cluster", async () => {
      const before = (await side.audit()).length;
      await using program = await start([]);
      const own = Array.from({ length: 5 }, () => `same-${names++}`);
      for (const name of own) {
        await create(name, "1");
        await program.says(new RegExp(`ConfigMap ${name}-copy +POST 201`));
      }
      await resize(own[0] ?? "", "2");
      await program.says(/\.data\.size 1 → 2 {2}PUT 200/);
      await Bun.sleep(300);
      const { code, stdout } = await end(program);
      expect(stdout).toMatch(/^compared with the cluster: 6 same$/m);
      expect(stdout).toContain("writes go to a fork: the cluster is only read");
      expect(code).toBe(0);
      const requests = await ours(before);
      expect(requests.filter(isWrite)).toEqual([]);
      expect(requests.map(({ verb }) => verb)).toEqual(expect.arrayContaining(["list", "watch"]));
    }, 240_000);

    test.each([
      ["wrong label", /^differs ConfigMap default\/(\S+)-copy · \.metadata\.labels \{copy\} here, absent there$/m],
      ["no owner", /^differs ConfigMap default\/(\S+)-copy · \.metadata\.ownerReferences absent here, 1 item there$/m],
      ["wrong value", /^differs ConfigMap default\/(\S+)-copy · \.data\.size 0 here, [12] there$/m],
      ["field too many", /^differs ConfigMap default\/(\S+)-copy · \.data\.extra 1 here, absent there$/m],
      ["field too few", /^differs ConfigMap default\/(\S+)-copy · \.data\.\w+ absent here, \w+ there$/m],
      ["field that flaps", /^differs ConfigMap default\/(\S+)-copy · \.data\.turn [01] here, absent there$/m],
      ["finalizer", /^differs ConfigMap default\/(\S+)-copy · \.metadata\.finalizers 1 item here, absent there$/m],
      ["one too few", /^only there ConfigMap default\/(\S+3)-copy · created on the cluster, not here$/m],
      ["deletes", /^differs ConfigMap default\/(\S+)-copy · deleted here, not there$/m],
    ])(
      "a bug is named: %s",
      async (bug, expected) => {
        await using program = await start([`BUG=${bug}`], ["--fail-on", "differs"]);
        const round = names++;
        for (let n = 1; n <= 4; n++) await create(`bug-${round}-${n}`, "1");
        await program.says(new RegExp(`ConfigMap bug-${round}-4-copy +POST 201`));
        await resize(`bug-${round}-4`, "2");
        await program.says(expected);
        const { code, stdout } = await end(program);
        expect(code).toBe(1);
        const page = stdout.slice(stdout.indexOf("stopped after"));
        expect(expected.exec(page)?.[1]).toStartWith(`bug-${round}-`);
      },
      240_000,
    );

    test("that differs and fails: --fail-on differs decides the exit code, otherwise the program does", async () => {
      const script = `
        const config = await Bun.file(process.env.KUBECONFIG).text();
        const found = (field) => new RegExp(field + ": (\\\\S+)").exec(config)[1];
        await fetch(found("server") + "${path}", {
          method: "POST",
          headers: { authorization: "Bearer " + found("token"), "content-type": "application/json" },
          tls: { ca: atob(found("certificate-authority-data")) },
          body: JSON.stringify({ metadata: { name: "only-here" } }),
        });
        await Bun.sleep(4000);
        process.exit(7);`;
      const codes: number[] = [];
      for (const options of [["--fail-on", "differs"], []]) {
        const args = ["trace", "--quiet-child", ...options, "--", process.execPath, "-e", script];
        await using program = startProgram(args, { kubeconfig: side.kubeconfig });
        const { code, stdout } = await program.end();
        expect(stdout).toMatch(/only here ConfigMap default\/only-here/);
        codes.push(code);
      }
      expect(codes).toEqual([1, 7]);
    }, 240_000);

    test("that writes nothing: --fail-on differs cannot tell, and only if the program succeeds", async () => {
      const codes: number[] = [];
      for (const code of [0, 7]) {
        const args = [
          "trace",
          "--quiet-child",
          "--fail-on",
          "differs",
          "--",
          process.execPath,
          "-e",
          `process.exit(${code})`,
        ];
        await using program = startProgram(args, { kubeconfig: side.kubeconfig });
        const ended = await program.end();
        codes.push(ended.code);
        expect(/^cannot tell whether anything differs: nothing was compared$/m.test(ended.stderr)).toBe(code === 0);
      }
      expect(codes).toEqual([5, 7]);
    }, 240_000);

    test("-o json prints each comparison as an event", async () => {
      await using program = startProgram(
        ["trace", "-o", "json", "--quiet-child", "--", "env", "BUG=wrong value", ...operator],
        {
          kubeconfig: side.kubeconfig,
        },
      );
      await program.says(/"stage":"list"/);
      const name = `json-${names++}`;
      await create(name, "1");
      await program.says(/"stage":"agreement"/);
      program.signal("SIGINT");
      const { code, stdout } = await program.end();
      expect(code).toBe(0);
      const events = stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(events.find(({ stage }) => stage === "agreement")).toMatchObject({
        controller: "process",
        is: "differs",
        verb: "create",
        of: { group: "", kind: "ConfigMap" },
        target: `default/${name}-copy`,
        why: `differs ConfigMap default/${name}-copy · .data.size 0 here, 1 there`,
      });
    }, 240_000);

    test("that is watched: each delta that it receives, and nothing reaches the cluster", async () => {
      const before = (await side.audit()).length;
      await using program = startProgram(["watch", "--type", "added,updated", "--quiet-child", "--", ...operator], {
        kubeconfig: side.kubeconfig,
      });
      const name = `watched-${names++}`;
      await create(name, "0");
      // The program's watch is open once it has received a change.
      for (let size = 1; size < 100 && !program.stdout.includes(`${name} `); size++) {
        await resize(name, String(size));
        await Bun.sleep(100);
      }
      await resize(name, "200");
      await program.says(new RegExp(`Updated +ConfigMap +default/${name} .*\\.data\\.size \\d+ → 200`));
      await program.says(new RegExp(`Updated +ConfigMap +default/${name}-copy .*\\.data\\.size \\d+ → 200`));
      program.signal("SIGINT");
      const { code, stdout } = await program.end();
      expect(code).toBe(0);
      expect(stdout).toMatch(/^WATCH +configmaps +1$/m);
      expect((await ours(before)).filter(isWrite)).toEqual([]);
    }, 240_000);

    test("that is started elsewhere: proxy --shadow", async () => {
      const file = join(side.dir, "behind");
      await using program = startProgram(["proxy", "--shadow", "--write-kubeconfig", file], {
        kubeconfig: side.kubeconfig,
      });
      await program.says(/export KUBECONFIG=/);
      const elsewhere = Bun.spawn(["env", "BUG=wrong value", ...operator], {
        env: { ...process.env, KUBECONFIG: file },
        stdin: "ignore",
        stdout: "ignore",
        stderr: "inherit",
      });
      try {
        await program.says(/watching ConfigMap/);
        const name = `elsewhere-${names++}`;
        await create(name, "1");
        await program.says(new RegExp(`^differs ConfigMap default/${name}-copy · .data.size 0 here, 1 there$`, "m"));
      } finally {
        elsewhere.kill("SIGKILL");
        await elsewhere.exited;
      }
      const { code, stdout } = await end(program);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^compared with the cluster: .*\b1 differs\b/m);
    }, 240_000);

    test("that is you: fork, and its snapshot", async () => {
      const [file, state] = [join(side.dir, "fork"), join(side.dir, "state.json")];
      const mine = `mine-${names++}`;
      await create(mine, "1");
      const before = (await side.audit()).length;
      await using program = startProgram(["fork", "--write-kubeconfig", file, "--snapshot", state], {
        kubeconfig: side.kubeconfig,
      });
      await program.says(/export KUBECONFIG=/);
      const config = readFileSync(file, "utf8");
      const found = (field: string): string => new RegExp(`${field}: (\\S+)`).exec(config)?.[1] ?? "";
      const patched = await fetch(`${found("server")}${path}/${mine}`, {
        method: "PATCH",
        headers: { authorization: `Bearer ${found("token")}`, "content-type": "application/merge-patch+json" },
        tls: { ca: atob(found("certificate-authority-data")) },
        body: JSON.stringify({ data: { size: "7" } }),
      });
      expect(patched.status).toBe(200);
      await program.says(new RegExp(`^~ ConfigMap default/${mine} {2}\\.data\\.size 1 → 7$`, "m"));
      await resize(mine, "2");
      await program.says(new RegExp(`ConfigMap default/${mine} changed on the cluster: the fork keeps its own`));
      const { code, stdout } = await end(program);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^stopped: 1 object was written here and differs from the cluster's$/m);
      expect((await ours(before)).filter(isWrite)).toEqual([]);
      const saved = JSON.parse(readFileSync(state, "utf8")) as {
        items: readonly { kind: string; metadata: { name: string }; data?: Record<string, string> }[];
      };
      expect(statSync(state).mode & 0o777).toBe(0o600);
      const kept = saved.items.find(({ kind, metadata }) => kind === "ConfigMap" && metadata.name === mine);
      expect(kept?.data).toEqual({ size: "7", colour: "red" });
    }, 240_000);
  });
}
