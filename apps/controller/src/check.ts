// The program behind the first step of `vantage up`: says what is wrong with the controller's settings, a line each, and ends.
import { checkSettings } from './settings-check.ts';

const checked = await checkSettings();
if (!checked.ok) {
  console.log(checked.problems.join('\n'));
  process.exitCode = 2;
}
