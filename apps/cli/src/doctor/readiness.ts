import type { Asked } from './ask.ts';
import type { Finding } from './finding.ts';

const step = 'readiness';

/**
 * The controller's own words about itself (`/readyz`): whether it can serve, and its findings, each with an indented
 * line that says what to do.
 */
export function judgeReadiness(readyz: Asked): readonly Finding[] {
  if (readyz.kind === 'none')
    return [
      {
        level: 'fault',
        step,
        text: `the controller does not say whether it can serve: ${readyz.reason}`,
        remedy: 'It may be overloaded, or its database hangs: look at the database, then at the log.',
      },
    ];
  const [first = '', ...lines] = readyz.text.trim().split('\n');
  const found = lines.flatMap((line, at): Finding[] => {
    const [, severity, text] = /^(warning|fault): (.*)$/.exec(line) ?? [];
    if (text === undefined) return [];
    const next = lines[at + 1] ?? '';
    const remedy = next.startsWith('  ')
      ? next.trim()
      : 'docs/operate.md says what to do, by the words of the line.';
    return [{ level: severity === 'fault' ? 'fault' : 'warning', step, text, remedy }];
  });
  if (readyz.status !== 200)
    return [
      {
        level: 'fault',
        step,
        text: first,
        remedy:
          'Look at the database: it is unreachable, hangs, or is full. docs/operate.md, the first row of "Log lines".',
      },
      ...found,
    ];
  return found.length > 0
    ? found
    : [{ level: 'ok', step, text: 'the controller serves, and warns of nothing' }];
}
