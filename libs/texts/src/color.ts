/** CSS names by which a colour may be given. */
const colorNames: Record<string, string> = {
  black: '#000000',
  silver: '#c0c0c0',
  gray: '#808080',
  grey: '#808080',
  white: '#ffffff',
  maroon: '#800000',
  red: '#ff0000',
  purple: '#800080',
  fuchsia: '#ff00ff',
  magenta: '#ff00ff',
  green: '#008000',
  lime: '#00ff00',
  olive: '#808000',
  yellow: '#ffff00',
  navy: '#000080',
  blue: '#0000ff',
  teal: '#008080',
  aqua: '#00ffff',
  cyan: '#00ffff',
  orange: '#ffa500',
  pink: '#ffc0cb',
  brown: '#a52a2a',
  gold: '#ffd700',
  indigo: '#4b0082',
  violet: '#ee82ee',
  crimson: '#dc143c',
  coral: '#ff7f50',
  salmon: '#fa8072',
  tomato: '#ff6347',
  khaki: '#f0e68c',
  orchid: '#da70d6',
  plum: '#dda0dd',
  tan: '#d2b48c',
  turquoise: '#40e0d0',
  beige: '#f5f5dc',
  darkgreen: '#006400',
  darkblue: '#00008b',
  darkred: '#8b0000',
  lightblue: '#add8e6',
  lightgreen: '#90ee90',
};

/** `#rrggbb` of a colour as it was given; undefined when it is none. */
export function parseColor(given: string): string | undefined {
  const text = given.trim();
  if (/^#[0-9a-f]{6}$/i.test(text)) return text;
  if (/^#[0-9a-f]{3}$/i.test(text)) return text.replace(/[0-9a-f]/gi, (digit) => digit + digit);
  return Object.hasOwn(colorNames, text.toLowerCase()) ? colorNames[text.toLowerCase()] : undefined;
}

/** Colour of text that can be read on a background `#rrggbb`. */
export function textColor(background: string): string {
  const parts = [1, 3, 5].map((at) => Number.parseInt(background.slice(at, at + 2), 16) / 255);
  const [red = 0, green = 0, blue = 0] = parts.map((part) =>
    part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  );
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  // Where white has less contrast than black by the formula of WCAG 2.
  return luminance > 0.36 ? '#1F1E24' : '#FFFFFF';
}
