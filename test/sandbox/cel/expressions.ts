/** The expressions of the corpus; `scripts/cel/record.ts` evaluates each of them with cel-go. */
import type { Question } from "../../../scripts/cel/oracle.ts";

const lines = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

const literals = lines(String.raw`
  null
  true
  1
  -7
  2u
  1.5
  "a"
  b"b"
  [1, 2]
  {"a": 1}
  duration("90s")
  timestamp("2024-02-29T12:30:45.5Z")
  type(1)
  optional.of(1)
`);

const operators = ["==", "<", ">=", "+", "-", "*", "/", "%", "in"];

/** Every operator with values of all pairs of types: either type-checked, or dynamic and evaluated at runtime. */
const pairs = operators.flatMap((operator) =>
  literals.flatMap((left, n) =>
    literals.flatMap((right, m) => {
      const checked = `${left} ${operator} ${right}`;
      const dynamic = `dyn(${left}) ${operator} dyn(${right})`;
      // Half of each, because the complete recording would be too long.
      return (n + m) % 2 === 0 ? [checked] : [dynamic];
    }),
  ),
);

const conversions = [
  "int",
  "uint",
  "double",
  "string",
  "bool",
  "bytes",
  "duration",
  "timestamp",
  "type",
  "dyn",
  "size",
].flatMap((fn) => literals.map((literal) => `${fn}([${literal}][0])`));

const numbers = lines(String.raw`
  9223372036854775807 + 1
  -9223372036854775808 - 1
  9223372036854775807 * 2
  -9223372036854775808 * -1
  -9223372036854775808 / -1
  [-9223372036854775808][0] % -1
  -(-9223372036854775808)
  [-9223372036854775808].map(x, -x)
  9223372036854775808
  -9223372036854775809
  18446744073709551615u + 1u
  18446744073709551616u
  0u - 1u
  4294967296u * 4294967296u
  1 / 0
  1u / 0u
  1.0 / 0.0
  -1.0 / 0.0
  0.0 / 0.0
  0.0 / 0.0 == 0.0 / 0.0
  0.0 / 0.0 < 1.0
  1 % 0
  1u % 0u
  7 / -2
  -7 % 3
  7 % -3
  1e308 * 10.0
  int(9223372036854775807.0)
  int(-9223372036854775808.0)
  int(1.9)
  int(-1.9)
  uint(-1)
  uint(1.9)
  uint(18446744073709551616.0)
  double(9223372036854775807)
  int(18446744073709551615u)
  int("0x10")
  int(" 1")
  int("+5")
  uint("5")
  uint("-5")
  double("1e3")
  double("NaN")
  double("inf")
  double("1_0")
  double("")
  string(0.1)
  string(1e21)
  string(1e-7)
  string(123456789.0)
  string(-0.0)
  string(1.0)
  string(100000.0)
  string(1000000.0)
  string(1e100)
  string(0.0001)
  string(0.00001)
  0x7fffffffffffffff
  -0x8000000000000000
  0xffffffffffffffffu
  1 == 1u
  dyn(1) == 1u
  dyn(1) == 1.0
  dyn(9007199254740993) == 9007199254740992.0
  1 < 1.5
  2u > 1
  -1 < 1u
  1 <= 1.0
  1.5 >= 2u
  9223372036854775807 < 9223372036854775808.0
  dyn([1, 2u, 3.0]) == [1, 2, 3]
  1 in [1.0]
  dyn(1.0) in [1]
  dyn(2u) in [1, 2]
  {1: "a"}[dyn(1u)]
  {1: "a"}[dyn(1.0)]
  {1u: "a"}[dyn(1)]
  dyn({1: "a"})[1.5]
  [1, 2, 3][dyn(1.0)]
  [1, 2, 3][dyn(1u)]
  [1, 2, 3][dyn(1.5)]
  [1, 2, 3][dyn("a")]
  [1, 2, 3][-1]
  [1, 2, 3][3]
`);

const texts = lines(String.raw`
  "tacocat".charAt(3)
  "tacocat".charAt(7)
  "tacocat".charAt(8)
  "tacocat".charAt(-1)
  "héllo wörld".charAt(1)
  size("")
  "tacocat".indexOf("")
  "tacocat".indexOf("ac")
  "tacocat".indexOf("none")
  "tacocat".indexOf("", 3)
  "tacocat".indexOf("a", 3)
  "tacocat".indexOf("at", 5)
  "tacocat".indexOf("a", -1)
  "tacocat".indexOf("a", 40)
  "ta©o©αT".indexOf("©")
  "ta©o©αT".indexOf("©α", 1)
  "tacocat".lastIndexOf("")
  "tacocat".lastIndexOf("at")
  "tacocat".lastIndexOf("none")
  "tacocat".lastIndexOf("a", 3)
  "tacocat".lastIndexOf("a", -1)
  "tacocat".lastIndexOf("a", 7)
  "a".lastIndexOf("abc")
  "TacoCat".lowerAscii()
  "TacoCÆt Xii".lowerAscii()
  "tacoCat".upperAscii()
  "tacoCαt".upperAscii()
  "hello hello".replace("he", "we")
  "hello hello".replace("he", "we", -1)
  "hello hello".replace("he", "we", 1)
  "hello hello".replace("he", "we", 0)
  "hello".replace("", "_")
  "hello".replace("", "_", 2)
  "hello hello hello".split(" ")
  "hello hello hello".split(" ", 0)
  "hello hello hello".split(" ", 1)
  "hello hello hello".split(" ", 2)
  "hello hello hello".split(" ", -1)
  "abc".split("")
  "".split(",")
  "tacocat".substring(4)
  "tacocat".substring(0, 4)
  "tacocat".substring(7)
  "tacocat".substring(40)
  "tacocat".substring(-1)
  "tacocat".substring(1, 50)
  "tacocat".substring(49, 50)
  "tacocat".substring(4, 3)
  "ta©o©αT".substring(2, 6)
  " \ttrim\n ".trim()
  "\u00a0\u2003x\u3000".trim()
  ["x", "y"].join()
  ["x", "y"].join("-")
  [].join("-")
  dyn([1, "a"]).join("-")
  strings.quote("a\n\"b\"\\ \u0007 é")
  "abc".reverse()
  "a" + "b" + "c"
  "abc" < "abd"
  "a" < "B"
  "é" > "z"
  "abc".contains("")
  "abc".startsWith("ab")
  "abc".endsWith("bc")
  "abc".startsWith("abcd")
  dyn("abc").contains(1)
  dyn(1).contains("a")
  dyn("abc").size()
  "abc".matches("^[a-z]{3}$")
  "abc".matches("B")
  "abc".matches("(?i)B")
  matches("abc", "b")
  "a\nb".matches("a.b")
  "a\nb".matches("(?s)a.b")
  "abc".find("[bc]+")
  "abc".find("x")
  "abc 123 def 456".findAll("[0-9]+")
  "abc 123 def 456".findAll("[0-9]+", 1)
  "abc".findAll("x*")
  "abc".findAll("b", 0)
  "abc".findAll("b", -1)
  "abc".find("(")
  ["("].map(p, "abc".find(p))
  ["("].map(p, "abc".matches(p))
  ["a("].map(p, "abc".findAll(p, 1))
  "héllo".find("l+")
  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!".matches("^(a+)+$")
  "x".matches("a{1001}")
  "x".matches("(?=y)")
  "x".matches("\\1")
  "a" == "a"
  "\x41\u00e9\U0001F600\101"
  'a\'b"c'
  r"a\nb"
  """multi "quoted" """
  '''it's'''
  b"\xff\x00a"
  b'é'
  bytes("é")
  string(b"\xff")
  string(b"abc")
  b"a" + b"b"
  b"a" < b"b"
  size(b"é")
  b"ab" == b"ab"
  "%s".format([1])
  "%s %s %s".format([true, null, "x"])
  "%s".format([1.5])
  "%s".format([[1, 2.5, "a", true, null]])
  "%s".format([{"b": 1, "a": [2]}])
  "%s".format([duration("1h")])
  "%s".format([timestamp("2020-01-01T00:00:00Z")])
  "%s".format([[duration("1h"), timestamp("2020-01-01T00:00:00Z")]])
  "%s".format([type(1)])
  "%s".format([b"abc"])
  "%d".format([42])
  "%d".format([42u])
  "%d".format([1.5])
  "%f".format([3.14159265])
  "%.2f".format([3.14159])
  "%.0f".format([2.5])
  "%.3f".format([1234567.891])
  "%f".format([double("NaN")])
  "%f".format([double("inf")])
  "%f".format(["Infinity"])
  "%e".format([1052.032911275])
  "%.3e".format([0.000123456])
  "%.1e".format([9.96])
  "%b".format([5])
  "%b".format([-5])
  "%b".format([true])
  "%x".format([255])
  "%X".format([255])
  "%x".format(["hello"])
  "%X".format([b"\xff\x0a"])
  "%o".format([8])
  "%%".format([])
  "100%%".format([])
  "%s".format([])
  "%s %s".format(["a"])
  "%s".format(["a", "b"])
  "%".format([1])
  "%z".format([1])
  "%.s".format([1])
  "%.5".format([1])
  "no".format([])
  ["%d"].map(f, f.format([1.5]))[0]
  ["%s"].map(f, f.format([]))[0]
  ["%q"].map(f, f.format([1]))[0]
  ["%s"].map(f, f.format([[1, 1.5, {"a": b"x"}]]))[0]
  ["%s"].map(f, f.format([optional.of(1)]))[0]
  ["%s"].map(f, f.format([quantity("1")]))[0]
  "%s".format([quantity("1")])
  "%s and %s".format(["a", ["b", 1]])
`);

const times = lines(String.raw`
  timestamp("2024-02-29T23:59:60Z")
  timestamp("2023-02-29T00:00:00Z")
  timestamp("2024-02-29T00:00:00.123456789Z")
  timestamp("2024-02-29T00:00:00+05:30")
  timestamp("2024-02-29t00:00:00z")
  timestamp("2024-02-29")
  timestamp(0)
  timestamp(253402300799)
  timestamp(253402300800)
  timestamp(-62135596801)
  [1].map(x, timestamp(253402300800))[0]
  ["x"].map(x, timestamp(x))[0]
  ["x"].map(x, duration(x))[0]
  timestamp("9999-12-31T23:59:59Z") + duration("1s")
  timestamp("0001-01-01T00:00:00Z") - duration("1s")
  timestamp("2024-03-01T00:00:00Z") - timestamp("2024-02-28T00:00:00Z")
  timestamp("9999-12-31T23:59:59Z") - timestamp("0001-01-01T00:00:00Z")
  timestamp("2024-01-01T00:00:00Z") < timestamp("2024-01-01T00:00:00.000000001Z")
  timestamp("2024-01-01T00:00:00Z") == timestamp("2024-01-01T02:00:00+02:00")
  int(timestamp("2024-01-01T00:00:00Z"))
  string(timestamp("2024-01-01T00:00:00.120Z"))
  timestamp("2024-02-29T12:30:45.678Z").getFullYear()
  timestamp("2024-02-29T12:30:45.678Z").getMonth()
  timestamp("2024-02-29T12:30:45.678Z").getDayOfYear()
  timestamp("2024-02-29T12:30:45.678Z").getDayOfMonth()
  timestamp("2024-02-29T12:30:45.678Z").getDate()
  timestamp("2024-02-29T12:30:45.678Z").getDayOfWeek()
  timestamp("2024-02-29T12:30:45.678Z").getHours()
  timestamp("2024-02-29T12:30:45.678Z").getMinutes()
  timestamp("2024-02-29T12:30:45.678Z").getSeconds()
  timestamp("2024-02-29T12:30:45.678Z").getMilliseconds()
  timestamp("2024-02-29T12:30:45Z").getHours("America/New_York")
  timestamp("2024-07-29T12:30:45Z").getHours("America/New_York")
  timestamp("2024-02-29T23:30:45Z").getDate("Europe/Berlin")
  timestamp("2024-02-29T12:30:45Z").getHours("+05:30")
  timestamp("2024-02-29T12:30:45Z").getMinutes("-05:30")
  timestamp("2024-02-29T12:30:45Z").getHours("UTC")
  timestamp("2024-02-29T12:30:45Z").getHours("Nowhere/Land")
  timestamp("2024-02-29T12:30:45Z").getHours("x:y")
  timestamp("0001-01-01T00:00:00Z").getDayOfWeek()
  timestamp("1900-03-01T00:00:00Z").getDayOfYear()
  timestamp("1969-12-31T23:59:59.5Z").getMilliseconds()
  duration("1h30m45.678s").getHours()
  duration("1h30m45.678s").getMinutes()
  duration("1h30m45.678s").getSeconds()
  duration("1h30m45.678s").getMilliseconds()
  duration("-90s").getMinutes()
  duration("1.5h")
  duration("1ns") + duration("1us")
  duration("2562047h47m16.854775807s")
  duration("2562047h47m16.854775808s")
  duration("1d")
  duration("1h 30m")
  duration(".5s")
  duration("0")
  duration("1")
  duration("9000000000000000000ns") + duration("9000000000000000000ns")
  -duration("1s")
  duration("1s") > duration("1000ms")
  string(duration("1h"))
  string(duration("1ns"))
  int(duration("1s"))
  duration("1s") + timestamp(0)
  duration("1s") - timestamp(0)
`);

const collections = lines(String.raw`
  [1, 2] + [3]
  [] + []
  [1] == [1, 2]
  [1, [2, {"a": 3}]] == [1, [2, {"a": 3}]]
  {"a": 1, "b": [2]} == {"b": [2], "a": 1}
  {"a": 1} == {"a": 1.0}
  {"a": 1}.size()
  size({})
  "a" in {"a": 1}
  [1, 2, 3].isSorted()
  [3, 2].isSorted()
  [].isSorted()
  ["a", "b"].isSorted()
  [true, false].isSorted()
  [1, 2, 3].sum()
  [1u, 2u].sum()
  [1.5, 2.5].sum()
  [duration("1s"), duration("2s")].sum()
  [].sum()
  ["a"].sum()
  [9223372036854775807, 1].sum()
  [1, 3, 2].max()
  [1, 3, 2].min()
  [].max()
  dyn([]).min()
  ["b", "a"].min()
  [timestamp(0), timestamp(1)].max()
  [1, 2, 1].indexOf(1)
  [1, 2, 1].lastIndexOf(1)
  [1, 2].indexOf(3)
  [1, 2, 3, 4].slice(1, 3)
  [1, 2].slice(0, 3)
  [1, 2].slice(2, 1)
  [1, 2].slice(-1, 1)
  [[1, 2], [3]].flatten()
  [1, [2, [3, [4]]]].flatten(2)
  [1, 2].flatten(-1)
  [1, 2].flatten()
  [3, 1, 2].sort()
  ["c", "a"].sort()
  dyn([1, "a"]).sort()
  [[1]].sort()
  [{"n": 2}, {"n": 1}].sortBy(x, x.n)
  ["aa", "b"].sortBy(x, size(x))
  [].sortBy(x, x)
  1.sortBy(x, x)
  "a".sortBy(x, x)
  [1, 2].sortBy(1, 2)
  [1, 1, 2].distinct()
  [1, 1.0, "a", "a"].distinct()
  [[1], [1]].distinct()
  lists.range(4)
  lists.range(0)
  lists.range(-2)
  [1, 2, 3].reverse()
  [1, 2].first()
  [].first()
  [1, 2].last()
  sets.contains([1, 2], [2])
  sets.contains([1], [])
  sets.equivalent([1, 2], [2, 1, 1])
  sets.intersects([1], [2])
  sets.contains([1.0], [1])
  [1, 2, 3].all(x, x > 0)
  [1, 2, 3].all(x, x > 1)
  [].all(x, x)
  [1, 0].all(x, 1 / x > 0)
  [0, 1].exists(x, 1 / x > 0)
  [0].exists(x, 1 / x > 0)
  [1, 2].exists(x, x == 2)
  [1, 2, 2].exists_one(x, x == 2)
  [1, 2].existsOne(x, x == 2)
  [0, 1].exists_one(x, 1 / x > 0)
  [1, 2].map(x, x + 1)
  [1, 2].map(x, x > 1, x)
  [1, 2].filter(x, x > 1)
  [1, 0].map(x, 1 / x)
  {"a": 1}.map(k, k)
  {"a": 1}.all(k, k == "a")
  {"a": 1}.exists(k, k == "b")
  {"a": 1}.filter(k, true)
  {"a": 1}.all(k, v, k == "a" && v == 1)
  [5].all(i, v, i == 0 && v == 5)
  {"a": 1}.exists(k, v, v == 2)
  {"a": 1}.existsOne(k, v, v == 1)
  {"a": 1}.exists_one(k, v, v == 1)
  [1, 2].transformList(i, v, i * v)
  [1, 2].transformList(i, v, i > 0, v)
  {"a": 1}.transformMap(k, v, v + 1)
  {"a": 1, "b": 2}.transformMap(k, v, v > 1, v)
  ["x", "y"].transformMap(i, v, v)
  {"a": "b"}.transformMapEntry(k, v, {v: k})
  ["a", "a"].transformMapEntry(i, v, {v: i})
  [1].all(x, x, true)
  [1].all(1, true)
  [1].all(x.y, true)
  [1].map(1, 2)
  [1].filter("x", true)
  [1].exists(__result__, true)
  [1].all(i, 2, true)
  1.all(x, true)
  dyn(1).all(x, true)
  dyn(1).all(k, v, true)
  dyn("a").map(x, x)
  [[1, 2], [3]].map(l, l.map(x, x * 2))
  [1, 2].map(x, [x].map(x, x + 1))
  [1, 2, 3].map(x, [1, 2, 3].filter(y, y < x)).map(l, l.size())
  {"a": {"b": {"c": 1}}}.a.b.c
  {"a": 1}.b
  {"a": 1}["b"]
  {"a": {"b": 1}}.a.c
  {"a": null}.a.b
  {"a": 1}.a.b
  {true: 1}[true]
  {1.5: 2}
  {[1]: 2}
  {"a": 1, "a": 2}
  has({"a": 1}.a)
  has({"a": null}.a)
  has({"a": 1}.b.c)
  has({"a": {"b": 1}}.a.b)
  has({"a": {"b": 1}}.a.c)
  has(1.a)
  has(dyn(1).a)
  has({"a": 1})
  has([1][0])
  has({"a": 1}["a"])
  (true ? {"a": 1} : {"b": 2}).a
  (false ? {"a": 1} : {"b": 2}).a
  [1, 2, 3][1 + 1]
  {"a": [1, 2]}["a"][1]
  {"k": "a"}[["k"][0]]
  [1, 2][[1][0]]
  1 > 0 ? [1] : [2]
  true ? 1 : "a"
  dyn(true) ? 1 : 2
  dyn(1) ? 1 : 2
  [1, "a", 2.0]
  [1, 2u]
  {1: "a", "b": 2}
  {"a": 1, "b": "c"}
  [dyn(1), "a"]
  [[1], ["a"]]
  [null, 1]
  [1, null]
`);

const optionals = lines(String.raw`
  optional.of(1)
  optional.none()
  optional.ofNonZeroValue(0)
  optional.ofNonZeroValue("")
  optional.ofNonZeroValue([])
  optional.ofNonZeroValue({"a": 1})
  optional.ofNonZeroValue(null)
  optional.ofNonZeroValue(duration("0s"))
  optional.of(1).hasValue()
  optional.none().hasValue()
  optional.of(1).value()
  optional.none().value()
  optional.of(1).or(optional.of(2))
  optional.none().or(optional.of(2))
  optional.none().orValue(5)
  optional.of(1).orValue("a")
  optional.of(1) == optional.of(1)
  optional.of(1) == optional.none()
  optional.of(1) == optional.of(1.0)
  optional.none() == optional.none()
  {"a": 1}.?a
  {"a": 1}.?b
  {"a": {"b": 1}}.?a.b
  {"a": {"b": 1}}.?c.b
  {"a": {"b": 1}}.?a.c
  {"a": {"b": 1}}.?a.?b.orValue(3)
  {"a": 1}[?"a"]
  {"a": 1}[?"b"].orValue(2)
  [1, 2][?0]
  [1, 2][?5].hasValue()
  [1, 2][?-1]
  optional.of([1, 2])[0]
  optional.of({"a": 1}).a
  optional.of({"a": 1})["a"]
  optional.of({"a": 1})[?"b"]
  has({"a": 1}.?a.b)
  has(optional.of({"a": 1}).a)
  has(optional.of({"a": 1}).b)
  optional.of(2).optMap(x, x * 2)
  optional.none().optMap(x, x * 2)
  optional.of(2).optMap(x, 1)
  optional.of(2).optFlatMap(x, optional.of(x + 1))
  optional.of(2).optMap(2, 3)
  optional.of({"a": 1}).optFlatMap(m, m.?b)
  [?optional.of(1), ?optional.none(), 2]
  {?"a": optional.of(1), ?"b": optional.none()}
  [?1]
  {?"a": 1}
  optional.unwrap([optional.of(1), optional.none()])
  [optional.of(1), optional.none()].unwrapOpt()
  dyn([1]).unwrapOpt()
  dyn(1).?a
  type(optional.of(1))
  optional.of(1).foo
  1.?a
  [optional.of({"a": 1})].map(o, o.a)
  [optional.of([1])].map(o, o[0])
  optional.of([]).optMap(l, (l + [1]).size() + l.size())
`);

const kubernetes = lines(String.raw`
  url("https://user:pw@example.com:8080/p/a%20th?x=1&x=2&y#frag").getScheme()
  url("https://example.com:8080/path").getHost()
  url("https://example.com:8080/path").getHostname()
  url("https://example.com:8080/path").getPort()
  url("https://example.com/path").getPort()
  url("https://[::1]:80/path").getHostname()
  url("https://[::1]:80/path").getHost()
  url("https://example.com/a b").getEscapedPath()
  url("https://example.com/with%20space/é").getEscapedPath()
  url("https://example.com/path?k1=a&k2=b&k2=c").getQuery()
  url("https://example.com/path?").getQuery()
  url("https://example.com/path?a=%zz&b=1").getQuery()
  url("/absolute-path").getHost()
  url("relative")
  url("")
  url("https://exa mple.com")
  url("https://example.com:port/")
  url("://x")
  url("https://a/%zz")
  url("mailto:a@b.c").getScheme()
  url("https://a") == url("https://a")
  url("https://a") == url("https://b")
  url("HTTPS://A.b/C")
  isURL("https://example.com")
  isURL("../relative")
  isURL("http://[::1")
  url("http://1.2.3.4:5/").getHostname()
  quantity("1Gi")
  quantity("1.5Gi")
  quantity("1000m")
  quantity("1e3")
  quantity("-5")
  quantity("x")
  quantity("")
  quantity("1Q")
  isQuantity("1Mi")
  isQuantity("1mi")
  quantity("50k").isInteger()
  quantity("1000m").isInteger()
  quantity("1.0").isInteger()
  quantity("9999999999999999999999999999999999999G").isInteger()
  quantity("50k").asInteger()
  quantity("1500m").asInteger()
  quantity("1500m").asApproximateFloat()
  quantity("10000k").asApproximateFloat()
  quantity("1Ki").asApproximateFloat()
  sign(quantity("-5"))
  quantity("5").sign()
  quantity("1G").isGreaterThan(quantity("1Gi"))
  quantity("1G").isLessThan(quantity("1Gi"))
  quantity("200M").compareTo(quantity("0.2G"))
  quantity("200M") == quantity("0.2G")
  quantity("50k").add(quantity("20"))
  quantity("50k").add(20)
  quantity("50k").sub(quantity("20k"))
  quantity("50k").sub(50000)
  quantity("1Gi").add(quantity("1Mi")).sub(5)
  quantity("1") == dyn(1)
  ip("192.168.0.1")
  ip("::FFFF")
  ip("2001:db8::abcd")
  ip("2001:DB8::ABCD").family()
  ip("192.168.0.1").family()
  ip("192.168.0.1.0")
  ip("192.168.01.1")
  ip("256.1.1.1")
  ip("1.2.3")
  ip("fe80::1%eth0")
  ip("::ffff:1.2.3.4")
  ip("1::2::3")
  ip("12345::")
  ip("g::")
  ip("abc")
  isIP("127.0.0.1")
  isIP("127.0.0.1%0")
  ip.isCanonical("127.0.0.1")
  ip.isCanonical("2001:DB8::ABCD")
  ip.isCanonical("x")
  ip("0.0.0.0").isUnspecified()
  ip("::").isUnspecified()
  ip("127.1.2.3").isLoopback()
  ip("::1").isLoopback()
  ip("224.0.0.1").isLinkLocalMulticast()
  ip("ff02::1").isLinkLocalMulticast()
  ip("169.254.1.1").isLinkLocalUnicast()
  ip("fe80::1").isLinkLocalUnicast()
  ip("8.8.8.8").isGlobalUnicast()
  ip("255.255.255.255").isGlobalUnicast()
  ip("2001:db8::1").isGlobalUnicast()
  ip("1.1.1.1") == ip("1.1.1.1")
  ip("1.1.1.1") == dyn("1.1.1.1")
  string(ip("2001:DB8:0:0:1::1"))
  cidr("192.168.0.0/24")
  cidr("192.168.0.1/24").masked()
  cidr("192.168.0.0/33")
  cidr("192.168.0.0")
  cidr("192.168.0.0/08")
  cidr("x/8")
  cidr("::ffff:1.2.3.4/120")
  isCIDR("10.0.0.0/8")
  isCIDR("10.0.0.0")
  cidr("192.168.0.0/24").containsIP("192.168.0.1")
  cidr("192.168.0.0/24").containsIP("192.168.1.1")
  cidr("192.168.0.0/24").containsIP("bad")
  cidr("192.168.0.0/24").containsIP(ip("192.168.0.9"))
  cidr("10.0.0.0/8").containsIP(ip("::1"))
  cidr("192.168.0.0/24").containsCIDR("192.168.0.0/25")
  cidr("192.168.0.0/24").containsCIDR("192.168.0.0/23")
  cidr("192.168.0.0/24").containsCIDR("bad")
  cidr("192.168.0.0/24").containsCIDR(cidr("192.168.0.128/25"))
  cidr("192.168.0.1/24").ip()
  cidr("192.168.0.1/24").prefixLength()
  string(cidr("2001:DB8::/32"))
  cidr("10.0.0.0/8") == cidr("10.0.0.0/8")
  type(ip("1.1.1.1"))
  type(ip("1.1.1.1")) == net.IP
  semver("1.2.3")
  semver("1.2.3-alpha.1+build.5")
  semver("v1.0")
  semver("v1.0", true)
  semver("01.2.3")
  semver("01.2.3", true)
  semver("1.2")
  semver("1.2", true)
  semver("")
  semver("a.b.c")
  semver("1.2.3-01")
  semver("1.2.3-")
  semver("1.2.3+")
  semver("1.2.3-é")
  semver("99999999999999999999.0.0")
  isSemver("1.2.3")
  isSemver("v1.2.3")
  isSemver("v1.2.3", true)
  semver("1.2.3").major()
  semver("1.2.3").minor()
  semver("1.2.3").patch()
  semver("1.2.3").isLessThan(semver("1.10.0"))
  semver("1.2.3-alpha").isLessThan(semver("1.2.3"))
  semver("1.2.3-alpha.2").compareTo(semver("1.2.3-alpha.10"))
  semver("1.2.3-alpha").compareTo(semver("1.2.3-1"))
  semver("1.2.3+a") == semver("1.2.3+b")
  semver("1.2.3").isGreaterThan(semver("1.2.2"))
  format.dns1123Label().validate("my-label")
  format.dns1123Label().validate("My_Label")
  format.dns1123Label().validate("a.b")
  format.dns1123Subdomain().validate("a.b-c")
  format.dns1123Subdomain().validate("A")
  format.dns1035Label().validate("1a")
  format.qualifiedName().validate("example.com/name")
  format.qualifiedName().validate("a/b/c")
  format.dns1123LabelPrefix().validate("prefix-")
  format.dns1123SubdomainPrefix().validate("a.b-")
  format.dns1035LabelPrefix().validate("a-")
  format.labelValue().validate("ok")
  format.labelValue().validate("not ok")
  format.uri().validate("https://x")
  format.uri().validate("x")
  format.uuid().validate("123e4567-e89b-12d3-a456-426614174000")
  format.uuid().validate("x")
  format.byte().validate("aGVsbG8=")
  format.byte().validate("a")
  format.date().validate("2024-02-29")
  format.date().validate("2023-02-29")
  format.datetime().validate("2024-02-29T00:00:00Z")
  format.datetime().validate("2024-02-29")
  format.named("dns1123Label")
  format.named("nope")
  format.named("uuid").value().validate("x").hasValue()
  format.dns1123Label() == format.dns1123Label()
  format.dns1123Label() == format.uuid()
  !format.dns1123Label().validate("a").hasValue()
`);

const mistakes = lines(String.raw`
  foo
  foo.bar.baz
  foo()
  "a".foo()
  a.b.c()
  1 + "a"
  "a" * 2
  !1
  -"a"
  1 && true
  true || "a"
  1 ? 2 : 3
  [1].foo
  1.a
  "a".b.c
  size(1)
  size()
  size("a", "b")
  "a".size(1)
  int(null)
  [1]["a"]
  {"a": 1}[1]
  "a"[0]
  1 in 2
  "a" in "abc"
  duration("1x")
  timestamp("now")
  "a".matches("(")
  "a".matches("[")
  matches("a", "(")
  a{b: 1}
  a.b{c: 1}
  int{}
  string{a: 1}
  type(1){}
  namespace
  if
  while + 1
  for.x
  function(1)
  null.a
  null + 1
  true + true
  [1] + "a"
  {"a": 1} + {"b": 2}
  {} < {}
  [] < []
  null < null
  timestamp(0) + timestamp(0)
  timestamp(0) * 2
  foo + bar
  foo && bar || baz
  [foo, bar]
  {foo: bar}
  foo ? bar : baz
  foo[bar]
  has(foo.bar)
  [1].all(x, y)
  [1].map(x, foo(x))
  1 + foo("a" + 1)
  "é" + foo
  .foo
  .int(1)
  .size("a")
  x.all(y, y)
  "a\qb"
  "\ud800"
  b"\u00e9"
  "\x4"
  99999999999999999999
  1e400
  0xfffffffffffffffff
  a.${"`"}b${"`"}
  {"a": 1}.${"`"}a${"`"}
  cel.bind(x, 1, x)
  math.greatest(1, 2)
  base64.encode(b"a")
  authorizer
  optional.of()
  url(1)
  quantity("1").add("2")
  ip("1.1.1.1").containsIP("x")
  ["a"].sum()
  [[1]].max()
`);

/** Texts that are not valid expressions. */
const misspelt = [
  "",
  "  ",
  ...lines(String.raw`
  1 +
  + 1
  1 2
  1 2 3
  a b
  (1
  (1 2)
  (1))
  )
  (
  [1
  [1, 2
  [1 2]
  ]
  {
  {"a"
  {"a":
  {"a": 1
  {"a" 1}
  {1: 2, 3}
  a.
  a..b
  a.1
  a.true
  a.in
  a.null.b
  foo(
  foo(1
  foo(1,
  foo(1,)
  foo(,1)
  foo(1 2)
  a[
  a[]
  a[1
  a[1 2]
  a ? b
  a ? b :
  a ? : c
  ? a : b
  a ? b : c : d
  a &&
  a && && b
  || a
  a ||
  a ==
  == a
  a == == b
  a in
  in a
  !
  !!
  -
  1 -
  a !
  a & b
  a | b
  a = b
  a := b
  @
  a @ b
  "abc
  'abc
  "a\q"
  "a" "b"
  a b c d
  self.x > 0 &&
  self.x >
  self.x > 0)
  self.spec.replicas <=
  has(self.x
  has(self.x &&
  self.list.all(x, x > 0
  self.list.all(x x > 0)
  self.list.all(x, )
  a.b(
  a.b(c
  if a then b
  for x in y
  let x = 1
  a;b
  a,b
  1..2
  1.2.3
  .
  ..a
  a.b.
  a?.b
  a.?
  a[?
  {a: 1
  a{
  a{b
  a{b:
  a{b: 1
  a{b: 1,
  a{1: 2}
  a{b: 1, c}
  a{,}
  [,]
  {,}
  [,1]
  [1,,2]
  [?]
  {?}
  true false
  null null
  not a
  a and b
  a or b
  a <> b
  a === b
  a !== b
  a => b
  #a
  $a
  a$b
  "a" + + "b"
  1 + * 2
  1 */ 2
  != 1
  a.b c
  (a b) c
  ((1)
  (1 + 2
  1 + (2
  foo(a, b
  foo(a b, c)
  [a b c]
  size(x) >
  x.y.z >=
`),
];

// Not written with String.raw, which does not support characters beyond the basic plane in this runtime.
const wide = [
  `"😀😃😀😁".charAt(1)`,
  `"😀😃😀😁".size()`,
  `"😀" > "\\uffff"`,
  `"😀" + foo + bar`,
  `"a😀b".substring(1, 2)`,
  `"a😀b".indexOf("b")`,
  `"😀" + "é`,
];

const multiline = [
  "foo +\n  bar",
  "1 +\n\tfoo(\n 2)",
  "// a comment\nfoo",
  "1 // end",
  "\n\n  foo",
  '"a" +\r\n foo',
  '"""a\nb""" + foo',
];

const plain = [
  ...pairs,
  ...conversions,
  ...numbers,
  ...texts,
  ...times,
  ...collections,
  ...optionals,
  ...kubernetes,
  ...mistakes,
  ...misspelt,
  ...wide,
  ...multiline,
];

const schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      required: ["name"],
      properties: {
        name: { type: "string", maxLength: 20 },
        free: { type: "string" },
        choice: { type: "string", enum: ["a", "bbb"] },
        replicas: { type: "integer", minimum: 0 },
        ratio: { type: "number" },
        on: { type: "boolean" },
        "with-dash": { type: "string" },
        "with.dot": { type: "integer" },
        "with/slash": { type: "integer" },
        with__under: { type: "integer" },
        namespace: { type: "string" },
        in: { type: "string" },
        $bad: { type: "string" },
        port: { "x-kubernetes-int-or-string": true },
        when: { type: "string", format: "date-time" },
        day: { type: "string", format: "date" },
        wait: { type: "string", format: "duration" },
        data: { type: "string", format: "byte" },
        maybe: { type: "string", nullable: true },
        labels: { type: "object", additionalProperties: { type: "string", maxLength: 10 }, maxProperties: 5 },
        groups: { type: "object", additionalProperties: { type: "array", items: { type: "string" } } },
        list: { type: "array", items: { type: "string", maxLength: 5 }, maxItems: 10 },
        open: { type: "array", items: { type: "integer" } },
        set: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
        map: {
          type: "array",
          items: {
            type: "object",
            required: ["key"],
            properties: { key: { type: "string" }, value: { type: "integer" } },
          },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["key"],
        },
        any: { "x-kubernetes-preserve-unknown-fields": true },
        loose: {
          type: "object",
          "x-kubernetes-preserve-unknown-fields": true,
          properties: { known: { type: "string" } },
        },
        bare: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        template: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          "x-kubernetes-preserve-unknown-fields": true,
        },
        nested: {
          type: "array",
          items: { type: "array", items: { type: "object", properties: { n: { type: "integer" } } } },
        },
      },
    },
  },
};

const self = {
  apiVersion: "example.com/v1",
  kind: "Thing",
  metadata: { name: "one" },
  spec: {
    name: "thing",
    free: "text",
    choice: "a",
    replicas: 3,
    ratio: 1,
    on: true,
    "with-dash": "d",
    "with.dot": 2,
    "with/slash": 3,
    with__under: 4,
    namespace: "ns",
    in: "in",
    $bad: "x",
    port: "http",
    when: "2024-02-29T00:00:00Z",
    day: "2024-02-29",
    wait: "1m30s",
    data: "aGk=",
    maybe: null,
    labels: { a: "1", b: "2" },
    groups: { g: ["x", "y"] },
    list: ["x", "y", "x"],
    open: [1, 2],
    set: ["b", "a"],
    map: [
      { key: "a", value: 1 },
      { key: "b", value: 2 },
    ],
    any: { deep: [1] },
    loose: { known: "k", unknown: 1 },
    bare: { x: 1 },
    template: { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: { x: 1 } },
    nested: [[{ n: 1 }, { n: 2 }], []],
  },
};

const oldSelf = {
  ...self,
  spec: { ...self.spec, replicas: 2, set: ["a", "b"], map: [...self.spec.map].reverse(), port: 80, list: ["x"] },
};

const typed = lines(String.raw`
  self.spec.name == "thing"
  self.spec.name.size() < 10
  self.spec.free.startsWith("te")
  self.spec.choice in ["a", "bbb"]
  self.spec.choice.matches("^[ab]+$")
  self.spec.free.matches("^[ab]+$")
  self.spec.replicas >= oldSelf.spec.replicas
  self.spec.replicas + 1
  self.spec.ratio
  self.spec.ratio > 0.5
  self.spec.on
  self.spec.__dash__
  self.spec.with__dash__dash
  self.spec.with__dot__dot
  self.spec.with__slash__slash
  self.spec.with__underscores__under
  self.spec.__namespace__
  self.spec.namespace
  self.spec.__in__
  self.spec.port
  self.spec.port == "http"
  type(self.spec.port) == string
  type(oldSelf.spec.port) == int
  self.spec.port == oldSelf.spec.port
  self.spec.when
  self.spec.when < timestamp("2025-01-01T00:00:00Z")
  self.spec.day
  self.spec.wait
  self.spec.wait > duration("1m")
  self.spec.data
  self.spec.data == b"hi"
  has(self.spec.maybe)
  self.spec.maybe
  self.spec.?maybe.orValue("none")
  has(self.spec.labels)
  self.spec.labels
  self.spec.labels.a
  self.spec.labels["a"]
  self.spec.labels.missing
  "a" in self.spec.labels
  self.spec.labels.all(k, self.spec.labels[k].size() < 5)
  self.spec.labels.all(k, v, v.size() < 5)
  self.spec.labels.size()
  self.spec.groups.all(k, self.spec.groups[k].all(v, v.size() > 0))
  self.spec.groups.map(k, self.spec.groups[k].size())
  self.spec.list
  self.spec.list[0]
  self.spec.list[9]
  "x" in self.spec.list
  self.spec.list.all(x, x.size() < 5)
  self.spec.list.exists_one(x, x == "y")
  self.spec.list.map(x, x + "!")
  self.spec.list.filter(x, x == "x").size()
  self.spec.list.join(",")
  self.spec.list.isSorted()
  self.spec.list + ["z"]
  ["z"] + self.spec.list
  self.spec.list == oldSelf.spec.list
  self.spec.list.sort()
  self.spec.list.distinct()
  self.spec.open.sum()
  self.spec.open.max()
  self.spec.open.all(x, self.spec.open.all(y, x + y > 0))
  self.spec.open.map(x, self.spec.open.map(y, x * y))
  self.spec.set == oldSelf.spec.set
  self.spec.set + ["a", "c"]
  self.spec.map == oldSelf.spec.map
  self.spec.map.all(e, e.value > 0)
  self.spec.map.exists(e, e.key == "b")
  self.spec.map[0].key
  self.spec.map.filter(e, e.value > 1).map(e, e.key)
  self.spec.map + oldSelf.spec.map
  self.spec.any
  has(self.spec.any)
  self.spec.loose.known
  self.spec.loose.unknown
  has(self.spec.loose.known)
  self.spec.loose == oldSelf.spec.loose
  self.spec.bare
  self.spec.bare == oldSelf.spec.bare
  self.spec.template.kind
  self.spec.template.metadata.name
  self.spec.template.spec
  self.spec.nested.all(l, l.all(e, e.n > 0))
  self.spec.nested[0][1].n
  self.spec.nested.map(l, l.size()).sum()
  self.metadata.name
  self.metadata.labels
  self.kind + "/" + self.apiVersion
  self.spec.missing
  self.missing
  has(self.spec.missing)
  has(self.spec.name)
  self.spec == oldSelf.spec
  self == self
  self.spec
  self.spec.name + self.spec.free
  self.spec.name.split("")
  self.spec.free.split(",").all(x, x.size() < 5)
  self.spec.free.replace("t", "ttt").size()
  self.spec.name.replace("t", "ttt").contains("x")
  self.spec.list.map(x, x.replace("a", "bb")).join("-").size()
  self.spec.name.upperAscii().lowerAscii().trim()
  self.spec.free.findAll("[a-z]").size()
  self.spec.free.find(self.spec.name)
  quantity(self.spec.name).isInteger()
  isQuantity(self.spec.free)
  url(self.spec.free).getHost()
  ip(self.spec.free).family()
  "%s-%d".format([self.spec.name, self.spec.replicas])
  self.spec.replicas > 1 ? self.spec.name : self.spec.free
  self.spec.on && self.spec.replicas > 5 || self.spec.name == "thing"
  self.spec.replicas in self.spec.open
  sets.contains(self.spec.list, self.spec.set)
  sets.equivalent(self.spec.set, oldSelf.spec.set)
  self.spec.list.sortBy(x, x.size())
  self.spec.map.sortBy(e, e.value).map(e, e.key)
  self.spec.open.slice(0, 1)
  lists.range(self.spec.replicas)
  self.spec.list.transformList(i, x, i > 0, x)
  self.spec.labels.transformMap(k, v, v.size())
  self.spec.?labels.?a.orValue("x")
  self.spec.?labels.optMap(l, l.size()).orValue(0)
  self.spec.labels[?"zz"].hasValue()
  dyn(self.spec.list).size()
  dyn(self.spec).name
  self.spec.name.indexOf("i")
  self.spec.list.indexOf("y")
  self.spec.wait + self.spec.wait
  self.spec.when + self.spec.wait
  string(self.spec.data)
  bytes(self.spec.name).size()
  self.spec.data + self.spec.data
  self.spec.port + 1
  dyn(self.spec.port) + "x"
  [self.spec.list, self.spec.list].flatten()
  {"a": self.spec.name}.a
  [self.spec.replicas, 1].max()
  self.spec.list[self.spec.replicas - 3]
  self.spec.list[self.spec.open[0]]
  self.spec.labels[self.spec.choice]
  (self.spec.on ? self.spec.list : self.spec.set)[0]
  (self.spec.on ? self.spec.labels : self.spec.labels).a
  self.spec.name == self.spec.free
  self.spec.list == self.spec.list
  self.spec.name <= self.spec.free
  type(self.spec)
  self.spec.all(k, true)
`);

/** Expressions that are costly, deeply nested or long: each is evaluated or refused in bounded time. */
const hostile = [
  `lists.range(1000).all(a, lists.range(1000).all(b, lists.range(1000).all(c, a + b + c >= 0)))`,
  `lists.range(2000000).size()`,
  `lists.range(2000).map(x, x).distinct().size()`,
  `lists.range(3000).map(x, lists.range(3000)).flatten().size()`,
  `"${"a".repeat(2000)}".matches("${"(a*)*".repeat(20)}b")`,
  `"${"a".repeat(5000)}!".matches("^(a|a|aa)+$")`,
  `${"(".repeat(40)}1${")".repeat(40)}`,
  `${"(".repeat(251)}1${")".repeat(251)}`,
  `1${" + 1".repeat(240)}`,
  `1${" + 1".repeat(260)}`,
  `[${"1,".repeat(2000)}1].size()`,
  `{"a":1}${".a".repeat(300)}`,
  `${"!".repeat(500)}true`,
  `${"-".repeat(501)}1`,
  `${"[".repeat(100)}1${"]".repeat(100)}`,
  `true${" && true".repeat(1000)}`,
  `"${"x".repeat(9000)}".size()`,
  `foo + ${"a".repeat(3000)}`,
  `${"foo + ".repeat(120)}1`,
  " ".repeat(100_001),
];

/** Brackets that are unclosed, or closed by a different one, inside others. */
const brackets = lines(String.raw`
  (f(1
  ((1
  f((1
  f(g(1
  f(1
  (1
  (type(1) == type(1
  type(1) == (type(1
  (1 + (1
  (a == (1
  [f(1
  (f(1 +
  1 + (f(1
  (1 + f(1
  (x.f(1
  [[1
  ((((1
  (a && (b
  (a ? (b
  (a ? b : (c
  !(f(1
  f(1, (2
  f(1, (2)
  [1, (2]
  {(1 : 2}
  {1: (2}
  {1: f(2, 3: 4}
  a ? (b : c
  (a ? (b : c)
  [(1, 2]
  f((1, 2)
  (1]
  f(1]
  [f(1]
  a[(1]
  a[f(1] + 2
  (a[1)
  [1)
  T{a: (1}
  T{a: f(1, b: 2}
  ((1 + 2) * 3
  size((self.a) > 0
  self.x.all(y, y > (0
  self.x.all(y, f(y)) && (self.z
  (((1)
  has(self.x) ? (self.x > 0 : true
  (1 2)
  ((1 2)
  f(1 2)
  [1 2]
  {1: 2 3: 4}
  (f(1) 2)
  a.f((1 2)
`);

/** Every question of the corpus about a single expression. */
export const questions: readonly Question[] = [
  ...plain.map((expression) => ({ expression })),
  ...hostile.map((expression) => ({ expression })),
  ...typed.map((expression) => ({ expression, schema, self, oldSelf })),
  ...brackets.map((expression) => ({ expression })),
];
