import { expect, test } from 'vitest';
import { gatherSettings, unknownSettings } from './settings-reader.ts';

test('the environment overrides the settings file, and foreign variables are left out', () => {
  const found = gatherSettings(
    { VANTAGE_SETTINGS_FILE: '/etc/v', VANTAGE_HTTPS_PORT: '1', HOME: '/root', VANTAGE_LISTEN: '' },
    (file) => (file === '/etc/v' ? '# ours\nVANTAGE_HTTPS_PORT=2\nVANTAGE_LISTEN=::1\n' : ''),
  );
  expect(found).toEqual({
    VANTAGE_SETTINGS_FILE: '/etc/v',
    VANTAGE_HTTPS_PORT: '1',
    VANTAGE_LISTEN: '::1',
  });
});

test('an unknown setting is named, with the nearest known one', () => {
  expect(unknownSettings(['VANTAGE_HTTP_PORT', 'VANTAGE_DATA', 'VANTAGE_SOMETHING_ELSE'])).toEqual([
    'VANTAGE_HTTP_PORT is not a setting; did you mean VANTAGE_HTTPS_PORT?',
    'VANTAGE_SOMETHING_ELSE is not a setting',
  ]);
});
