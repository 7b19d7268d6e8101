const rule = 'must be one e-mail address in ASCII characters, for example noc@example.org';
/** An atom of RFC 5322 section 3.2.3. */
const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const address = new RegExp(`^(?=.{1,64}@)${atom}(?:\\.${atom})*@(?=.{1,253}$)${label}(?:\\.${label})*$`);
/** RFC 5321 section 4.5.3.1.3: a path of 256 octets, two of which are its brackets. */
const longest = 254;

/**
 * The fault of an e-mail address; null: none. Accepted is the address alone (RFC 5321 section 4.1.2 with a
 * Dot-string), so that nothing else gets into the header of a message.
 */
export function emailFault(text: string): string | null {
  return text.length <= longest && address.test(text) ? null : rule;
}
