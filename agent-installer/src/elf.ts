/**
 * The part of a 64-bit little-endian ELF program that it needs to run, without its symbols and debugging information:
 * everything up to the end of its last segment (ELF-64 Object File Format, §§3 and 7). Sections lie behind the segments
 * and only linkers and debuggers read them. No tool of the machine is needed, so that any machine makes the same bytes
 * for any architecture. Throws where `file` is no such program.
 */
export function withoutSections(file: Buffer): Buffer {
  if (file.readUInt32BE(0) !== 0x7f454c46 || file[4] !== 2 || file[5] !== 1)
    throw new Error('this is no 64-bit little-endian ELF program');
  const start = Number(file.readBigUInt64LE(0x20));
  const size = file.readUInt16LE(0x36);
  const count = file.readUInt16LE(0x38);
  const ends = Array.from({ length: count }, (_, i) => {
    const at = start + i * size;
    return Number(file.readBigUInt64LE(at + 0x08) + file.readBigUInt64LE(at + 0x20));
  });
  const kept = Buffer.from(file.subarray(0, Math.max(...ends, start + count * size)));
  kept.writeBigUInt64LE(0n, 0x28); // where the section headers were
  kept.writeUInt16LE(0, 0x3c); // their number
  kept.writeUInt16LE(0, 0x3e); // the one with the sections' names
  return kept;
}

/** An architecture of hosts, as Node names it. */
export type Architecture = 'x64' | 'arm64';

/** The architecture that an ELF program is for, as Node names it; undefined: another one. */
export function architectureOf(file: Buffer): Architecture | undefined {
  const machine = file.readUInt16LE(0x12);
  return machine === 0x3e ? 'x64' : machine === 0xb7 ? 'arm64' : undefined;
}
