// The commands of the documents, as they stand there, in a folder that looks like the one of the reader. Only addresses
// that exist nowhere are replaced by those of this test, and a command that reads what another one prints is a program.
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startFakeReceiver } from '@vantage/testing/fake-receiver';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { type Ran, runProgram, runVantageHere } from '../../harness/run-vantage.ts';
import { useShellHere } from '../../harness/shell-here.ts';
import { repositoryRoot } from '../../harness/system.ts';
import { mails, operate, remoteAddress, system } from './system.ts';

const soon = { timeout: 60_000, interval: 500 };
const folder = mkdtempSync(path.join(tmpdir(), 'vantage-reader-'));
const web = createServer((_, response) => response.end('here'));
const program = path.join(repositoryRoot, 'vantage');
const makeShell = useShellHere();
let shell: Awaited<ReturnType<typeof makeShell>>;
let site: string;
beforeAll(async () => {
  shell = await makeShell(folder);
  symlinkSync(system.dataDir, path.join(folder, 'data'));
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  site = `http://127.0.0.1:${(web.address() as AddressInfo).port}/`;
});
afterAll(async () => {
  web.close();
  await shell?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** The block of a page, between ``` lines of this language, that has the text. */
function blockOf(page: string, text: string, language = 'sh'): string {
  const whole = readFileSync(path.join(repositoryRoot, page), 'utf8');
  const blocks = [...whole.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))];
  const found = blocks.map(([, block = '']) => block).filter((block) => block.includes(text));
  expect(found, `${page} has one block with ${text}`).toHaveLength(1);
  return found[0] ?? '';
}

function replaced(text: string, changes: Readonly<Record<string, string>>): string {
  return Object.entries(changes).reduce((changed, [theirs, ours]) => {
    expect(text).toContain(theirs);
    return changed.replaceAll(theirs, ours);
  }, text);
}

/** Runs lines in the reader's shell, whose settings are those of the system that runs. */
function sh(lines: string, settings: Readonly<Record<string, string>> = {}): Promise<Ran> {
  return shell.sh(lines, {
    HOME: folder,
    VANTAGE_SMTP_URL: mails.url,
    VANTAGE_ALLOW_PRIVATE_WEBHOOKS: 'true',
    // With a folder that is named, an invitation does not make the agent's package first.
    VANTAGE_PARCELS: path.join(repositoryRoot, 'agent-installer/dist'),
    ...settings,
  });
}

/** The output of lines that succeed. */
async function good(lines: string, settings: Readonly<Record<string, string>> = {}): Promise<string> {
  const { code, stdout, stderr } = await sh(lines, settings);
  expect(code, `${lines}\n${stdout}${stderr}`).toBe(0);
  return stdout;
}

describe('a reader who types what the documents say', { timeout: 240_000 }, () => {
  test('README.md: has a device that is Up, its checks and events, by the API', async () => {
    const { base_url, api_key_uw } = system.quickstart();
    const lines = replaced(blockOf('README.md', 'KEY=…'), {
      'KEY=…': `KEY=${api_key_uw}`,
      'https://localhost:8443/v1.1': base_url,
      'https://example.org/': site,
    }).split('\n');
    const [key = '', api = '', base = '', , create = '', list = '', checks = '', stream = ''] = lines;
    const ask = (line: string) => good([key, api, base, line].join('\n'));
    const { device_id } = z.object({ device_id: z.string() }).parse(JSON.parse(await ask(create)));
    await vi.waitFor(async () => {
      const all: unknown = JSON.parse(await ask(list));
      expect(all).toContainEqual(expect.objectContaining({ device_id, Status: 'Up' }));
    }, soon);
    const [check] = z
      .array(z.looseObject({}))
      .parse(JSON.parse(await ask(replaced(checks, { '<device_id>': device_id }))));
    expect(check).toMatchObject({ ResultCode: 1, ConnectTime: expect.any(Number) });
    const [endless = ''] = stream.split(' #');
    const first = `coproc s { ${endless}; } 2>/dev/null; read -r line <&"\${s[0]}"; echo "$line"`;
    expect(await ask(first)).toMatch(/^retry: \d+\n$/);
  });

  test('README.md: has a contact that gets a message, and a line that installs an agent', async () => {
    const shown = await good(blockOf('README.md', 'contacts add'));
    expect(shown).toContain('accepted by the mail server');
    expect(mails.messages.some(({ to }) => to.includes('noc@example.org'))).toBe(true);
    expect(await good(blockOf('README.md', 'agents invite'))).toMatch(/\nPaste this line on the host:\n\n\S/);
  });

  test('docs/first-alarm.md: is notified of the alarm, finds it in lists and logs, and ends it', async () => {
    await using receiver = await startFakeReceiver((response) => response.writeHead(200).end());
    const page = 'docs/first-alarm.md';
    await good(
      replaced(blockOf(page, 'contacts add'), { 'https://hooks.example.org/vantage': receiver.url }),
    );
    expect(receiver.requests.map(({ body }) => JSON.parse(body))).toMatchObject([{ type: 'test' }]);
    await good(blockOf(page, 'devices create'));
    const begins = () => receiver.requests.filter(({ body }) => body.includes('"device.down"'));
    await vi.waitFor(() => expect(begins().some(({ body }) => body.includes('alarm'))).toBe(true), {
      timeout: 180_000,
      interval: 500,
    });
    expect(await good('./vantage devices get alarm')).toMatch(/^Status: +Down/m);
    const logs = await good('./vantage logs --device alarm');
    expect(logs).toMatch(/^\S+ \S+ .* event: .*Down/m);
    const lines = blockOf(page, 'alerts list');
    expect(await good(lines)).toContain('alarm');
    expect((await sh('./vantage devices get alarm')).code).toBe(1);
  });

  test('docs/agent-behind-a-firewall.md: sees that the way to the port is open, and has the line', async () => {
    const page = 'docs/agent-behind-a-firewall.md';
    const [way = ''] =
      /(?<=`)curl -k https[^`]*/.exec(readFileSync(path.join(repositoryRoot, page), 'utf8')) ?? [];
    const { agent_endpoint } = system.quickstart();
    const answer = await sh(replaced(way, { 'https://vantage.example.org:8444': agent_endpoint }));
    expect(answer).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('must have the token of an invitation'),
    });
    expect(await good(blockOf(page, 'agents invite'))).toContain('Paste this line on the host:');
  });

  test('docs/as-code.md and docs/coming-over.md: applies, exports and imports files', async () => {
    await operate('accounts', 'create', 'reader');
    const issued = await operate('keys', 'issue', '--account', 'reader');
    const { base_url, ca_file } = system.quickstart();
    const VANTAGE_KEY = z.object({ key: z.string() }).parse(issued).key;
    const access = { VANTAGE_SERVER: base_url, VANTAGE_CA: ca_file, VANTAGE_KEY };
    writeFileSync(
      path.join(folder, 'monitoring.yaml'),
      blockOf('docs/as-code.md', 'source: net/berlin', 'yaml'),
    );
    const [diff = '', apply = '', exports = ''] = blockOf('docs/as-code.md', 'vantage diff').split('\n');
    expect((await sh(diff, access)).code).toBe(3);
    await good(`${apply.replace(/ +#.*/, '')} --yes`, access);
    expect(await good(diff, access)).toContain('unchanged');
    await good(exports, access);
    expect(readFileSync(path.join(folder, 'monitoring.yaml'), 'utf8')).toContain('ShortName: ber-rt1');
    writeFileSync(
      path.join(folder, 'devices.csv'),
      'Name,Address\nRouter,192.0.2.1\nShop,shop.example.org\n',
    );
    await good(blockOf('docs/coming-over.md', '-o devices.yaml'), access);
    expect(readFileSync(path.join(folder, 'devices.yaml'), 'utf8')).toContain('192.0.2.1');
    const twice = replaced(blockOf('docs/coming-over.md', '--yes'), {
      './vantage apply': `${program} apply`,
    });
    expect(await good(twice, access)).toContain('2 created');
    expect(await good(twice, access)).toContain('2 unchanged');
  });

  test('from another folder a stranger finds the commands, and uses a controller far away by its address and CA', async () => {
    const away = mkdtempSync(path.join(tmpdir(), 'vantage-stranger-'));
    const { base_url, api_key_uw, ca_file } = system.quickstart();
    const server = base_url.replace('localhost', remoteAddress);
    const env = { HOME: away };
    const vantage = (...args: readonly string[]) => runProgram(program, args, { env, cwd: away });
    // A command with all of these says nothing more of where it runs.
    const here = (...args: readonly string[]) => runVantageHere(args, env);
    const far = ['--server', server, '--key', api_key_uw];
    try {
      const help = await vantage('--help');
      expect(help).toMatchObject({ code: 0, stderr: '' });
      for (const word of ['devices', 'check', 'apply', 'login'])
        expect(help.stdout).toContain(`\n  ${word} `);
      const untrusted = await vantage('devices', 'list', ...far);
      expect(untrusted).toMatchObject({ code: 1, stdout: '' });
      expect(untrusted.stderr).toContain("give the controller's CA with --ca FILE");
      const unnamed = server.replace(remoteAddress, '127.0.0.3');
      const other = await here('top', '--server', unnamed, '--key', api_key_uw, '--ca', ca_file);
      expect(other.stderr).toContain('start the controller with VANTAGE_TLS_NAMES=127.0.0.3');
      const trusted = [...far, '--ca', ca_file];
      const create = ['devices', 'create', 'Method=HTTP', `URL=${site}`, 'ShortName=far'];
      expect(await vantage(...create, ...trusted)).toMatchObject({ code: 0, stderr: '' });
      expect(await here('check', 'far', ...trusted)).toMatchObject({ code: 0, stderr: '' });
      expect((await here('devices', 'list', 'Search=far', ...trusted)).stdout).toMatch(/\nUp +far /);
    } finally {
      rmSync(away, { recursive: true });
    }
  });
});
