/** `ip()` and `cidr()`. Source: apiserver v0.36 pkg/cel/library/ip.go, cidr.go, pkg/cel/ip.go, cidr.go. */
import { goQuoted } from "../../../api/go-text.ts";
import { CelType } from "../values/types.ts";
import { CelError, Opaque, overloadError, type Value } from "../values/value.ts";
import {
  type Address,
  addressText,
  isGlobalUnicast,
  isLinkLocalMulticast,
  isLinkLocalUnicast,
  isLoopback,
  isMapped,
  isWithin,
  masked,
  type Prefix,
  prefixText,
  readAddress,
  readPrefix,
} from "../../meta/go-addresses.ts";
import { bind, declare, type FunctionDecl, guards, type Run } from "./function.ts";

/** The type of IP addresses. */
export const ipType: CelType = new CelType({ kind: "opaque", name: "net.IP" });
/** The type of networks. */
export const cidrType: CelType = new CelType({ kind: "opaque", name: "net.CIDR" });

/** An IP address. */
class Ip extends Opaque {
  readonly type = ipType;
  readonly address: Address;

  constructor(address: Address) {
    super();
    this.address = address;
  }

  equal(other: Value): boolean | CelError {
    if (!(other instanceof Ip)) return overloadError(other);
    return this.address.bits === other.address.bits && this.address.value === other.address.value;
  }

  text(): string {
    return addressText(this.address);
  }

  override size(): number {
    return this.address.bits / 8;
  }
}

/** A network. */
class Cidr extends Opaque {
  readonly type = cidrType;
  readonly prefix: Prefix;

  constructor(prefix: Prefix) {
    super();
    this.prefix = prefix;
  }

  equal(other: Value): boolean | CelError {
    if (!(other instanceof Cidr)) return overloadError(other);
    return prefixText(this.prefix) === prefixText(other.prefix);
  }

  text(): string {
    return prefixText(this.prefix);
  }

  override size(): number {
    return Math.ceil(this.prefix.length / 8);
  }
}

function ipOf(text: string): Address | CelError {
  const read = readAddress(text);
  const quoted = goQuoted(text);
  if ("problem" in read)
    return new CelError(`IP Address ${quoted} parse error during conversion from string: ${read.problem}`);
  if (read.value.zone !== "") return new CelError(`IP address ${quoted} with zone value is not allowed`);
  return isMapped(read.value) ? new CelError(`IPv4-mapped IPv6 address ${quoted} is not allowed`) : read.value;
}

function cidrOf(text: string): Prefix | CelError {
  const read = readPrefix(text);
  const failed = "network address parse error during conversion from string";
  if ("problem" in read) return new CelError(`${failed}: ${failed}: ${read.problem}`);
  return isMapped(read.value.address)
    ? new CelError(`${failed}: IPv4-mapped IPv6 address ${goQuoted(text)} is not allowed`)
    : read.value;
}

const { string } = guards;
const isIp = (value: Value | undefined): value is Ip => value instanceof Ip;
const isCidr = (value: Value | undefined): value is Cidr => value instanceof Cidr;

const onText = (run: (text: string) => Value): Run => bind<[string]>([string], run);
const onIp = (run: (address: Address) => Value): Run => bind<[Ip]>([isIp], ({ address }) => run(address));
const onCidr = (run: (prefix: Prefix) => Value): Run => bind<[Cidr]>([isCidr], ({ prefix }) => run(prefix));

const containsCidr = (outer: Prefix, inner: Prefix): boolean =>
  outer.length <= inner.length && isWithin(inner.address, outer);

const named = { IP: ipType, CIDR: cidrType };

/** `ip`, `cidr`, `isIP` and the others. */
export const networkFunctions: readonly FunctionDecl[] = declare(
  {
    ip: {
      string_to_ip: [
        "(string) IP",
        onText((text) => {
          const address = ipOf(text);
          return address instanceof CelError ? address : new Ip(address);
        }),
      ],
      cidr_ip: ["CIDR.() IP", onCidr(({ address }) => new Ip(address))],
    },
    family: { ip_family: ["IP.() int", onIp(({ bits }) => (bits === 32 ? 4n : 6n))] },
    "ip.isCanonical": {
      ip_is_canonical: [
        "(string) bool",
        onText((text) => {
          const address = ipOf(text);
          return address instanceof CelError ? address : addressText(address) === text;
        }),
      ],
    },
    isUnspecified: { ip_is_unspecified: ["IP.() bool", onIp(({ value }) => value === 0n)] },
    isLoopback: { ip_is_loopback: ["IP.() bool", onIp(isLoopback)] },
    isLinkLocalMulticast: { ip_is_link_local_multicast: ["IP.() bool", onIp(isLinkLocalMulticast)] },
    isLinkLocalUnicast: { ip_is_link_local_unicast: ["IP.() bool", onIp(isLinkLocalUnicast)] },
    isGlobalUnicast: { ip_is_global_unicast: ["IP.() bool", onIp(isGlobalUnicast)] },
    isIP: { is_ip: ["(string) bool", onText((text) => !(ipOf(text) instanceof CelError))] },
    string: {
      ip_to_string: ["(IP) string", onIp(addressText)],
      cidr_to_string: ["(CIDR) string", onCidr(prefixText)],
    },
    cidr: {
      string_to_cidr: [
        "(string) CIDR",
        onText((text) => {
          const prefix = cidrOf(text);
          return prefix instanceof CelError ? prefix : new Cidr(prefix);
        }),
      ],
    },
    containsIP: {
      cidr_contains_ip_string: [
        "CIDR.(string) bool",
        bind<[Cidr, string]>([isCidr, string], ({ prefix }, text) => {
          const address = ipOf(text);
          // cidrContainsIP returns an error about the CIDR if the string is not an address.
          return address instanceof CelError ? overloadError(null) : isWithin(address, prefix);
        }),
      ],
      cidr_contains_ip_ip: [
        "CIDR.(IP) bool",
        bind<[Cidr, Ip]>([isCidr, isIp], ({ prefix }, { address }) => isWithin(address, prefix)),
      ],
    },
    containsCIDR: {
      cidr_contains_cidr_string: [
        "CIDR.(string) bool",
        bind<[Cidr, string]>([isCidr, string], ({ prefix }, text) => {
          const inner = cidrOf(text);
          return inner instanceof CelError ? inner : containsCidr(prefix, inner);
        }),
      ],
      cidr_contains_cidr: [
        "CIDR.(CIDR) bool",
        bind<[Cidr, Cidr]>([isCidr, isCidr], (outer, inner) => containsCidr(outer.prefix, inner.prefix)),
      ],
    },
    prefixLength: { cidr_prefix_length: ["CIDR.() int", onCidr(({ length }) => BigInt(length))] },
    masked: { cidr_masked: ["CIDR.() CIDR", onCidr((prefix) => new Cidr(masked(prefix)))] },
    isCIDR: { is_cidr: ["(string) bool", onText((text) => !(cidrOf(text) instanceof CelError))] },
  },
  named,
);
