import { rows } from '../../store/account-state.ts';
import { deviceWords } from '../../texts/device-words.ts';
import { deviceDefaults } from './device-draft.ts';
import { deviceFormTexts as say } from './device-form-texts.ts';
import { shortOptionWords } from './option-table.ts';
import { valueWords } from './option-values.ts';
import type { DeviceChoices } from './read-choices.ts';

const optionPrefix = 'Options.';
/** The Options and parts of them that hold secrets. */
const secrets = /(^|\.)(Password|Token|Passphrase|PrivateKey|ClientKey)$/;

/** The words for a setting by its name in the API. */
export function fieldWords(field: string): string {
  if (field.startsWith(optionPrefix)) return shortOptionWords(field.slice(optionPrefix.length));
  return say.settingNames[field] ?? field;
}

const defaults: Readonly<Record<string, number>> = {
  Timeout: deviceDefaults.timeout,
  Attempts: deviceDefaults.attempts,
  RetryDelay: deviceDefaults.retryDelay,
};

/** The value of a setting in words. */
export function settingWords(field: string, value: unknown, choices: DeviceChoices | undefined): string {
  const isEmpty = value === '' || value === undefined;
  const byDefault = defaults[field];
  if (isEmpty && byDefault !== undefined) return String(byDefault);
  switch (field) {
    case 'Frequency':
      return deviceWords.every(Number(value));
    case 'ExpiryWarningDays':
      return isEmpty ? say.expiryDaysDefault : valueWords(value);
    case 'Enabled':
      return value === true ? say.enabledChoices.on : say.enabledChoices.off;
    case 'Locations':
      return isEmpty ? say.defaultLocations : valueWords(value);
    case 'nschedule_id': {
      const id = isEmpty ? choices?.accountSchedule : value;
      const found = choices?.nschedules.find(({ nschedule_id }) => nschedule_id === id)?.Name;
      return isEmpty ? say.nscheduleDefault(found) : (found ?? say.hiddenChoice);
    }
    case 'mschedule_id':
      if (isEmpty) return say.noMschedule;
      return choices?.mschedules.find(({ mschedule_id }) => mschedule_id === value)?.Name ?? say.hiddenChoice;
    case 'device_master_id':
      if (isEmpty) return say.noMschedule;
      return rows.value.find(({ id }) => id === value)?.name ?? say.hiddenChoice;
    default:
      return secrets.test(field) && !isEmpty && value !== '***' ? say.newValue : valueWords(value);
  }
}
