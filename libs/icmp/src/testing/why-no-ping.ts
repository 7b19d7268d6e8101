import { type Family, openIcmp } from '../index.ts';

/** The reason why this process cannot open a socket for pings; undefined: it can. */
export function whyNoPing(family: Family = 4): string | undefined {
  const socket = openIcmp({ family });
  if ('error' in socket) return socket.error;
  socket.close();
  return undefined;
}
