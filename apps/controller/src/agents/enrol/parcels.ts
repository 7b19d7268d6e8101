import { spawn } from 'node:child_process';
import type { KeyObject } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import type { Http2Session } from 'node:http2';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  type ParcelArchitecture,
  parcelArchitectures,
  productVersion,
  type ReleaseStatement,
  readStatement,
} from '@vantage/domain';
import {
  type Clock,
  createSemaphore,
  declareShare,
  isMissing,
  readIfPresent,
  readIfPresentSync,
} from '@vantage/kernel';
import { problemCode } from '../../rest/http/problem.ts';
import type { Enrolment } from './enrolment.ts';
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
/** Where the script has the certificates of the authorities. */
const placeholder = '@VANTAGE_CA@';

const parcelOf = /^\/parcel\/linux-(amd64|arm64)\.tar\.gz(\.sig)?$/;

/**
 * Creates the downloads. Each needs the token of an invitation; a parcel may also go to an agent, which shows its
 * certificate (HTTP/2).
 */
export function createDownloads(deps: {
  readonly clock: Clock;
  readonly mayDownload: Enrolment['mayDownload'];
  readonly mayUpgrade: Enrolment['mayUpgrade'];
  /** The script install.sh. */
  readonly scriptFile: string;
  /** Folder of the parcels. */
  readonly parcels: string;
  /** PEM of all trusted authorities. */
  readonly ca: () => string;
  /** Keeps the connection of a known agent open. */
  readonly serves: (socket: AgentRequest['socket']) => Disposable;
  /** Who is at the other end of a connection; undefined: it showed no certificate. */
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
    ? 'Sign the parcel with "./vantage parcel sign", and put the file beside it.'
    : 'Run "npm run parcel" there.';
}

/** The SHA-256 of a parcel, in hex. */
export interface ParcelHash {
  readonly arch: ParcelArchitecture;
  readonly sha256: string;
}

/** The file of a parcel in the folder. */
export function parcelFile(folder: string, arch: ParcelArchitecture): string {
  return path.join(folder, `vantage-agent-linux-${arch}.tar.gz`);
}

/** The parcels that the folder has. `npm run parcel` writes each with a file of its SHA-256 beside it. */
export async function readParcelHashes(folder: string): Promise<readonly ParcelHash[]> {
  const found = await Promise.all(
    parcelArchitectures.map(async (arch) => {
      const text = await readIfPresent(`${parcelFile(folder, arch)}.sha256`);
      const sha256 = /^[0-9a-f]{64}\b/.exec(text ?? '')?.[0];
      return sha256 === undefined ? [] : [{ arch, sha256 }];
    }),
  );
  return found.flat();
}

/**
 * The parcels of the folder that the release key signed, as they are now: a signature of an earlier parcel does not
 * count.
 */
export async function readSignedParcels(
  folder: string,
  releaseKey: KeyObject,
): Promise<readonly ReleaseStatement[]> {
  const found = await Promise.all(
    (await readParcelHashes(folder)).map(async ({ arch, sha256 }) => {
      const text = await readIfPresent(`${parcelFile(folder, arch)}.sig`);
      const read = readStatement(text ?? '', releaseKey);
      return read.ok && read.statement.sha256 === sha256 && read.statement.arch === arch
        ? [read.statement]
        : [];
    }),
  );
  return found.flat();
}

/** The package of the agent for hosts like this one, which a controller in a clone makes once for each version. */
interface OwnParcel {
  /**
   * Begins to make the package where there is none of this version, it can be made here, and nobody makes it already.
   * Answers at once.
   */
  begin(): OwnParcelState;
  /** Resolves when nobody makes it any more. */
  done(): Promise<OwnParcelState>;
}

/** Whether there is the package, or why not. */
type OwnParcelState =
  | { readonly kind: 'there' }
  /** A package of the controller brings those of the agent and no builder; nothing is made here. */
  | { readonly kind: 'brought' }
  | { readonly kind: 'making'; readonly seconds: number }
  | { readonly kind: 'failed'; readonly why: string };

/** Its builder puts what it makes into `dist`. A package of the controller comes without the builder. */
const installer = path.resolve(import.meta.dirname, '../../../../../agent-installer');
const sayEveryMs = 10_000;
/** A package that could not be made is tried again after this long. */
const againAfterMs = 60_000;

/** Creates the maker of the package in `folder`. `build` makes it, and resolves with the fault in words. */
export function createOwnParcel({
  folder,
  isWanted = true,
  clock,
  build = buildWithInstaller,
  arch = isWanted ? ownArchitecture() : undefined,
}: {
  readonly folder: string;
  /** False: packages come from elsewhere, as where the operator named the folder. */
  readonly isWanted?: boolean;
  readonly clock: Pick<Clock, 'monoMs'>;
  readonly build?: (arch: ParcelArchitecture) => Promise<string | undefined>;
  /** Undefined: it cannot be made here. */
  readonly arch?: ParcelArchitecture | undefined;
}): OwnParcel {
  let making: { readonly fromMs: number; readonly end: Promise<void> } | undefined;
  let failure: { readonly why: string; readonly atMs: number } | undefined;
  const state = (): OwnParcelState => {
    if (making !== undefined)
      return { kind: 'making', seconds: Math.round((clock.monoMs() - making.fromMs) / 1000) };
    if (arch === undefined) return { kind: 'brought' };
    if (isOfVersion(parcelFile(folder, arch), productVersion)) return { kind: 'there' };
    return { kind: 'failed', why: failure?.why ?? '' };
  };
  return {
    begin() {
      const isToBeTried = failure === undefined || clock.monoMs() - failure.atMs > againAfterMs;
      if (arch !== undefined && state().kind === 'failed' && isToBeTried) {
        const fromMs = clock.monoMs();
        const ended = (why: string | undefined) => {
          making = undefined;
          failure = why === undefined ? undefined : { why, atMs: clock.monoMs() };
        };
        const end = build(arch).then(ended, (error: unknown) => ended(String(error)));
        making = { fromMs, end };
      }
      return state();
    },
    async done() {
      await making?.end;
      return state();
    },
  };
}

/** Waits for the package where it is missing, and says how far it is, or why it cannot be made. */
export async function makeOwnParcel(parcel: OwnParcel, say: (text: string) => void): Promise<void> {
  if (parcel.begin().kind !== 'making') return;
  say(`making the agent's package of version ${productVersion}, once; this takes about half a minute`);
  const ticker = setInterval(() => {
    const now = parcel.begin();
    if (now.kind === 'making') say(`still making the agent's package, ${now.seconds} s`);
  }, sayEveryMs);
  try {
    const outcome = await parcel.done();
    say(
      outcome.kind === 'failed'
        ? notMade(outcome.why)
        : `the agent's package is made; "npm run parcel" makes that of the other architecture, too`,
    );
  } finally {
    clearInterval(ticker);
  }
}

/** Has the package made first where the operator's command wants it; the progress goes to standard error. */
export async function makeMissingParcel(
  { parcels: folder, makes_parcel: isWanted }: { readonly parcels: string; readonly makes_parcel: boolean },
  clock: Pick<Clock, 'monoMs'>,
): Promise<void> {
  const parcel = createOwnParcel({ folder, isWanted, clock });
  await makeOwnParcel(parcel, (text) => void process.stderr.write(`vantage: ${text}\n`));
}

/** A sentence about a package that could not be made. */
export function notMade(why: string): string {
  return `the agent's package could not be made: ${why} ("npm run parcel" tries again)`;
}

/** Whether a package is there, with its digest, and of this version. */
export function isOfVersion(file: string, version: string): boolean {
  const [digest, made] = ['sha256', 'version'].map((kind) => readIfPresentSync(`${file}.${kind}`));
  return digest !== undefined && made?.trim() === version;
}

/** The architecture of this machine, where its package can be made. */
function ownArchitecture(): ParcelArchitecture | undefined {
  const name = process.arch === 'x64' ? 'amd64' : process.arch;
  const canBuild = ['src/parcel.ts', '../node_modules/rolldown'].every((file) =>
    existsSync(path.join(installer, file)),
  );
  if (process.platform !== 'linux' || !canBuild) return undefined;
  return parcelArchitectures.find((each) => each === name);
}

function buildWithInstaller(arch: ParcelArchitecture): Promise<string | undefined> {
  const program = path.join(installer, 'src/parcel.ts');
  const child = spawn(process.execPath, [program, arch, '--archive'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString('utf8')).slice(-2_000);
  });
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code) => resolve(code === 0 ? undefined : said.trim() || `it ended with ${code}`));
  });
}
