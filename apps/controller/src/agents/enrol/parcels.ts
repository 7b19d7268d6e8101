import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import type { Http2Session } from 'node:http2';
import { pipeline } from 'node:stream/promises';
import { parcelArchitectures } from '@vantage/domain';
import { type Clock, createSemaphore, declareShare, isMissing } from '@vantage/kernel';
import { problemCode } from '@vantage/rest-kit/problem';
import type { AgentEnrolments } from './enrol-agent.ts';
import { parcelFile } from './parcel-folder.ts';
import {
  type AgentRequest,
  type AgentResponse,
  busy,
  malformed,
  refusedFor,
  sendRefusal,
  setHead,
} from './reply.ts';

declareShare({
  name: 'downloads_of_parcels',
  limit: '4, for 10 minutes at most',
  filledBy: 'hosts with the token of an invitation, agents that upgrade themselves',
  share: '4: an operator or a UW key invites; an agent tries again for half an hour',
});

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

/** The script contains the certificates of the authorities instead of this text. */
const placeholder = '@VANTAGE_CA@';

const parcelOf = /^\/parcel\/linux-(amd64|arm64)\.tar\.gz(\.sig)?$/;

/**
 * Creates the downloads. Each needs the token of an invitation; a parcel may also go to an agent, which shows its
 * certificate (HTTP/2).
 */
export function createDownloads(deps: {
  readonly clock: Clock;
  readonly mayDownload: AgentEnrolments['mayDownload'];
  readonly mayUpgrade: AgentEnrolments['mayUpgrade'];
  /** The script install.sh. */
  readonly scriptFile: string;
  /** Folder of the parcels. */
  readonly parcels: string;
  /** PEM of all trusted authorities. */
  readonly ca: () => string;
  /** Keeps the connection of a known agent open. */
  readonly serves: (socket: AgentRequest['socket']) => Disposable;
  /** The peer of a connection; undefined: it showed no certificate. */
  readonly peerOf: (
    connection: Http2Session | undefined,
  ) => { readonly keyHash: Uint8Array; readonly fault: string | undefined } | undefined;
}): Downloads {
  const { clock } = deps;
  const semaphore = createSemaphore(places);

  const send = async (request: AgentRequest, response: AgentResponse, url: string) => {
    using _open = deps.serves(request.socket);
    const [, asked, signature = ''] = parcelOf.exec(url) ?? [];
    const arch = parcelArchitectures.find((one) => one === asked);
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
    const file = `${parcelFile(deps.parcels, arch)}${signature}`;
    const { size } = await stat(file);
    const type = signature === '' ? 'application/gzip' : 'application/json';
    setHead(response, 200, { 'content-type': type, 'content-length': size });
    const cut = new AbortController();
    using _deadline = clock.timer(downloadWithinMs, () => cut.abort());
    await pipeline(createReadStream(file), response, { signal: cut.signal });
  };

  /** Whether this request gets a file; undefined: it shows nothing that could allow it. */
  const judge = async (request: AgentRequest, url: string) => {
    const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (token !== undefined) return deps.mayDownload(token);
    const peer = 'stream' in request ? deps.peerOf(request.stream.session) : undefined;
    if (peer === undefined || peer.fault !== undefined || !parcelOf.test(url)) return undefined;
    return deps.mayUpgrade(peer.keyHash);
  };

  return {
    has: (url) => url === '/install.sh' || parcelOf.test(url),
    async serve(request, response, url) {
      const may = await judge(request, url);
      if (may === undefined)
        return sendRefusal(request, response, {
          status: 401,
          code: problemCode.key,
          message: 'The header "Authorization: Bearer TOKEN" must have the token of an invitation.',
        });
      if (may === 'busy') return sendRefusal(request, response, busy);
      if (may !== 'yes') return sendRefusal(request, response, refusedFor(may));
      const done = await semaphore.run(() =>
        send(request, response, url).catch((error: unknown) => {
          if (isMissing(error))
            return sendRefusal(
              request,
              response,
              malformed(`The controller does not have this file. ${remedyFor(url)}`, 404),
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

function remedyFor(url: string): string {
  return url.endsWith('.sig')
    ? 'Sign the parcel with "./vantage parcel sign", and put the file next to it.'
    : 'Run "npm run parcel" there.';
}
