import type ssh2 from 'ssh2';

/** ssh2, as it is loaded. */
export type Ssh2 = typeof ssh2;

/**
 * Loads ssh2 for the first check that needs it. It is the largest package of the agent and makes a WebAssembly memory
 * of 16 MiB, and most agents have no device with the Method SSH.
 */
export async function loadSsh2(): Promise<Ssh2> {
  return (await import('ssh2')).default;
}
