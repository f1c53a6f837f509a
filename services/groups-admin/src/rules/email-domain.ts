/** Characters of a domain name at the most. */
export const maxDomainLength = 253;

const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i;

/** Whether a text is a domain name of at least two labels. */
export function isDomainName(text: string): boolean {
  if (text.length > maxDomainLength) return false;
  const labels = text.split('.');
  return labels.length > 1 && labels.every((part) => label.test(part));
}

/** The domain of an e-mail address, in lower case. */
export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase();
