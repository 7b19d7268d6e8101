import { probeFor } from '@vantage/probes';
import { describe, expect, test } from 'vitest';
import { shellWords } from './plugin-arguments.ts';
import { pluginCheck } from './plugin-check.ts';

/** The target of a command line, whose Options its Method accepts. */
function read(line: string) {
  const [program = '', ...words] = shellWords(line);
  const { target } = pluginCheck(program, words, '192.0.2.2');
  if (typeof target === 'string') return target;
  const options = JSON.parse(JSON.stringify(target.options ?? {}));
  expect(probeFor(target.method)?.options.safeParse(options).error).toBeUndefined();
  expect(probeFor(target.method)?.parseTarget(target.url)).toMatchObject({ ok: true });
  return { ...target, options };
}

describe('plugins of services', () => {
  test('check_udp', () => {
    expect(read("check_udp -p 27015 -E -s 'ping\\n' -e pong -e other -w 2")).toEqual({
      method: 'UDP',
      url: '192.0.2.2:27015',
      options: { Send: 'ping\n', ExpectText: 'pong', SlowMs: 2000 },
      lost: ['the further text expected "other"'],
    });
    expect(read('check_udp -s x -e y')).toBe('has no port (-p)');
  });
});
