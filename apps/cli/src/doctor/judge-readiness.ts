import type { ControllerFinding } from './controller-finding.ts';
import type { ControllerAnswer } from './query-controller.ts';

const step = 'readiness';

/**
 * Reads the controller's report about itself (`/readyz`): whether it can serve, and its findings, each followed by an
 * indented line with the remedy.
 */
export function judgeReadiness(readyz: ControllerAnswer): readonly ControllerFinding[] {
  if (readyz.kind === 'none')
    return [
      {
        level: 'fault',
        step,
        text: `the controller does not report whether it can serve: ${readyz.reason}`,
        remedy: 'It may be overloaded, or its database hangs: look at the database, then at the log.',
      },
    ];
  const [first = '', ...lines] = readyz.text.trim().split('\n');
  const found = lines.flatMap((line, index): ControllerFinding[] => {
    const [, severity, text] = /^(warning|fault): (.*)$/.exec(line) ?? [];
    if (text === undefined) return [];
    const next = lines[index + 1] ?? '';
    const remedy = next.startsWith('  ')
      ? next.trim()
      : 'docs/operate.md has the remedy: search for the text of the line.';
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
    : [{ level: 'ok', step, text: 'the controller serves, and has no warnings' }];
}
