// An installation stands still until its certificate authority has ended. It was made by programs whose clock is eleven
// years behind, so nothing is changed by hand; the second start has the true time.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFailed, test } from 'vitest';
import { z } from 'zod';
import { repositoryRoot, type System, startSystem } from '../harness/system.ts';
import { fakeClock } from '../lab/fake-clock.ts';
import { missing, readLedger, sceneFolder, watchTarget } from './clock-scene.ts';

const elevenYearsMs = 11 * 365 * 24 * 3600 * 1000;
type Environment = Readonly<Record<string, string>>;
const invitation = z.object({ token: z.string() });
const agents = z.array(z.object({ State: z.string() }));
const authority = (folder: string) => new X509Certificate(readFileSync(path.join(folder, 'tls/ca.pem')));

/** An agent on a host of its own, which keeps its own copy of the authority. */
class FarAgent implements AsyncDisposable {
  private readonly ended: Promise<unknown>;
  private readonly child: ChildProcess;
  private text = '';

  constructor(env: Environment) {
    this.child = spawn(process.execPath, [path.join(repositoryRoot, 'apps/agent/src/main.ts')], {
      cwd: repositoryRoot,
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.child.stderr?.on('data', (chunk: Buffer) => {
      this.text = (this.text + chunk.toString('utf8')).slice(-100_000);
    });
    this.ended = new Promise((resolve) => this.child.once('exit', resolve));
  }

  output(): string {
    return this.text;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill('SIGTERM');
    await this.ended;
  }
}

/** Invites an agent to the Location `far`. */
function invite(system: System, clock: Environment): string {
  const cli = (...args: string[]): unknown =>
    JSON.parse(
      execFileSync(path.join(repositoryRoot, 'vantage'), [...args, '--json'], {
        encoding: 'utf8',
        cwd: repositoryRoot,
        env: {
          ...process.env,
          ...clock,
          VANTAGE_DATA: system.dataDir,
          VANTAGE_DATABASE_URL: system.quickstart().database_url,
        },
      }),
    );
  cli('locations', 'create', 'far');
  return invitation.parse(cli('agents', 'invite', '--location', 'far', '--no-check')).token;
}

async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const fromMs = performance.now();
  while (!(await holds())) {
    if (performance.now() - fromMs > 60_000) throw new Error(`after a minute: ${what} does not hold`);
    await delay(250);
  }
}

test('an authority that ended while everything stood still: the local agent is back by itself, another one with the new ca.pem', async ({
  skip,
}) => {
  skip(missing !== undefined, missing);
  using folder = sceneFolder();
  const { env: clock } = fakeClock(new Date(Date.now() - elevenYearsMs).toISOString());
  const dataDir = path.join(folder.path, 'data');
  const far = path.join(folder.path, 'far');
  const caFile = path.join(folder.path, 'far-ca.pem');
  chmodSync(folder.path, 0o755);
  let system = await startSystem({ dataDir, env: clock });
  const { base_url, agent_endpoint } = system.quickstart();
  const env = {
    VANTAGE_AGENT_ENDPOINTS: agent_endpoint,
    VANTAGE_CA_FILE: caFile,
    VANTAGE_AGENT_DATA: far,
  };
  onTestFailed(() => void process.stdout.write(system.output()));
  try {
    copyFileSync(path.join(dataDir, 'tls/ca.pem'), caFile);
    const token = invite(system, clock);
    {
      await using _ = new FarAgent({ ...clock, ...env, VANTAGE_AGENT_TOKEN: token });
      await until(() => existsSync(path.join(far, 'identity/agent.crt')), 'the agent has a certificate');
    }
    await system.stop();
    const before = authority(dataDir);
    expect(before.validToDate.getTime()).toBeLessThan(Date.now());

    const [https = '', agent = ''] = [base_url, agent_endpoint].map((url) => new URL(url).port);
    system = await startSystem({
      dataDir,
      env: { VANTAGE_HTTPS_PORT: https, VANTAGE_AGENT_PORT: agent },
    });
    expect(authority(dataDir).validToDate.getTime()).toBeGreaterThan(Date.now());
    await using target = await watchTarget(system.api, ['local', 'far']);
    const online = async () =>
      agents.parse(await system.api.ok('GET', '/agents')).filter(({ State }) => State === 'Connected').length;
    await until(async () => (await online()) === 1, 'the local agent is online');
    {
      await using stranger = new FarAgent(env);
      onTestFailed(() => void process.stdout.write(stranger.output()));
      await until(() => stranger.output().includes('ca.pem'), 'the far agent says what to do');
      process.stdout.write(`far agent: ${stranger.output().split('\n').slice(-3).join('\n')}\n`);
    }
    copyFileSync(path.join(dataDir, 'tls/ca.pem'), caFile);
    await using _ = new FarAgent(env);
    await until(async () => (await online()) === 2, 'both agents are online');
    await delay(70_000);
    const ledger = await readLedger(system.quickstart().database_url);
    process.stdout.write(
      `ledger: ended authority: ${JSON.stringify({ ...ledger, hits: target.hits.length })}\n`,
    );
    expect(ledger.checks).toBe(target.hits.length);
    expect(ledger).toMatchObject({ quarantined: 0, gaps: 0 });
  } finally {
    system.api.close();
    await system.stop();
  }
});
