/** What is attached, in use and reported. Source: kubernetes v1.36 actual_state_of_world_test.go. */
import { beforeEach, describe, expect, test } from "bun:test";
import { World } from "../../../src/controllers/persistentvolume-attach-detach/world.ts";

const disk = { unique: "disk", name: "disk", isExclusive: true, csi: undefined };
let known: World;
beforeEach(() => {
  known = new World();
});

function mark(node: string, isConfirmed = true): void {
  known.mark("disk", { node, volume: disk, isConfirmed });
}

describe("a volume", () => {
  test("that was never attached is on no node", () => {
    expect({
      volume: known.volumeOf("disk"),
      attachment: known.attachmentOf("disk", "a"),
      isConfirmed: known.isConfirmedOn("disk", "a"),
      nodes: [known.nodesOf("disk"), known.nodesThatMayHave("disk"), known.nodesThatDesire("disk")],
      onNode: known.attachedOn("a"),
      isInUse: known.isInUse("disk", "a"),
      report: known.takeReport("a"),
    }).toEqual({
      volume: undefined,
      attachment: undefined,
      isConfirmed: false,
      nodes: [[], [], []],
      onNode: [],
      isInUse: false,
      report: undefined,
    });
    expect(known.isLastWritten("a", [])).toBe(true);
  });

  test("is wanted by the nodes whose pods need it", () => {
    const wanted = (unique: string) =>
      new Map([[unique, { volume: { ...disk, unique }, pods: new Map(), isMultiAttachReported: false }]]);
    known.desired.set("a", wanted("other")).set("b", wanted("disk"));
    expect(known.nodesThatDesire("disk")).toEqual(["b"]);
  });

  test("is definitely on the nodes where that is confirmed, in the order of their names", () => {
    mark("c");
    mark("b", false);
    mark("a");
    expect(known.nodesOf("disk")).toEqual(["a", "c"]);
    expect(known.nodesThatMayHave("disk")).toEqual(["c", "b", "a"]);
    mark("a", false);
    expect(known.nodesOf("disk")).toEqual(["c"]);
    mark("b");
    expect(known.nodesOf("disk")).toEqual(["b", "c"]);
  });

  test("that is marked again has been unwanted for as long as before, and is in use as the node reports", () => {
    mark("a");
    const attachment = known.attachmentOf("disk", "a");
    if (attachment === undefined) throw new Error("it is not attached");
    attachment.unwantedSince = 7;
    known.setInUse("a", []);
    mark("a", false);
    expect(known.attachmentOf("disk", "a")).toEqual({ isConfirmed: false, unwantedSince: 7 });
    expect(known.isInUse("disk", "a")).toBe(false);
  });

  test("counts as in use from its attachment, beside others", () => {
    known.setInUse("a", ["other"]);
    mark("a");
    expect([known.isInUse("disk", "a"), known.isInUse("other", "a")]).toEqual([true, true]);
  });

  test("is learned where it is attached for sure, and not elsewhere", () => {
    known.mark("disk", { node: "a", volume: undefined, isConfirmed: false });
    known.learn(disk, "a");
    known.learn(disk, "b");
    expect(known.volumeOf("disk")).toBeUndefined();
    known.learn({ ...disk, unique: "other" }, "a");
    expect(known.volumeOf("other")).toBeUndefined();
    known.mark("disk", { node: "a", volume: undefined, isConfirmed: true });
    known.learn(disk, "a");
    expect(known.volumeOf("disk")).toEqual(disk);
  });
});

describe("a detached volume", () => {
  test("is forgotten once no node has it", () => {
    mark("a");
    mark("b");
    known.markDetached("disk", "a");
    expect({ nodes: known.nodesOf("disk"), onA: known.attachedOn("a"), volume: known.volumeOf("disk") }).toEqual({
      nodes: ["b"],
      onA: [],
      volume: disk,
    });
    known.markDetached("disk", "b");
    expect(known.volumeOf("disk")).toBeUndefined();
  });

  test("leaves the other volumes of its node", () => {
    mark("a");
    known.mark("other", { node: "a", volume: undefined, isConfirmed: true });
    known.markDetached("disk", "a");
    expect(known.attachedOn("a")).toEqual(["other"]);
  });

  test("changes nothing where it was not attached", () => {
    mark("a");
    known.markDetached("disk", "b");
    known.markDetached("other", "a");
    expect(known.attachedOn("a")).toEqual(["disk"]);
  });
});

describe("what a node has in use has changed", () => {
  const cases: readonly (readonly [string, readonly string[], readonly string[], boolean])[] = [
    ["from nothing to nothing", [], [], false],
    ["not in another order", ["one", "two"], ["two", "one"], false],
    ["to more", ["one"], ["one", "two"], true],
    ["to less", ["one", "two"], ["one"], true],
    ["to as many others", ["one", "two"], ["one", "three"], true],
    ["to nothing", ["one"], [], true],
  ];
  for (const [what, before, after, isOther] of cases) {
    test(`${what}: ${isOther}`, () => {
      known.setInUse("a", before);
      expect(known.setInUse("a", after)).toBe(isOther);
    });
  }
});

describe("the report of a node", () => {
  test("is due once for a volume with its path, and again when the volume is detached", () => {
    known.mark("disk", { node: "a", volume: undefined, isConfirmed: true, devicePath: "/dev/sdb" });
    known.mark("blank", { node: "a", volume: undefined, isConfirmed: true });
    expect(known.takeReport("a")).toEqual([
      { name: "blank", devicePath: "" },
      { name: "disk", devicePath: "/dev/sdb" },
    ]);
    known.mark("disk", { node: "a", volume: undefined, isConfirmed: true, devicePath: "/dev/sdb" });
    expect(known.takeReport("a")).toBeUndefined();
    known.markDetached("disk", "a");
    expect(known.takeReport("a")).toEqual([{ name: "blank", devicePath: "" }]);
  });

  test("leaves out a volume that may not be attached, or is not attached at all", () => {
    mark("a", false);
    known.report("disk", "b");
    expect([known.takeReport("a"), known.takeReport("b")]).toEqual([undefined, undefined]);
  });

  test("without a volume is due again only if it was in it", () => {
    mark("a");
    known.takeReport("a");
    known.unreport("other", "a");
    expect(known.takeReport("a")).toBeUndefined();
    known.unreport("disk", "a");
    expect(known.takeReport("a")).toEqual([]);
  });

  test("is not due for a node that has never had a volume", () => {
    known.setReportDue("a");
    known.noteWritten("a", []);
    expect(known.takeReport("a")).toBeUndefined();
  });

  test("is compared with the last write", () => {
    mark("a");
    const written = [{ name: "disk", devicePath: "" }];
    known.noteWritten("a", written);
    expect([known.isLastWritten("a", [...written]), known.isLastWritten("a", [])]).toEqual([true, false]);
  });
});
