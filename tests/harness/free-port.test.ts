import { execFile } from 'node:child_process';
import { connect, createServer } from 'node:net';
import path from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from './free-port.ts';

const module = path.join(import.meta.dirname, 'free-port.ts');

/** The ports that `freePort` gives a new process, while this process and others live. */
function askedBeside(count: number): Promise<number[]> {
  const program = `
    const { freePort } = await import(${JSON.stringify(module)});
    const ports = [];
    for (let i = 0; i < ${count}; i += 1) ports.push(await freePort());
    console.log(JSON.stringify(ports));
    await new Promise((resolve) => process.stdin.once('data', resolve));
    process.exit();`;
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, ['--input-type=module', '-e', program], (error) => {
      if (error) reject(error);
    });
    children.push(() => child.stdin?.write('end\n'));
    child.stdout?.once('data', (chunk: string) => resolve(JSON.parse(chunk)));
  });
}
const children: (() => void)[] = [];

test('freePort gives no port twice, neither to one process nor to processes that run side by side', async () => {
  const beside = await Promise.all([askedBeside(20), askedBeside(20), askedBeside(20)]);
  const own = await Promise.all(Array.from({ length: 20 }, freePort));
  const all = [...own, ...beside.flat()];
  expect(new Set(all).size).toBe(80);
  for (const end of children) end();
});

test('a port of freePort refuses connections, and a process can listen on it', async () => {
  const port = await freePort();
  const refused = await new Promise((resolve) =>
    connect(port, '127.0.0.1').once('error', (error) => resolve('code' in error ? error.code : error)),
  );
  expect(refused).toBe('ECONNREFUSED');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await new Promise((resolve) => server.close(resolve));
});
