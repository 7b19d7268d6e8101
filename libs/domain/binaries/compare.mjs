// Compares the prebuilt programs of packages with the SHA-256 that this repository records. It is plain JavaScript
// without dependencies, for any Node from 18 on, because the first start runs it before it trusts the Node of the
// package.
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const records = path.join(path.dirname(fileURLToPath(import.meta.url)), 'recorded');

/** Folder of a package of lists, for the file name of its list. */
const listOf = (name) => path.join(records, `${name.replace('@', '').replace('/', '-')}.sha256`);

/** The recorded files of a package, by their paths in it. The list has the form of sha256sum. */
export function recordedOf(name) {
  const lines = readFileSync(listOf(name), 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => ({ digest: line.slice(0, 64), file: line.slice(66) }));
}

const digestOf = (data) => createHash('sha256').update(data).digest('hex');

/** The fault in the content of a recorded file; undefined: none. */
export function problemOfFile(name, file, data) {
  const recorded = recordedOf(name).find((entry) => entry.file === file);
  if (recorded === undefined) return `SHA-256 of ${file} is not recorded for ${name}`;
  const found = digestOf(data);
  return found === recorded.digest ? undefined : changed(`${name}/${file}`, recorded.digest, found);
}

/**
 * Compares the files of a package in `folder`, whose path in the package is `under` (empty: the package itself).
 * Returns the problem of the first file that differs; undefined: there is none. `marker` is a file that remembers the
 * comparison: with the same sizes and times the contents are not read again. If it cannot be written, each start
 * compares.
 */
export function problemOfFolder({ name, folder, under = '', marker }) {
  const files = recordedOf(name).filter(({ file }) => file.startsWith(under));
  const stamps = [];
  const at = ({ file }) => path.join(folder, file.slice(under.length));
  for (const entry of files) {
    try {
      const { size, mtimeMs, ctimeMs } = statSync(at(entry));
      stamps.push(`${entry.digest} ${size} ${mtimeMs} ${ctimeMs} ${entry.file}`);
    } catch (error) {
      return `${at(entry)} cannot be read (${error.code}); ${advice}`;
    }
  }
  const stamp = digestOf(stamps.join('\n'));
  const known = readMarker(marker);
  if (known[folder] === stamp) return undefined;
  for (const entry of files) {
    const found = digestOf(readFileSync(at(entry)));
    if (found !== entry.digest) return changed(at(entry), entry.digest, found);
  }
  writeMarker(marker, { ...known, [folder]: stamp });
  return undefined;
}

const advice = 'remove node_modules and install the packages again ("npm ci")';

function changed(file, recorded, found) {
  return `${file} was changed: its SHA-256 is ${found}, this repository records ${recorded}. It is not run; ${advice}`;
}

function readMarker(marker) {
  try {
    return JSON.parse(readFileSync(marker, 'utf8'));
  } catch {
    return {}; // no comparison so far, or not on this machine
  }
}

function writeMarker(marker, known) {
  try {
    writeFileSync(`${marker}.${process.pid}`, JSON.stringify(known));
    renameSync(`${marker}.${process.pid}`, marker);
  } catch {
    // in a read-only folder, the next start compares again
  }
}
