const authenticated = 1;
const encrypted = 2;

/** The protection of an SNMP v3 message (RFC 3412 section 6.4). */
export interface MessageFlags {
  readonly isAuthenticated: boolean;
  readonly isEncrypted: boolean;
}

/** Reads the flags of an SNMP v3 message; undefined for other versions and for bytes that are no such message. */
export function messageFlags(bytes: Buffer): MessageFlags | undefined {
  const message = contentAt(bytes, 0, 0x30);
  const version = contentAt(bytes, message?.start, 0x02);
  if (version === undefined || bytes[version.start] !== 3) return undefined;
  const header = contentAt(bytes, version.end, 0x30);
  const id = contentAt(bytes, header?.start, 0x02);
  const maxSize = contentAt(bytes, id?.end, 0x02);
  const flags = contentAt(bytes, maxSize?.end, 0x04);
  if (flags === undefined || flags.end === flags.start) return undefined;
  const value = bytes.readUInt8(flags.start);
  return { isAuthenticated: (value & authenticated) !== 0, isEncrypted: (value & encrypted) !== 0 };
}

/** The content of the BER value at an offset; undefined if it has another tag or does not fit. */
function contentAt(
  bytes: Buffer,
  at: number | undefined,
  tag: number,
): { readonly start: number; readonly end: number } | undefined {
  if (at === undefined || bytes[at] !== tag) return undefined;
  const first = bytes[at + 1];
  if (first === undefined) return undefined;
  const extra = first < 0x80 ? 0 : first - 0x80;
  const start = at + 2 + extra;
  if (first === 0x80 || extra > 4 || start > bytes.length) return undefined;
  const length = extra === 0 ? first : bytes.readUIntBE(at + 2, extra);
  return start + length > bytes.length ? undefined : { start, end: start + length };
}
