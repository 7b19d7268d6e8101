// The program behind the first step of `vantage up`: says what is wrong with the agent's settings, a line each, and ends.
import { validateSettings } from './load-settings.ts';

const settings = validateSettings();
if (!settings.ok) {
  console.log(settings.problems.join('\n'));
  process.exitCode = 2;
}
