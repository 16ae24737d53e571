/** Replaces what differs between runs in both outputs, before they are compared. */

interface Erasure {
  /** Why the two can never be equal. */
  readonly because: string;
  readonly what: RegExp;
  readonly by: string;
  /** Applied only to this stream. */
  readonly only?: "stderr";
}

/** The order matters: an earlier erasure can hide text that a later one would misinterpret. */
export const erasures: readonly Erasure[] = [
  {
    because: "a token is signed, by a key of each server",
    what: /eyJ[\w-]+\.[\w-]+\.[\w-]+/g,
    by: "TOKEN",
  },
  {
    because: "uids are random",
    what: /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g,
    by: "UID",
  },
  {
    because: "moments, as JSON has them",
    what: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g,
    by: "TIME",
  },
  {
    because: "moments, as kubectl prints them",
    what: /\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g,
    by: "DATE",
  },
  {
    because: "moments, as Go prints them",
    what: /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? [+-]0000 UTC( m=[+-][\d.]+)?/g,
    by: "DATE",
  },
  {
    because: "the folders that kubectl diff and edit make have random names",
    what: /\/tmp\/(LIVE|MERGED|kubectl-edit)-\d+(\.yaml)?/g,
    by: "$1",
  },
  {
    because: "diff says when it wrote its files",
    what: /^([-+]{3} \S+)\t.*$/gm,
    by: "$1",
  },
  { because: "each server has an address of its own", what: /\b(\d{1,3}\.){3}\d{1,3}:\d{4,5}\b/g, by: "SERVER" },
  { because: "addresses of Services are drawn by lot", what: /\b10\.0\.\d+\.\d+\b/g, by: "IP" },
  {
    because: "versions count the writes to the whole server",
    what: /(resourceVersion\\*"?:\s?\\*")\d+(\\*")/gi,
    by: "$1N$2",
  },
  {
    because: "the same, where kubectl scale compares them",
    what: /(Expected resource version to be \d+, was )\d+/g,
    by: "$1N",
  },
  {
    because:
      "client-go remarks that a watch ended or could not begin within a second, which is what --timeout=1s asks for",
    what: /^[IWE]\d{4} .* reflector\.go:.*\n/gm,
    by: "",
  },
  {
    because: "kubectl's own log lines begin with a time and a process id",
    what: /^([IWE])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ /gm,
    by: "$1 ",
  },
  {
    because: "names of volumes with tokens are made up",
    what: /kube-api-access-[a-z0-9]{5}/g,
    by: "kube-api-access-RAND",
  },
  {
    because: "documents are hashed as they are written, and the sandbox writes their fields in another order",
    what: /\?hash=[0-9A-F]{128}/g,
    by: "?hash=HASH",
  },
  {
    because: "versions, as kubectl describe prints them",
    what: /(Resource Version:\s+)\d+/g,
    by: "$1N",
  },
  {
    because: "ages, in columns and in brackets; columns are parted by two blanks and more",
    what: /(^| {2}|\(|over )(\d+[smhdy])+(?=[ )]|$)|<invalid>/gm,
    by: "$1AGE",
  },
  {
    because: "a Go difference has the types and fields of Go, and its blanks are drawn by lot",
    what: /\n@@ .* @@(\n[ \u00a0+-].*)*/g,
    by: "",
    only: "stderr",
  },
  // What follows the sign of a diff line is its indentation.
  { because: "columns are as wide as what was erased", what: /(?!^[-+] )(\S) {2,}/gm, by: "$1  " },
  { because: "the last column, too", what: / +$/gm, by: "" },
];

/** The text with everything replaced. */
export function erased(text: string, stream: "stdout" | "stderr" = "stdout"): string {
  const own = erasures.filter(({ only }) => only === undefined || only === stream);
  return own.reduce((rest, { what, by }) => rest.replaceAll(what, by), text);
}
