// Agents as the installer lays them out, each in a folder of its own, started by the launcher; and parcels of other
// versions.
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { productVersion } from '@vantage/domain';
import { type ArchiveFile, packArchive } from '../../agent-installer/src/pack-archive.ts';
import { parcelTree } from '../../agent-installer/src/parcel-tree.ts';
import { createReleaseKey, readPrivateKey } from '../../agent-installer/src/release-key.ts';
import { signParcel } from '../../agent-installer/src/sign-parcel.ts';

const arch = process.arch === 'arm64' ? 'arm64' : 'amd64';

/** The behaviour of the agent of a version. */
type Manner = 'works' | 'ends at once' | 'hangs';

/** Parcels and a release key in a folder. Disposing removes it, with all agents in it. */
export interface Works extends Disposable {
  readonly folder: string;
  /** The folder of the parcels, for the controller. */
  readonly parcels: string;
  /** The line of the public release key. */
  readonly releaseKey: string;
  /** Puts the signed parcel of a version there. */
  offer(version: string, manner: Manner): Promise<void>;
  /** Lays out an agent of the version of this checkout. */
  install(
    name: string,
    to: { readonly endpoint: string; readonly token: string; readonly caFile: string },
  ): InstalledAgent;
}

/** An agent on its disk. */
interface InstalledAgent {
  readonly folder: string;
  /** Starts its launcher. */
  start(): RunningAgent;
}

/** An agent that its launcher keeps running. Disposing ends both. */
export interface RunningAgent extends AsyncDisposable {
  readonly launcher: ChildProcess;
  /** The log so far. */
  output(): string;
}

/** Bundles the agent once, and makes a release key. */
export async function openWorks(): Promise<Works> {
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-installed-'));
  const parcels = path.join(folder, 'parcels');
  mkdirSync(parcels);
  const tree = await parcelTree(process.arch === 'arm64' ? 'arm64' : 'x64');
  const keyFile = path.join(folder, 'release.key');
  const { line, public_key: publicKey } = createReleaseKey(keyFile);
  const master = path.join(folder, 'master');
  for (const { name, mode, data } of tree) {
    mkdirSync(path.dirname(path.join(master, name)), { recursive: true });
    writeFileSync(path.join(master, name), data, { mode });
  }
  return {
    folder,
    parcels,
    releaseKey: line,
    async offer(version, manner) {
      const name = `vantage-agent-linux-${arch}.tar.gz`;
      const file = path.join(parcels, name);
      const parcel = await packArchive(treeOf(tree, version, manner), 1);
      rmSync(`${file}.sig`, { force: true });
      writeFileSync(file, parcel);
      writeFileSync(`${file}.sha256`, `${createHash('sha256').update(parcel).digest('hex')}  ${name}\n`);
      await signParcel(file, readPrivateKey(keyFile));
    },
    install(name, { endpoint, token, caFile }) {
      const agentFolder = path.join(folder, name);
      const home = path.join(agentFolder, 'opt');
      for (const entry of tree) {
        mkdirSync(path.dirname(path.join(home, entry.name)), { recursive: true });
        linkSync(path.join(master, entry.name), path.join(home, entry.name));
      }
      const settings = path.join(agentFolder, 'agent.env');
      const lines = {
        VANTAGE_AGENT_ENDPOINTS: endpoint,
        VANTAGE_AGENT_TOKEN: token,
        VANTAGE_CA_FILE: caFile,
        VANTAGE_AGENT_DATA: path.join(agentFolder, 'data'),
        VANTAGE_AGENT_RELEASE_KEY_FILE: publicKey,
      };
      writeFileSync(
        settings,
        Object.entries(lines)
          .map((pair) => `${pair.join('=')}\n`)
          .join(''),
      );
      return { folder: agentFolder, start: () => launch(path.join(home, 'bin/vantage-agent'), settings) };
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The parcel of a version: the bundle of this checkout that says another version, or a program that does not work. */
function treeOf(tree: readonly ArchiveFile[], version: string, manner: Manner): ArchiveFile[] {
  return tree.map((entry) => {
    if (entry.name === 'VERSION') return { ...entry, data: Buffer.from(`${version}\n`) };
    if (entry.name !== 'lib/agent.mjs') return entry;
    if (manner === 'ends at once') return { ...entry, data: Buffer.from('process.exit(7);\n') };
    if (manner === 'hangs') return { ...entry, data: Buffer.from('setInterval(() => {}, 1000);\n') };
    const text = entry.data.toString('utf8');
    const changed = text.replace(`productVersion = "${productVersion}"`, `productVersion = "${version}"`);
    if (changed === text) throw new Error('the bundle does not state its version as expected');
    return { ...entry, data: Buffer.from(changed) };
  });
}

function launch(command: string, settings: string): RunningAgent {
  const child = spawn(command, ['supervise'], {
    env: { PATH: process.env['PATH'], VANTAGE_SETTINGS_FILE: settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      text = (text + chunk.toString('utf8')).slice(-200_000);
    });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    launcher: child,
    output: () => text,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      const late = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), 15_000);
      await ended;
      clearTimeout(late);
    },
  };
}
