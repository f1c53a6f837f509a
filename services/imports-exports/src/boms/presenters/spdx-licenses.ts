import { isSupportedSpdxId } from '@cyclonedx/cyclonedx-library/SPDX';

/** Whether a text is the id of a licence of SPDX, as it is spelled there. */
export const isLicenseId = (text: string): boolean => isSupportedSpdxId(text);

/**
 * Whether a text is an expression of SPDX as far as its words go: known licences and references, joined by operators.
 * What nests wrongly is not noticed.
 */
export function isLicenseExpression(text: string): boolean {
  const words = text.split(/[\s()]+/).filter((word) => word !== '');
  return (
    words.every((word, at) => {
      if (at % 2 === 1) return word === 'AND' || word === 'OR' || word === 'WITH';
      if (words[at - 1] === 'WITH') return /^[A-Za-z0-9.-]+$/.test(word);
      return (
        isLicenseId(word.replace(/\+$/, '')) || /^(?:DocumentRef-[A-Za-z0-9.-]+:)?LicenseRef-[A-Za-z0-9.-]+$/.test(word)
      );
    }) && words.length % 2 === 1
  );
}
