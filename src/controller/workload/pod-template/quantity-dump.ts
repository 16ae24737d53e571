/**
 * Dumps the private fields of a Go Quantity. One amount may have several internal forms, depending on the text it was parsed from.
 * Source: apimachinery v0.36 api/resource/quantity.go ParseQuantity, amount.go.
 */
import { canonicalQuantity, decimalPowers } from "../../../api/quantity.ts";

interface Parts {
  /** As int64 · 10^scale, where that holds it. */
  readonly value: bigint;
  readonly scale: number;
  /** Otherwise as a decimal of any size. */
  readonly decimal?: { readonly unscaled: bigint; readonly scale: number };
  /** The text, kept where parsing sees at once that it is the canonical one. */
  readonly text: string;
  readonly format: "DecimalSI" | "BinarySI" | "DecimalExponent";
}

/** As many decimal digits as an int64 holds, whatever they are. */
const int64Digits = 18;
const nano = 9;
const binaryUnits = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/** A quantity as the API server writes it, `{i:… d:… s:… Format:…}`. `sent`: its text has been worked out since it was read. */
export function dumpQuantity(text: string | number | undefined, { sent }: { readonly sent: boolean }): string {
  const parts = text === undefined ? unset : partsOf(canonicalQuantity(String(text)) ?? "0");
  const kept = sent && text !== undefined ? (canonicalQuantity(String(text)) ?? "0") : sent ? "0" : parts.text;
  return (
    `{i:(resource.int64Amount){value:(int64)${parts.value} scale:(resource.Scale)${parts.scale}} ` +
    `d:(resource.infDecAmount){Dec:(*inf.Dec)${dumpDecimal(parts.decimal)}} ` +
    `s:(string)${kept} Format:(resource.Format)${text === undefined ? "" : parts.format}}`
  );
}

const unset: Parts = { value: 0n, scale: 0, text: "", format: "DecimalSI" };

function partsOf(text: string): Parts {
  if (text === "0") return { ...unset, text };
  // Canonical texts have no fraction and no leading zeros.
  const [, sign = "", digits = "0", suffix = ""] = /^(-?)(\d+)(.*)$/.exec(text) ?? [];
  const size = BigInt(digits);
  const signed = (amount: bigint): bigint => (sign === "-" ? -amount : amount);
  if (binaryUnits.includes(suffix)) {
    const exponent = 10 * (binaryUnits.indexOf(suffix) + 1);
    const amount = size << BigInt(exponent);
    const room = 15 - digits.length - Math.trunc((exponent * 3) / 10) - 1;
    if (room < 0) return large(signed(amount), 0, "BinarySI");
    return { value: signed(amount), scale: 0, text: size % 8n === 0n ? "" : text, format: "BinarySI" };
  }
  const isExponent = /^e[+-]?\d/i.test(suffix);
  const format = isExponent ? "DecimalExponent" : "DecimalSI";
  const scale = isExponent ? Number(suffix.slice(1)) : (decimalPowers[suffix] ?? 0);
  if (digits.length > int64Digits || scale < -nano) return large(signed(size), scale, format);
  const isKept = scale % 3 === 0 && !digits.endsWith("000");
  return { value: signed(size), scale, text: isKept ? text : "", format };
}

/** `amount · 10^power`, brought to billionths. */
function large(amount: bigint, power: number, format: Parts["format"]): Parts {
  const unscaled = amount * 10n ** BigInt(nano + power);
  return { value: 0n, scale: 0, decimal: { unscaled, scale: nano }, text: "", format };
}

function dumpDecimal(decimal: Parts["decimal"]): string {
  if (decimal === undefined) return "<nil>";
  const { unscaled, scale } = decimal;
  const words: bigint[] = [];
  for (let rest = unscaled < 0n ? -unscaled : unscaled; rest > 0n; rest >>= 64n) words.push(rest & (2n ** 64n - 1n));
  return `{unscaled:(big.Int){neg:(bool)${unscaled < 0n} abs:(big.nat)[${words.join(" ")}]} scale:(inf.Scale)${scale}}`;
}
