import type { Architecture } from './elf.ts';

/** The names of Debian and invitations for an architecture, with the names of Node. */
export const architectures = { amd64: 'x64', arm64: 'arm64' } as const satisfies Record<string, Architecture>;

export type HostArchitecture = keyof typeof architectures;

export function isHostArchitecture(name: string): name is HostArchitecture {
  return Object.hasOwn(architectures, name);
}
