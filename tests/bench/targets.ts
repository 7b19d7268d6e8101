import { fork } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '@vantage/testing/free-port';
import { packages, serve, write } from '../real-servers/servers-fixture.ts';

/** The targets of the benchmark, in separate processes. */
export interface Targets extends AsyncDisposable {
  /** Accepts TCP and HTTP; `web` names the program. */
  readonly webPort: number;
  readonly web: string;
  /** A server for bench.test, or the reason why there is none. */
  readonly dnsPort: number | string;
}

/** Starts nginx and dnsmasq where they are installed; else a web server on Node. */
export async function startTargets(): Promise<Targets> {
  const resources = new AsyncDisposableStack();
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-bench-'));
  resources.defer(() => rmSync(folder, { recursive: true, force: true }));
  const hasNginx = existsSync(packages.nginx);
  const webPort = hasNginx
    ? resources.use(await startNginx(folder)).port
    : resources.use(await startNodeWeb()).port;
  const dnsPort = existsSync(packages['dnsmasq-base'])
    ? resources.use(await startDnsmasq()).port
    : 'skipped: dnsmasq is not installed';
  return {
    webPort,
    web: hasNginx ? 'nginx' : 'node:http',
    dnsPort,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

async function startNginx(folder: string) {
  const port = await freePort();
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (each) => `${each}_temp_path ${folder}/${each};`,
  );
  const text = `daemon off; master_process off; pid ${folder}/pid; error_log stderr;
    events { worker_connections 8192; }
    http { access_log off; ${places.join(' ')}
      server { listen 127.0.0.1:${port} backlog=4096; location / { return 200 "fine\\n"; } } }`;
  return serve(port, packages.nginx, ['-c', write(folder, 'nginx.conf', text)]);
}

async function startDnsmasq() {
  const port = await freePort();
  const names = ['--no-resolv', '--no-hosts', '--address=/bench.test/192.0.2.10'];
  const listen = [`--port=${port}`, '--listen-address=127.0.0.1', '--bind-interfaces'];
  const user = process.getuid?.() === 0 ? ['--user=nobody'] : [];
  const args = ['--keep-in-foreground', '--conf-file=/dev/null', ...listen, ...names, ...user];
  return serve(port, packages['dnsmasq-base'], args);
}

async function startNodeWeb() {
  const child = fork(path.join(import.meta.dirname, 'http-target.ts'), { stdio: 'inherit' });
  const port = await new Promise<number>((resolve) => {
    child.once('message', (message) => resolve(Number(message)));
  });
  return { port, [Symbol.asyncDispose]: async () => void child.kill('SIGTERM') };
}
