/** The result of one test, or of one check before the tests. */
export interface Outcome {
  /** File and title. */
  readonly name: string;
  readonly state: 'passed' | 'failed' | 'skipped';
  /** The reason why it was skipped. */
  readonly note?: string | undefined;
  /** Whole messages of its failures, those of earlier tries included. */
  readonly errors: readonly string[];
  /** The number of repetitions. */
  readonly retries: number;
  /** The number of repetitions that it asks for, and the reason. */
  readonly asks: number;
  readonly reason?: string | undefined;
}

/** Collects outcomes and makes the text at the end of a run. */
export interface Summary {
  add(outcome: Outcome): void;
  /** Failures outside of tests. */
  fail(count: number): void;
  readonly failed: number;
  /** Failures with their whole messages (seed and path of a property included), second tries, skips, and the line of counts. */
  text(): string;
}

/** Makes the summary. A test that asks for a repetition without a reason counts as failed. */
export function createSummary(): Summary {
  const passed: Outcome[] = [];
  const failures: string[] = [];
  const secondTries: string[] = [];
  const skipped: string[] = [];
  let outside = 0;
  const describe = ({ name, errors }: Outcome, more = '') =>
    [`  ${name}${more}`, ...errors.map((error) => error.replace(/^/gm, '    '))].join('\n');
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`\n${title}:\n${lines.join('\n')}`];
  return {
    add(outcome) {
      if (outcome.asks > 0 && outcome.reason === undefined) {
        failures.push(describe(outcome, ': it asks for another try without a reason (retryBecause)'));
        return;
      }
      switch (outcome.state) {
        case 'passed':
          passed.push(outcome);
          if (outcome.retries > 0)
            secondTries.push(describe(outcome, ` (may be tried again: ${outcome.reason})`));
          break;
        case 'failed':
          failures.push(describe(outcome));
          break;
        case 'skipped':
          skipped.push(`  ${outcome.name}: ${outcome.note ?? 'no reason given'}`);
          break;
      }
    },
    fail(count) {
      outside += count;
    },
    get failed() {
      return failures.length + outside;
    },
    text() {
      return [
        ...section('failed', failures),
        ...section('passed at another try only', secondTries),
        ...section('skipped', skipped),
        `\n${passed.length} passed, ${failures.length + outside} failed, ${skipped.length} skipped`,
      ].join('\n');
    },
  };
}
