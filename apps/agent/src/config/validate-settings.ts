// The first step of `vantage up` runs this program: it prints the problems of the agent's settings, one a line, and
// ends.
import { validateSettings } from './load-settings.ts';

const settings = validateSettings();
if (!settings.ok) {
  console.log(settings.problems.join('\n'));
  process.exitCode = 2;
}
