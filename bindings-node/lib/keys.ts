/**
 * Keys: what may be one, and how it crosses to the core.
 *
 * A key is bytes. A string is its UTF-8, an integer its 8-byte big-endian two's complement, and bytes are
 * themselves. The `finagle` profile with `thrift_keys` takes the JVM's `hashCode()` of the key instead; there an
 * integer counts as a JVM `Long`, an {@link I32} as an `Integer`, and a boolean is a key too.
 *
 * @module
 */

import { describe, integer, invalid, isWellFormed, surrogate } from "./checks.js";

/**
 * What may be a key: text, bytes (a `Buffer` is a `Uint8Array`), a 64-bit integer as a bigint, a safe integer, an
 * {@link I32}, and with `thrift_keys` a boolean.
 */
export type Key = string | Uint8Array | bigint | number | boolean | I32;

/**
 * A 32-bit integer, where the width matters: for keys of Thrift fields of type `i32` in the `finagle` profile with
 * `thrift_keys`, since the JVM's `Integer` and `Long` of one negative number have different hash codes. Elsewhere it
 * is the integer.
 */
export class I32 {
  /** The integer. */
  readonly value: number;

  /** Wraps an integer from -2^31 to 2^31 - 1; anything else is an `InvalidArgumentError`. */
  constructor(value: number) {
    this.value = integer("value", value, -(2 ** 31), 2 ** 31 - 1);
  }
}

/** The kinds of `src/key.rs`. */
const BYTES = 0;
const I64 = 1;
const I32_KIND = 2;
const BOOL = 3;

const RIGHT = "a key is a string, a Uint8Array, a bigint or a safe integer";
const ROOM = 4096;

/** The memory that both sides know; its owner is this module, and nobody detaches it. */
export const shared = new ArrayBuffer(ROOM);
const bytes = new Uint8Array(shared);
const view = new DataView(shared);
const encoder = new TextEncoder();

/** Writes a key that is no text to the shared memory and gives `4 * length + kind`; -1 when there is no room. */
export function write(key: Exclude<Key, string>): number {
  if (typeof key === "object" && key instanceof Uint8Array) {
    if (key.length > ROOM) return -1;
    bytes.set(key);
    return key.length << 2;
  }
  return writeFixed(key, "key", view, 0);
}

/** Writes a key of fixed width and gives `4 * length + kind`. */
function writeFixed(key: unknown, place: string, to: DataView, at: number): number {
  switch (typeof key) {
    case "number":
      if (!Number.isSafeInteger(key)) {
        throw invalid(place, `${describe(key)}; a safe integer is right, or a bigint, or text`);
      }
      to.setInt32(at, Math.floor(key / 2 ** 32));
      to.setUint32(at + 4, key >>> 0);
      return 32 + I64;
    case "bigint":
      if (BigInt.asIntN(64, key) !== key) {
        throw invalid(place, "a bigint out of range; from -2^63 to 2^63 - 1 is right");
      }
      to.setBigInt64(at, key);
      return 32 + I64;
    case "boolean":
      to.setUint8(at, key ? 1 : 0);
      return 4 + BOOL;
    default:
      if (key instanceof I32) {
        to.setBigInt64(at, BigInt(key.value));
        return 32 + I32_KIND;
      }
      throw invalid(place, `${describe(key)}; ${RIGHT}`);
  }
}

/** A key as kind and bytes of its own, for calls that are not hot. */
export function encode(key: Key, place = "key"): { kind: number; bytes: Uint8Array } {
  if (typeof key === "string") {
    if (!isWellFormed(key)) throw invalid(place, surrogate(key));
    return { kind: BYTES, bytes: encoder.encode(key) };
  }
  if (key instanceof Uint8Array) return { kind: BYTES, bytes: key };
  const room = new Uint8Array(8);
  const code = writeFixed(key, place, new DataView(room.buffer), 0);
  return { kind: code & 3, bytes: room.subarray(0, code >> 2) };
}

/** A batch in Arrow's layout; `typed` when a key is an integer or a boolean, so that its JVM type may matter. */
export interface Packed {
  readonly data: Uint8Array;
  readonly offsets: Uint32Array;
  readonly typed: boolean;
  readonly hasBool: boolean;
}

/** Packs keys; the error about key `i` names `keys[i]`. */
export function pack(keys: readonly Key[]): Packed {
  return packAscii(keys) ?? packAny(keys);
}

/** All keys ASCII text: one join and one encoding for all, since then lengths in units are lengths in bytes. */
function packAscii(keys: readonly Key[]): Packed | undefined {
  const offsets = new Uint32Array(keys.length + 1);
  let length = 0;
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index];
    if (typeof key !== "string") return undefined;
    length += key.length;
    if (length > 2 ** 28) return undefined; // a string that long cannot be made
    offsets[index + 1] = length;
  }
  const data = Buffer.from(keys.join(""));
  // More bytes than units: something in it is not ASCII.
  return data.length === length ? { data, offsets, typed: false, hasBool: false } : undefined;
}

function packAny(keys: readonly Key[]): Packed {
  const offsets = new Uint32Array(keys.length + 1);
  let data = new Uint8Array(Math.max(64, keys.length * 32));
  let [at, typed, hasBool] = [0, false, false];
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as Key;
    const most = typeof key === "string" ? key.length * 3 : key instanceof Uint8Array ? key.length : 8;
    if (at + most > data.length) {
      const more = new Uint8Array(2 * (at + most));
      more.set(data.subarray(0, at));
      data = more;
    }
    if (typeof key === "string") {
      if (!isWellFormed(key)) throw invalid(`keys[${index}]`, surrogate(key));
      at += encoder.encodeInto(key, data.subarray(at)).written;
    } else if (key instanceof Uint8Array) {
      data.set(key, at);
      at += key.length;
    } else {
      at += writeFixed(key, `keys[${index}]`, new DataView(data.buffer, at), 0) >> 2;
      typed = true;
      hasBool ||= typeof key === "boolean";
    }
    if (at > 0xffff_ffff) throw invalid("keys", "more than 4 GiB of keys; use several batches");
    offsets[index + 1] = at;
  }
  return { data: data.subarray(0, at), offsets, typed, hasBool };
}
