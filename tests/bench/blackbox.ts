import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '@vantage/testing/free-port';
import { serve, write } from '../real-servers/servers-fixture.ts';

const program = 'prometheus-blackbox-exporter';
const config = `modules:
  tcp: {prober: tcp, timeout: 5s}
  http: {prober: http, timeout: 5s, http: {preferred_ip_protocol: ip4}}
  icmp: {prober: icmp, timeout: 5s, icmp: {preferred_ip_protocol: ip4}}
  dns: {prober: dns, timeout: 5s, dns: {query_name: bench.test, query_type: A, preferred_ip_protocol: ip4}}
`;

/** A check of blackbox_exporter. */
export type Module = 'tcp' | 'http' | 'icmp' | 'dns';

/** blackbox_exporter, the peer of the comparison. */
export interface Blackbox extends AsyncDisposable {
  readonly pid: number;
  /** Its CPU milliseconds per 1,000 checks, each requested over HTTP, as Prometheus does. */
  cpuMs(module: Module, target: string, checks: number): Promise<number>;
}

/** Starts the exporter, and installs it first where root and apt are available; else resolves with the reason. */
export async function startBlackbox(): Promise<Blackbox | string> {
  if (!isInstalled()) {
    if (process.getuid?.() !== 0) return `skipped: ${program} is not installed, and only root can install it`;
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    spawnSync('apt-get', ['update', '-qq'], { env });
    spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', program], { env });
    if (!isInstalled()) return `skipped: apt cannot install ${program} here`;
  }
  const port = await freePort();
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-bench-'));
  const file = write(folder, 'blackbox.yml', config);
  const server = await serve(port, program, [
    `--config.file=${file}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--log.level=error',
  ]);
  const agent = new Agent({ keepAlive: true, maxSockets: 10 });
  const look = (module: Module, target: string) =>
    new Promise<void>((resolve, reject) => {
      const url = `http://127.0.0.1:${port}/probe?module=${module}&target=${encodeURIComponent(target)}`;
      get(url, { agent }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        answer.on('end', () =>
          text.includes('\nprobe_success 1')
            ? resolve()
            : reject(new Error(`blackbox_exporter: ${module} of ${target} fails`)),
        );
      }).on('error', reject);
    });
  return {
    pid: server.pid,
    async cpuMs(module, target, checks) {
      for (let i = 0; i < 50; i += 1) await look(module, target);
      const before = cpuOf(server.pid);
      let left = checks;
      await Promise.all(
        Array.from({ length: 10 }, async () => {
          while (left > 0) {
            left -= 1;
            await look(module, target);
          }
        }),
      );
      return ((cpuOf(server.pid) - before) / checks) * 1000;
    },
    async [Symbol.asyncDispose]() {
      agent.destroy();
      await server[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function isInstalled(): boolean {
  return spawnSync(program, ['--version']).error === undefined;
}

/** The CPU milliseconds of a process so far, from /proc (in hundredths of a second). */
function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
