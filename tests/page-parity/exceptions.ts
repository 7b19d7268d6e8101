/**
 * The parts of the API that the page does not offer, with reasons. `of` is an operation (`GET /keys/{key_id}`), which
 * includes its fields, or an operation and a field (`POST /pages Notes`), which includes the fields inside. `*` stands
 * for any text.
 */
export interface Exception {
  readonly of: string;
  readonly reason: string;
}

const listHasIt = 'the list of the same screen has these facts';
const ofDevices = 'the screens of devices change it in the device itself, or by POST /devices/change';

const forReason = (fields: readonly string[], reason: string) => fields.map((field) => ({ field, reason }));

/** The settings of a device that a single check has no use for. */
const singleCheck = [
  ...forReason(['Locations'], 'a trial runs at one Location'),
  ...forReason(['Tags'], 'a trial has no tags: it is not stored'),
  ...forReason(
    ['ExternalKey', 'Source', 'Enabled', 'FullName', 'Severity', 'ExpiryWarningDays'],
    'a trial is not stored',
  ),
  ...forReason(
    ['Frequency', 'FrequencySeconds', 'Retries', 'Attempts', 'RetryDelay'],
    'a trial is a single check',
  ),
  ...forReason(['nschedule_id', 'mschedule_id', 'device_master_id'], 'a trial notifies no contact'),
];

/** Operations and fields that the page will not offer. */
export const exceptions: readonly Exception[] = [
  { of: 'GET /checks/{check_id}', reason: 'GET /checks/{check_id}/extended has the same and more' },
  { of: 'GET /maintenance/{maintenance_id}', reason: listHasIt },
  { of: 'GET /outages/{outage_id}', reason: listHasIt },
  { of: 'GET /reports/{report_id}', reason: listHasIt },
  { of: 'GET /keys/{key_id}', reason: listHasIt },
  { of: 'GET /users/{user_id}', reason: listHasIt },
  { of: 'PUT /devices', reason: 'for programs that know their device by ExternalKey; the form uses the id' },
  { of: 'PUT /tags/{tag_id}/devices/{device_id}', reason: ofDevices },
  { of: 'DELETE /tags/{tag_id}/devices/{device_id}', reason: ofDevices },
  {
    of: 'PUT /tags/{tag_id}/stop-maintenance',
    reason: 'the calendar ends the window of a tag by DELETE /maintenance/{maintenance_id}',
  },
  {
    of: 'PUT /alerts/{alert_id}/snooze',
    reason: 'the page uses PUT /alerts/snooze for one alert and for many',
  },
  { of: 'POST /batch Preview', reason: 'the page previews bulk changes by POST /devices/change' },
  { of: '*.tag_id', reason: 'the page names tags; this form accepts what a GET returned' },
  { of: '*Tags.Name', reason: 'the page names tags; this form accepts what a GET returned' },
  { of: '*Tag.Name', reason: 'the page names tags; this form accepts what a GET returned' },
  { of: '* Options.*', reason: 'the form has a field for each Option of the schema in openapi.json' },
  ...['POST /checks/trial', 'POST /checks/offer'].flatMap((request) =>
    singleCheck.map(({ field, reason }) => ({ of: `${request} ${field}`, reason })),
  ),
  { of: '* HostData', reason: 'an older name of Options.Headers, which the form sends' },
  { of: 'PUT /secrets/{secret_id} Name', reason: 'a secret cannot be renamed' },
  {
    of: 'PUT /alerts/snooze Preview',
    reason: 'PUT /alerts/acknowledge counts the alerts of a Filter for both actions',
  },
  ...[
    'Status',
    'Search',
    'Method',
    'Location',
    'Severity',
    'device_master_id',
    'nschedule_id',
    'Enabled',
    'Retrying',
  ].map((field) => ({
    of: `POST /devices/change Filter.${field}`,
    reason: 'the page names the devices that its own filter finds',
  })),
  { of: 'POST /devices/change Set.Retries', reason: 'an older name of Attempts, which the page sends' },
  { of: 'POST /devices/change Preview', reason: 'a request without a Token is a preview' },
  {
    of: 'GET /device-changes/{change_id}',
    reason: 'the page waits for the answer of POST /devices/change, which has the same facts',
  },
  { of: 'PUT /contacts/{contact_id} Type', reason: 'the Type of a contact cannot change' },
  ...['PublicTargetsOnly', 'nschedule_id', 'Anchors'].map((field) => ({
    of: `POST /locations ${field}`,
    reason: 'set in the created Location by PUT /locations/{location_id}',
  })),
  { of: 'POST /marks Tags', reason: 'the page marks the device that it shows' },
  { of: 'POST /pages Notes', reason: 'notes are written on the screen of the created page' },
  ...['tags', 'locations', 'contacts', 'hooks', 'pages', 'reports', 'nschedules', 'mschedules'].flatMap(
    (kind) =>
      ['ExternalKey', 'Source'].map((field) => ({
        of: `* /${kind}* ${field}`,
        reason: 'set by the program or file that manages the object; the page edits it for devices',
      })),
  ),
];

/**
 * The parts that the page should offer and does not yet, by screen. Delete a line when its control exists: the test
 * fails for a line that is not needed.
 */
export const notYet: Readonly<Record<string, readonly string[]>> = {};
