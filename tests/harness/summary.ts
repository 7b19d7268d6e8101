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
  /** The number of repetitions that it requests, and the reason. */
  readonly requested: number;
  readonly reason?: string | undefined;
}

/** Collects outcomes and makes the text at the end of a run. */
export interface Summary {
  add(outcome: Outcome): void;
  /** A failure outside of tests: of a file that cannot be loaded, or an error that no test caught. */
  fail(name: string, message: string): void;
  readonly failed: number;
  /**
   * Failures with their whole messages (seed and path of a property included), second tries, skips, and the line of
   * counts.
   */
  text(): string;
  /**
   * The names of the failures with the start of each message, for logs of which only the end is kept; empty when there
   * are none.
   */
  failures(): string;
}

/** Of these, `failures` shows the messages, characters of each. */
const shownFailures = 50;
const shownChars = 1_500;

/** Creates the summary. A test that requests repetitions without a reason counts as failed. */
export function createSummary(): Summary {
  const passed: Outcome[] = [];
  const failures: Pick<Outcome, 'name' | 'errors'>[] = [];
  const secondTries: string[] = [];
  const skipped: string[] = [];
  const describe = ({ name, errors }: Pick<Outcome, 'name' | 'errors'>, more = '') =>
    [`  ${name}${more}`, ...errors.map((error) => error.replace(/^/gm, '    '))].join('\n');
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`\n${title}:\n${lines.join('\n')}`];
  return {
    add(outcome) {
      if (outcome.requested > 0 && outcome.reason === undefined) {
        const fault = `${outcome.name}: it requests another try without a reason (retryBecause)`;
        failures.push({ name: fault, errors: outcome.errors });
        return;
      }
      switch (outcome.state) {
        case 'passed':
          passed.push(outcome);
          if (outcome.retries > 0)
            secondTries.push(describe(outcome, ` (may be tried again: ${outcome.reason})`));
          break;
        case 'failed':
          failures.push(outcome);
          break;
        case 'skipped':
          skipped.push(`  ${outcome.name}: ${outcome.note ?? 'no reason given'}`);
          break;
      }
    },
    fail(name, message) {
      failures.push({ name, errors: [message] });
    },
    get failed() {
      return failures.length;
    },
    text() {
      return [
        ...section(
          'failed',
          failures.map((failure) => describe(failure)),
        ),
        ...section('passed at another try only', secondTries),
        ...section('skipped', skipped),
        `\n${passed.length} passed, ${failures.length} failed, ${skipped.length} skipped`,
      ].join('\n');
    },
    failures() {
      const shown = failures.slice(0, shownFailures).map(({ name, errors }) => {
        const cut = errors.map((error) =>
          error.length > shownChars
            ? `${error.slice(0, shownChars)}… (${error.length - shownChars} more characters)`
            : error,
        );
        return describe({ name, errors: cut });
      });
      const rest = failures.length - shown.length;
      return [...shown, ...(rest > 0 ? [`  … and ${rest} more`] : [])].join('\n');
    },
  };
}
