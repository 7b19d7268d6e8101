// exec.test.ts starts this program. It runs checks of every method with texts that a shell or a command line would
// interpret.

import { setTimeout as delay } from 'node:timers/promises';
import { isReceived, methods } from '@vantage/domain';
import { registry } from '@vantage/probes';
import { listen, runTest, speakLines } from '@vantage/probes/testing';
import { z } from 'zod';

/** Each text of a URL and of Options gets these values, where validation accepts them. */
const nasty = [
  '-oProxyCommand=id',
  '--help',
  '$(id)',
  '`id`',
  ';id',
  '|id',
  '&&id',
  '>x',
  "';id;'",
  '\nid\n',
  '%0aid',
];

const schema = z.looseObject({
  type: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  items: z.unknown().optional(),
  additionalProperties: z.unknown().optional(),
});

/** Options objects, one for each place of a schema that accepts a text. The object has `text` there. */
function places(of: unknown, text: string): unknown[] {
  const { type, enum: chosen, properties, items, additionalProperties } = schema.parse(of);
  if (type === 'string') return chosen ? [] : [text];
  if (type === 'array') return places(items, text).map((each) => [each]);
  const within = Object.entries(properties ?? {}).flatMap(([key, inner]) =>
    places(inner, text).map((each) => ({ [key]: each })),
  );
  const open = typeof additionalProperties === 'object' ? places(additionalProperties, text) : [];
  return [...within, ...open.map((each) => ({ 'X-Key': each }))];
}

await using server = await listen(
  speakLines({ greeting: '220 +OK * OK echo', answer: (line) => `220 ${line}` }),
);
const { port } = server;
const tally: Record<string, { urls: number; options: number }> = {};
// No agent runs Push: jobs call the controllers.
for (const method of methods.filter((each) => !isReceived(each))) {
  const probe = registry[method];
  const at: Readonly<Record<string, string>> = {
    PING: '127.0.0.1',
    DNS: `dns://127.0.0.1:${port}/x.example`,
    HTTP: `http://127.0.0.1:${port}/`,
    Domain: 'x.example',
  };
  const script = `try { await tcp({ host: '127.0.0.1', port: ${port} }); } catch {}`;
  const fine = method === 'Script' ? script : (at[method] ?? `127.0.0.1:${port}`);
  const scheme = { IMAP4: 'imap' }[String(method)] ?? method.toLowerCase();
  const urls = nasty.flatMap((text) => [
    text,
    `${text}.example`,
    `${scheme}://${text}:${text}@127.0.0.1:${port}`,
    `${scheme}://${encodeURIComponent(text)}:${encodeURIComponent(text)}@127.0.0.1:${port}/${text}`,
    `${scheme}://127.0.0.1:${port}/${text}`,
  ]);
  const json = z.toJSONSchema(probe.options, { io: 'input', unrepresentable: 'any' });
  const login = 'properties' in json && json.properties?.['Password'] ? { User: 'me', Password: 'x' } : {};
  const rdapServer = method === 'Domain' ? { RDAPServer: `http://127.0.0.1:${port}/` } : {};
  const options = nasty
    .flatMap((text) => places(json, text))
    .map((each) => ({ ...login, ...rdapServer, ...Object(each) }));
  // Each script starts a process, so a few of them have to do.
  const goodUrls = (method === 'Script' ? ['-1', '`id`', '$(id)'] : urls).filter(
    (url) => probe.parseTarget(url).ok,
  );
  const goodOptions = options.filter((each) => probe.options.safeParse(each).success);
  const devices = [
    ...goodUrls.map((url) => ({ url, options: {} })),
    ...goodOptions.map((each) => ({ url: fine, options: each })),
  ];
  if (devices.length === 0) devices.push({ url: fine, options: {} });
  const timeoutMs = method === 'Script' ? 10_000 : 150;
  for (let from = 0; from < devices.length; from += 40) {
    const some = devices.slice(from, from + 40);
    await Promise.all(some.map((device) => runTest(probe, device.url, device.options, { timeoutMs })));
  }
  tally[method] = { urls: goodUrls.length, options: goodOptions.length };
}
console.log(JSON.stringify(tally));
await delay(100);
process.exit(0);
