/** The format of a templated body, from which the escaping of values follows. */
export const bodyTypes = [
  'application/json',
  'application/x-www-form-urlencoded',
  'text/plain',
  'application/xml',
] as const;

/** One of `bodyTypes`. */
export type BodyType = (typeof bodyTypes)[number];

/**
 * Names in a template that stand for facts of the message as webhooks name them; a message without the fact has nothing
 * there.
 */
export const factNames = [
  ...(['alert_id', 'device_id', 'check_id', 'ShortName', 'FullName', 'URL', 'Method', 'Status'] as const),
  ...(['Since', 'CheckResult', 'Location', 'Master', 'Reason', 'Severity', 'Seconds'] as const),
  ...(['Contact', 'Agent', 'Message', 'DownSince', 'Number', 'AcknowledgedBy'] as const),
  ...(['FailingLocations', 'GoodLocations'] as const),
] as const;

/** Names in a template that every message has: see docs/contacts.md. */
const generalNames = ['Kind', 'Title', 'Text', 'Timestamp', 'To'] as const;
/** Names whose values are known when the message is sent, and are never stored. */
const lateNames = ['Secret', 'Acknowledge', 'Snooze', 'Details'] as const;

/** A name whose value is known when the message is sent. */
export type LatePlace = (typeof lateNames)[number];

/** A name whose value is known when the message is composed. */
export type Place = (typeof factNames)[number] | (typeof generalNames)[number];

const latePlaces: ReadonlyMap<string, LatePlace> = new Map(lateNames.map((name) => [name, name]));
const knownPlaces: ReadonlyMap<string, Place> = new Map(
  [...generalNames, ...factNames].map((name) => [name, name]),
);
const allNames = [...generalNames, ...lateNames, ...factNames];
const place = /\{\{([^{}]*)\}\}/g;

/** A piece of a body: text that stands as it is, or a name that is filled when the message is sent. */
export type BodyPart = { readonly text: string } | { readonly late: LatePlace };

/**
 * Fills what is known into a template; `valueIn` returns plain values, which are written as the type of the body needs
 * it. Pure.
 */
export function fillTemplate(
  template: string,
  type: BodyType,
  valueIn: (name: Place) => string,
): readonly BodyPart[] {
  const parts: BodyPart[] = [];
  let from = 0;
  for (const found of template.matchAll(place)) {
    const name = (found[1] ?? '').trim();
    const [late, known] = [latePlaces.get(name), knownPlaces.get(name)];
    parts.push({ text: template.slice(from, found.index) });
    if (late !== undefined) parts.push({ late });
    else if (known !== undefined) parts.push({ text: escapeFor(type, valueIn(known)) });
    from = found.index + found[0].length;
  }
  return [...parts, { text: template.slice(from) }];
}

/** A value as it must stand in a body of this type: in a JSON string, in a form, in XML. Pure. */
export function escapeFor(type: BodyType, value: string): string {
  switch (type) {
    case 'application/json':
      return JSON.stringify(value).slice(1, -1);
    case 'application/x-www-form-urlencoded':
      return encodeURIComponent(value.toWellFormed());
    case 'application/xml':
      return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
    case 'text/plain':
      return value;
  }
}

/** The fault of a template, as the rest of a sentence that begins with the field's name; null: none. Pure. */
export function templateFault(template: string, type: BodyType): string | null {
  const unknown = [...template.matchAll(place)].find(
    ([, name = '']) => !latePlaces.has(name.trim()) && !knownPlaces.has(name.trim()),
  );
  if (unknown !== undefined)
    return `has the unknown name ${unknown[0].slice(0, 60)}; known are ${allNames.map((name) => `{{${name}}}`).join(', ')}`;
  if (type !== 'application/json' || isJson(sampleOf(template))) return null;
  return 'is not JSON when its names are filled; put each name into quotes, for example {"text": "{{Text}}"}';
}

/** The body with a harmless value in each place. */
function sampleOf(template: string): string {
  return fillTemplate(template, 'application/json', () => 'x')
    .map((part) => ('text' in part ? part.text : 'x'))
    .join('');
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
