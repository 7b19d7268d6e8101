// `vantage up` runs this program first. It prints the problems of the agent's settings, one per line.
import { loadSettings } from './load-agent-settings.ts';

const settings = loadSettings();
if (!settings.ok) {
  console.log(settings.problems.join('\n'));
  process.exitCode = 2;
}
