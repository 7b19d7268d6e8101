// The program of the first step of `vantage up`: writes each fault of the controller's settings as a line, and ends.
import { validateSettings } from './load-settings.ts';

const settings = await validateSettings();
if (!settings.ok) {
  console.log(settings.problems.join('\n'));
  process.exitCode = 2;
}
