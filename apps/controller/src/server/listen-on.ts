import { Fault, messageOf } from '@vantage/kernel';
import { tryPort } from './tcp-port.ts';

/** Listens on a port. When the port is in use, the Fault names the setting to change. */
export async function listenOn<T>(setting: string, port: number, listen: () => Promise<T>): Promise<T> {
  try {
    return await listen();
  } catch (cause) {
    throw new Fault('stop', 'port', describeProblem(setting, port, cause), { cause });
  }
}

/** The reason why the controller cannot listen on a port of an address; undefined: it can. `host` undefined: all. */
export async function portProblem(
  setting: string,
  port: number,
  host: string | undefined,
): Promise<string | undefined> {
  if (port === 0) return undefined;
  try {
    await tryPort(port, host);
    return undefined;
  } catch (error) {
    return describeProblem(setting, port, error);
  }
}

function describeProblem(setting: string, port: number, error: unknown): string {
  switch (error instanceof Error && 'code' in error ? error.code : undefined) {
    case 'EADDRINUSE':
      return `port ${port} is in use by another program; end it, or choose another port with ${setting}`;
    case 'EACCES':
      return `port ${port} needs more rights (ports below 1024); choose another with ${setting}`;
    case 'EADDRNOTAVAIL':
      return `port ${port} cannot be listened on: this machine does not have the address of VANTAGE_LISTEN`;
    default:
      return `port ${port} cannot be listened on (${messageOf(error)}); choose another with ${setting}`;
  }
}
