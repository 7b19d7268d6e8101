import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { type Clock, createSemaphore, isMissing } from '@vantage/kernel';
import { problemCode } from '../http/problem.ts';
import type { Enrolment } from './enrolment.ts';
import { architectures, parcelFile } from './parcel-hashes.ts';
import {
  type AgentRequest,
  type AgentResponse,
  busy,
  malformed,
  refusedFor,
  sendRefusal,
  setHead,
} from './reply.ts';

/** The files that the installer of an agent needs. */
export interface Downloads {
  has(path: string): boolean;
  /** Answers a GET of a path that it has. Rejects when a file cannot be read. */
  serve(request: AgentRequest, response: AgentResponse, path: string): Promise<void>;
}

/** Downloads at one time, so that installations take neither bandwidth nor connections from agents. */
const places = { running: 4, waiting: 0 };
/** A download that takes longer is cut, milliseconds. */
const downloadWithinMs = 10 * 60_000;
/** Where the script has the certificates of the authorities. */
const placeholder = '@VANTAGE_CA@';

const parcelOf = /^\/parcel\/linux-(amd64|arm64)\.tar\.gz$/;

/** Makes the downloads. Each needs the token of an invitation. */
export function createDownloads(deps: {
  readonly clock: Clock;
  readonly mayDownload: Enrolment['mayDownload'];
  /** The script install.sh. */
  readonly scriptFile: string;
  /** Folder of the parcels. */
  readonly parcels: string;
  /** PEM of all trusted authorities. */
  readonly ca: () => string;
  /** Keeps the connection of a known agent open. */
  readonly serves: (socket: AgentRequest['socket']) => Disposable;
}): Downloads {
  const { clock } = deps;
  const semaphore = createSemaphore(places);

  const send = async (request: AgentRequest, response: AgentResponse, url: string) => {
    using _open = deps.serves(request.socket);
    const arch = architectures.find((one) => one === parcelOf.exec(url)?.[1]);
    if (arch === undefined) {
      const script = (await readFile(deps.scriptFile, 'utf8')).replace(placeholder, () => deps.ca());
      setHead(response, 200, {
        'content-type': 'text/x-shellscript',
        'content-length': Buffer.byteLength(script),
        'cache-control': 'no-store',
      });
      await pipeline([script], response);
      return;
    }
    const file = parcelFile(deps.parcels, arch);
    const { size } = await stat(file);
    setHead(response, 200, { 'content-type': 'application/gzip', 'content-length': size });
    const cut = new AbortController();
    using _deadline = clock.timer(downloadWithinMs, () => cut.abort());
    await pipeline(createReadStream(file), response, { signal: cut.signal });
  };

  return {
    has: (url) => url === '/install.sh' || parcelOf.test(url),
    async serve(request, response, url) {
      const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
      if (token === undefined)
        return sendRefusal(request, response, {
          ...{ status: 401, code: problemCode.key },
          message: 'The header "Authorization: Bearer TOKEN" must have the token of an invitation.',
        });
      const may = await deps.mayDownload(token);
      if (may === 'busy') return sendRefusal(request, response, busy);
      if (may !== 'yes') return sendRefusal(request, response, refusedFor(may));
      const done = await semaphore.run(() =>
        send(request, response, url).catch((error: unknown) => {
          if (isMissing(error))
            return sendRefusal(
              request,
              response,
              malformed('The controller does not have this file. Run "npm run parcel" there.', 404),
            );
          if (!response.headersSent) throw error;
          response.destroy(); // the client went away, or took too long
        }),
      );
      if (done === undefined)
        sendRefusal(request, response, { ...busy, message: 'Four downloads run already. Try again.' });
    },
  };
}
