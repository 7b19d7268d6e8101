import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { type ParcelArchitecture, parcelArchitectures, productVersion } from '@vantage/domain';
import { type Clock, readIfPresentSync } from '@vantage/kernel';
import { parcelFile } from './parcel-folder.ts';

/** The package of the agent for hosts like this one, which a controller in a clone makes once for each version. */
interface OwnParcel {
  /**
   * Starts to build the package if this version has none, this host can build it, and no build is running. Returns at
   * once.
   */
  begin(): OwnParcelState;
  /** Resolves when no build is running. */
  done(): Promise<OwnParcelState>;
}

/** Whether there is the package, or why not. */
type OwnParcelState =
  | { readonly kind: 'there' }
  /** An installed package of the controller contains the agent's packages. Nothing is built here. */
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
        : `the agent's package is ready; "npm run parcel" also builds it for the other architecture`,
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
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => {
    output = (output + chunk.toString('utf8')).slice(-2_000);
  });
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code) => resolve(code === 0 ? undefined : output.trim() || `it ended with ${code}`));
  });
}
