import { type SettingReader, settings } from '@vantage/kernel';

/** Describes the settings that these parts read, for `--help`: one paragraph each. */
export function settingsHelp(parts: readonly Exclude<SettingReader, 'both'>[]): string {
  const lines = Object.entries(settings)
    .filter(([, { reader }]) => reader === 'both' || parts.includes(reader))
    .map(([name, { reader, otherwise, about }]) => {
      const who = reader === 'both' ? 'controller, agent' : reader;
      return `  ${name} (${who}${otherwise ? `; default: ${otherwise}` : ''})\n      ${about}`;
    });
  return `\nSettings (environment variables, or lines of a settings file):\n${lines.join('\n')}`;
}
