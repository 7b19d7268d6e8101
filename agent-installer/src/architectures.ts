import type { Architecture } from './elf.ts';

/** The architectures of hosts, by the names that Debian and the invitation use, with Node's name. */
export const architectures = { amd64: 'x64', arm64: 'arm64' } as const satisfies Record<string, Architecture>;

/** A name of these. */
export type HostArchitecture = keyof typeof architectures;

/** Whether there is a parcel for an architecture of this name. */
export function isHostArchitecture(name: string): name is HostArchitecture {
  return Object.hasOwn(architectures, name);
}
