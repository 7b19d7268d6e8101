/**
 * Removes symbols and debugging information from a 64-bit little-endian ELF program: everything after its last segment
 * (ELF-64 Object File Format, §§3 and 7). Sections follow the segments, and only linkers and debuggers read them. It
 * uses no tool of the machine, so every machine creates the same bytes for every architecture. Throws for other files.
 */
export function withoutSections(file: Buffer): Buffer {
  if (file.readUInt32BE(0) !== 0x7f454c46 || file[4] !== 2 || file[5] !== 1)
    throw new Error('this is not a 64-bit little-endian ELF program');
  const start = Number(file.readBigUInt64LE(0x20));
  const size = file.readUInt16LE(0x36);
  const count = file.readUInt16LE(0x38);
  const ends = Array.from({ length: count }, (_, i) => {
    const offset = start + i * size;
    return Number(file.readBigUInt64LE(offset + 0x08) + file.readBigUInt64LE(offset + 0x20));
  });
  const program = Buffer.from(file.subarray(0, Math.max(...ends, start + count * size)));
  program.writeBigUInt64LE(0n, 0x28); // the offset of the section headers
  program.writeUInt16LE(0, 0x3c); // their number
  program.writeUInt16LE(0, 0x3e); // the index of the section with the names
  return program;
}

/** An architecture by Node's name. */
export type Architecture = 'x64' | 'arm64';

/** The architecture of an ELF program; undefined for other architectures. */
export function architectureOf(file: Buffer): Architecture | undefined {
  const machine = file.readUInt16LE(0x12);
  return machine === 0x3e ? 'x64' : machine === 0xb7 ? 'arm64' : undefined;
}
