import { globSync, statSync } from 'node:fs';
import path from 'node:path';
import { mebibyte } from '@vantage/domain';
import { maxFileBytes, readText, unreadable } from './text-file.ts';

/** Where the readers of formats find files by name: on this machine, or among texts that were sent. */
export interface InputFiles {
  /** Whether databases can be opened by their names. */
  readonly areOnDisk: boolean;
  readonly readText: (file: string) => string;
  /** The files `*.cfg` of a folder and of those inside; the file itself if it is none. */
  readonly configurationsOf: (file: string) => readonly string[];
  /** The files that a pattern in `file` matches, sorted. */
  readonly matching: (pattern: string, file: string) => readonly string[];
}

/** The files of this machine. */
export const diskFiles: InputFiles = {
  areOnDisk: true,
  readText,
  configurationsOf: (file) => {
    const isFolder = file !== '-' && statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
    if (!isFolder) return [file];
    return globSync('**/*.cfg', { cwd: file })
      .sort()
      .map((name) => path.join(file, name));
  },
  matching: (pattern, file) => globSync(path.resolve(path.dirname(file), pattern)).sort(),
};

const baseName = (file: string) => file.replace(/^.*[/\\]/, '');

/** Whether a name matches a pattern with `*` and `?`. A star that took too little takes one more: no backtracking. */
function isMatch(pattern: string, name: string): boolean {
  let at = 0;
  let star = -1;
  let taken = 0;
  for (let position = 0; position < name.length; ) {
    if (pattern[at] === '*') {
      star = at;
      taken = position;
      at += 1;
    } else if (pattern[at] === '?' || pattern[at] === name[position]) {
      at += 1;
      position += 1;
    } else if (star >= 0) {
      taken += 1;
      position = taken;
      at = star + 1;
    } else return false;
  }
  return /^\**$/.test(pattern.slice(at));
}

/**
 * Texts that were sent with their names. No file of this machine is ever read, whatever the texts name: a pattern finds
 * only sent files, by the last part of its path.
 */
export function sentFiles(texts: ReadonlyMap<string, string>): InputFiles {
  return {
    areOnDisk: false,
    readText(file) {
      const text = texts.get(file);
      if (text === undefined) throw unreadable(`${file} was not sent`);
      if (text.length > maxFileBytes)
        throw unreadable(
          `${file} is longer than ${maxFileBytes / mebibyte} MiB, the longest file that is read`,
        );
      return text.replace(/^\uFEFF/, '');
    },
    configurationsOf: (file) => [file],
    matching: (pattern, file) =>
      [...texts.keys()].filter((name) => name !== file && isMatch(baseName(pattern), baseName(name))).sort(),
  };
}
